# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers.py: the tree obeys, a violation is caught and named, the document agrees."""

import importlib.util
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def check_layers():
    spec = importlib.util.spec_from_file_location("check_layers", TREE / "tools/check_layers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# A lawful tree of one file per layer that the cases below disturb.
LAWFUL = {
    "include/bascule/abi/types.h": "#include <stdint.h>\n",
    "include/bascule/numeric/half.h": "#include <cstdint>\n",
    "include/bascule/c_api.h": '#include "bascule/abi/types.h"\n',
    "include/bascule/schema.h": '#include "bascule/c_api.h"\n',
    "include/ascendc/kernel/kernel_operator.h": '#include "bascule/numeric/half.h"\n',
    "include/ascendc/host/acl/acl.h": '#include "bascule/c_api.h"\n',
    "src/base/dtype.h": '#include "bascule/abi/types.h"\n#include <string>\n',
    "src/isa/add.cpp": '#include "base/dtype.h"\n#include <hwy/highway.h>\n#include <sys/mman.h>\n',
    "src/engine/core.cpp": '#include "base/dtype.h"\n#include <boost/context/fiber.hpp>\n',
    "src/engine/CMakeLists.txt": "bascule_add_layer(engine\n USES base isa Threads::Threads)\n",
    "src/host/load.cpp": '#include "bascule/schema.h"\n#include <nlohmann/json.hpp>\n',
    "operators/my_mul/op_kernel/k.cpp": '#include "kernel_operator.h"\n#include "my_tiling.h"\n',
    "tests/base/t.cpp": '#include "anything.h"\n',
}

# name: (file, its text, what the message must say)
VIOLATIONS = {
    "upward": (
        "src/base/up.h",
        '\n#include "../isa/add.cpp"\n',
        ["src/base/up.h:2", '"../isa/add.cpp"', "belongs to isa", "layer base may include its own"],
    ),
    "sideways": (
        "src/engine/side.cpp",
        '#include "host/load.cpp"\n',
        ["src/engine/side.cpp:1", "belongs to host", "base, isa, observer-interface, boost"],
    ),
    "kernel header past the border": (
        "include/ascendc/kernel/k.h",
        '#include "base/dtype.h"\n',
        ["src/base/dtype.h belongs to base", "base below include/"],
    ),
    "kernel header to the C ABI": (
        "include/ascendc/kernel/k.h",
        "#include <bascule/c_api.h>\n",
        ["<bascule/c_api.h>", "belongs to c-api"],
    ),
    "host header to C++": (
        "include/ascendc/host/h.h",
        '#include "bascule/schema.h"\n',
        ["include/bascule/schema.h belongs to public"],
    ),
    "third-party of another layer": (
        "src/base/simd.h",
        "  #  include <hwy/highway.h>\n",
        ["<hwy/highway.h>", "third-party: highway", "layer base"],
    ),
    "third-party nobody knows": (
        "src/host/fmt.cpp",
        "#include <fmt/format.h>\n",
        ["<fmt/format.h>", "THIRD_PARTY"],
    ),
    "no such file": (
        "src/base/gone.h",
        '#include "base/gone_too.h"\n',
        ['"base/gone_too.h"', "no such file"],
    ),
    "operator into the engine": (
        "operators/my_mul/op_host/h.cpp",
        '#include "base/dtype.h"\n',
        ["belongs to base", "layer operators"],
    ),
    "USES upward": (
        "src/base/CMakeLists.txt",
        "# USES base\nbascule_add_layer(base\n  SOURCES a.cpp\n  USES engine)\n",
        ["src/base/CMakeLists.txt:2", "USES engine", "layer base"],
    ),
    "USES third-party": (
        "src/base/CMakeLists.txt",
        "bascule_add_layer(base USES hwy::hwy SOURCES a.cpp)\n",
        ["USES hwy::hwy"],
    ),
    "layer under a wrong name": (
        "src/base/CMakeLists.txt",
        "bascule_add_layer(engine SOURCES a.cpp)\n",
        ["layer 'engine'", "folder of layer base"],
    ),
}


def write_tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_the_tree_obeys(check_layers):
    violations, count = check_layers.check_tree(TREE)
    assert violations == []
    assert count > 0


def test_a_lawful_tree_passes(check_layers, tmp_path):
    write_tree(tmp_path, LAWFUL)
    assert check_layers.check_tree(tmp_path) == ([], 11)


@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_violation_is_caught_and_named(check_layers, tmp_path, name):
    file, text, wanted = VIOLATIONS[name]
    write_tree(tmp_path, {**LAWFUL, file: text})
    violations, _ = check_layers.check_tree(tmp_path)
    assert len(violations) == 1
    for part in wanted:
        assert part in violations[0]


def test_rows_name_layers_that_exist(check_layers):
    names = [layer.name for layer in check_layers.LAYERS]
    assert len(set(names)) == len(names)
    for index, layer in enumerate(check_layers.LAYERS):
        for used in layer.uses:
            assert used.split(":")[0] in names[:index], f"{layer.name} uses {used}: not below it"
        assert set(layer.third_party) <= set(check_layers.THIRD_PARTY)


def test_every_source_folder_has_a_row(check_layers):
    folders = [f"src/{f.name}" for f in (TREE / "src").iterdir() if any(f.rglob("*.*"))]
    assert [f for f in folders if check_layers.layer_of(f) is None] == []


def test_the_document_shows_this_table(check_layers):
    shown = [
        line
        for line in (TREE / "ARCHITECTURE.md").read_text().splitlines()
        if line.startswith("| ")
    ]
    wanted = check_layers.markdown_table().splitlines()
    start = shown.index(wanted[0])
    assert shown[start : start + len(wanted) - 1] == [w for w in wanted if w.startswith("| ")]
