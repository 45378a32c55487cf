# SPDX-License-Identifier: Apache-2.0
"""bascule._native: the C ABI from Python, without a bridge."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import bascule
from bascule import _native

TREE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def library(my_mul_path):
    return _native.Library(str(my_mul_path))


@pytest.fixture(scope="module")
def my_mul(library):
    return library.find("my_mul")


def test_element_types_are_those_of_the_runtime():
    rows = re.findall(
        r'\{(BASCULE_\w+), "(\w+)", "\w+", "\w+", (\d+), (\d+)\}',
        (TREE / "src/base/dtype.cpp").read_text(encoding="utf-8"),
    )
    assert rows
    header = (TREE / "include/bascule/abi/types.h").read_text(encoding="utf-8")
    numbers = dict(re.findall(r"(BASCULE_\w+) = (\d+)", header))
    theirs = {(name, int(numbers[label]), int(code), int(bits)) for label, name, bits, code in rows}
    assert set(_native.dtypes) == theirs


def test_statuses_have_classes():
    header = (TREE / "include/bascule/abi/types.h").read_text(encoding="utf-8")
    part = header[header.index("BASCULE_OK = 0") : header.index("BasculeStatus")]
    numbers = {int(n) for n in re.findall(r"BASCULE_\w+ = (\d+)", part)} - {0}
    assert set(bascule.errors.BY_STATUS) == numbers
    for cls in bascule.errors.BY_STATUS.values():
        assert issubclass(cls, bascule.Error)


def test_library(library, my_mul_path):
    assert library.path == str(my_mul_path)
    assert json.loads(library.manifest)["operators"][0]["name"] == "my_mul"
    assert [op.name for op in library.operators()] == ["my_mul"]
    assert _native.Library(str(my_mul_path)).identity == library.identity
    assert _native.manifest_read(str(my_mul_path)) == library.manifest


def test_operator(my_mul):
    assert my_mul.name == "my_mul"
    assert (my_mul.input_count, my_mul.output_count) == (2, 1)
    assert json.loads(my_mul.schema)["type"] == "MyMul"


@pytest.mark.parametrize(
    ("x", "y", "out"),
    [
        (((3, 5), "float32"), ((3, 5), "float32"), ((3, 5), "float32")),
        (((-1, 5), "float16"), ((3, -1), "float16"), ((3, 5), "float16")),
        (((-1, 5), "float16"), ((-1, 5), "float16"), ((-1, 5), "float16")),
        ((None, "float32"), ((3, 5), "float32"), (None, "float32")),
        ((None, "float32"), (None, "float32"), (None, "float32")),
        (((), "float32"), ((), "float32"), ((), "float32")),
    ],
)
def test_infer(my_mul, x, y, out):
    assert my_mul.infer([x, y]) == [out]


def test_infer_refuses(my_mul):
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul.infer([((3,), "float33"), ((3,), "float32")])
    assert str(error.value) == "'float33' is not the name of an element type."
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul.infer([((3,), "float32")])
    assert str(error.value) == "my_mul: 2 inputs expected (x, y), 1 came."
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul.infer([((1,) * 26, "float32")] * 2)
    assert str(error.value) == "A shape has 26 dimensions; at most 25 are supported."
    with pytest.raises(bascule.InvalidArgument):
        my_mul.infer([((3,), "float32"), ((4,), "float32")])


def test_call_and_run(my_mul):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = np.empty_like(x)
    assert my_mul.call([x, x], (out,)) is None
    np.testing.assert_array_equal(out, x * x)
    np.testing.assert_array_equal(my_mul.run(x, x), x * x)


def test_repeat(my_mul):
    x = np.arange(6, dtype=np.float32)
    out = np.empty_like(x)
    my_mul.call((x, x), (out,), repeat=3)
    np.testing.assert_array_equal(out, x * x)


def test_attributes(products_path):
    products = _native.Library(str(products_path)).find("products")
    x = np.arange(6, dtype=np.float32)
    a, b = np.empty_like(x), np.empty_like(x)
    products.call((x, x + 1), (a, b), {"swap": True, "tile": 8})
    np.testing.assert_array_equal(a, x * x)
    for attributes, sentence in (
        ({"tiles": 8}, "products has no attribute 'tiles'. It has: tile, swap."),
        ({"tile": "8"}, "products: attribute 'tile' takes int, '8' came."),
        ({"tile": 8.5}, "products: attribute 'tile' takes int, 8.5 came."),
    ):
        with pytest.raises(bascule.InvalidArgument) as error:
            products.call((x, x), (a, b), attributes)
        assert str(error.value) == sentence


class Exported:
    """A tensor of a library that offers __dlpack__ and nothing else."""

    def __init__(self, array, versioned):
        self.array = array
        self.versioned = versioned

    def __dlpack__(self, **options):
        if not self.versioned and options:
            raise TypeError("an old producer takes no options")
        return self.array.__dlpack__(**options)


@pytest.mark.parametrize("versioned", [True, False])
def test_capsules(my_mul, versioned):
    x = np.arange(6, dtype=np.float32)
    out = np.empty_like(x)
    my_mul.call((Exported(x, versioned), x), (Exported(out, versioned),))
    np.testing.assert_array_equal(out, x * x)
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul.run(Exported(x, versioned), x)
    assert str(error.value) == (
        "my_mul: output 'out' cannot be made for a Exported; pass the outputs."
    )


def test_read_only_capsule(my_mul):
    x = np.arange(6, dtype=np.float32)
    frozen = x.copy()
    frozen.flags.writeable = False
    my_mul.call((Exported(frozen, True), x), (np.empty_like(x),))
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul.call((x, x), (Exported(frozen, True),))
    assert str(error.value) == "my_mul: output 'out' is read-only and would be written."


def test_no_capsule(my_mul):
    class Wrong:
        def __dlpack__(self, **options):
            return 3

    class Failing:
        def __dlpack__(self, **options):
            raise BufferError("not today\nwith a stack trace")

    x = np.ones(3, np.float32)
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul.call((Wrong(), x), (x.copy(),))
    assert str(error.value) == "my_mul: input 'x' gave something else than a DLPack capsule."
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul.call((x, Failing()), (x.copy(),))
    assert str(error.value) == "my_mul: input 'y' cannot be read: not today"
    assert isinstance(error.value.__cause__, BufferError)


def test_a_library_that_is_none(tmp_path):
    path = tmp_path / "libnone.so"
    path.write_text("no library")
    with pytest.raises(bascule.BadLibrary) as error:
        _native.Library(str(path))
    assert isinstance(error.value, OSError)
    assert str(path) in str(error.value)


def test_find_lists_what_is_there(library):
    with pytest.raises(bascule.NotFound) as error:
        library.find("my_mull")
    assert "my_mull" in str(error.value)
    assert "my_mul" in str(error.value).replace("my_mull", "")


def test_failed_build_has_a_report(tmp_path):
    with pytest.raises(bascule.Error) as error:
        _native.build(str(tmp_path / "nothing"))
    assert json.loads(error.value.report)["status"] == "failed"


def test_observer(my_mul):
    x = np.ones(3, np.float32)
    _native.observe_begin("count")
    try:
        my_mul.run(x, x)
        report = json.loads(_native.observe_report("count"))
    finally:
        _native.observe_end("count")
    assert report
    with pytest.raises(bascule.Error):
        _native.observe_begin("no such observer")
