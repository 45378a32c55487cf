# SPDX-License-Identifier: Apache-2.0
"""bascule.Custom and bascule.load: names, promises about outputs, what cannot be found."""

import numpy as np
import pytest

import bascule


@pytest.fixture
def x():
    return np.arange(6, dtype=np.float32).reshape(2, 3)


def test_ways_to_name_the_operator(my_mul_path, x, monkeypatch):
    monkeypatch.setenv("BASCULE_PATH", str(my_mul_path.parent))
    for func in (f"{my_mul_path}:my_mul", str(my_mul_path), "my_mul", "libmy_mul.so:my_mul"):
        np.testing.assert_array_equal(bascule.Custom(func)(x, x), x * x)


def test_attributes(products_path, x):
    square, _ = bascule.Custom(str(products_path))(x, x + 1, swap=True)
    np.testing.assert_array_equal(square, x * x)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        (lambda x, y: x, lambda x, y: x),
        (lambda x, y: x.shape, lambda x, y: x.dtype),
        (lambda x, y: [x.shape], lambda x, y: ["float32"]),
        ((2, 3), "float32"),
        ([2, 3], np.float32),
        (None, np.dtype("float32")),
    ],
)
def test_promises_kept(my_mul_path, x, shape, dtype):
    op = bascule.Custom(f"{my_mul_path}:my_mul", out_shape=shape, out_dtype=dtype)
    np.testing.assert_array_equal(op(x, x), x * x)


def test_promises_broken(my_mul_path, x):
    with pytest.raises(bascule.InvalidArgument) as error:
        bascule.Custom(f"{my_mul_path}:my_mul", out_shape=lambda x, y: (x[0],))(x, x)
    assert str(error.value) == "my_mul: out_shape says [(2,)], the library says [(2, 3)]."
    with pytest.raises(bascule.InvalidArgument) as error:
        bascule.Custom(f"{my_mul_path}:my_mul", out_dtype="float16")(x, x)
    assert str(error.value) == "my_mul: out_dtype says ['float16'], the library says ['float32']."


def test_wrong_arguments(my_mul_path):
    with pytest.raises(bascule.Unsupported) as error:
        bascule.Custom(lambda x: x, func_type="hybrid")
    assert str(error.value) == (
        "Custom: func_type 'hybrid' is not available; 'aot' and 'pyfunc' are."
    )
    with pytest.raises(bascule.InvalidArgument) as error:
        bascule.Custom(lambda x: x)
    assert str(error.value) == (
        "Custom: func is a function; with func_type 'aot' it is a text such as "
        "'./libmy_mul.so:my_mul'. A Python function needs func_type 'pyfunc'."
    )


def test_unknown_operator(my_mul_path):
    with pytest.raises(bascule.OperatorNotFound) as error:
        bascule.Custom(f"{my_mul_path}:my_mull")
    assert str(error.value) == (
        f"{my_mul_path} has no operator 'my_mull'. It has: my_mul. Was 'my_mul' meant?"
    )
    with pytest.raises(AttributeError):
        _ = bascule.load(my_mul_path).my_mull


def test_unknown_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ask in (bascule.load, bascule.Custom):
        with pytest.raises(bascule.LibraryNotFound) as error:
            ask("./libmy_mul.so")
        assert str(error.value) == (
            f"the operator library {tmp_path}/libmy_mul.so does not exist: no library is there"
        )
    with pytest.raises(bascule.NotFound):
        bascule.load("no_such_library")


def test_load_takes_no_operator(my_mul_path):
    with pytest.raises(bascule.InvalidArgument) as error:
        bascule.load(f"{my_mul_path}:my_mul")
    assert str(error.value) == (
        "load() takes a library without ':my_mul'; its operators are attributes: "
        f"load('{my_mul_path}').my_mul"
    )


def test_library_object(my_mul_path):
    library = bascule.load(my_mul_path)
    assert library.path == my_mul_path
    assert library.manifest["operators"][0]["name"] == "my_mul"
    assert [op.name for op in library] == ["my_mul"]
    assert len(library) == 1
    assert "my_mul" in dir(library)
    assert repr(library) == f"<bascule library {my_mul_path}: my_mul>"
    assert repr(library.my_mul) == f"<bascule operator my_mul(x, y) of {my_mul_path}>"
    assert library.my_mul.infer(((3,), "float32"), ((3,), "float32")) == [((3,), "float32")]


def test_importing_bascule_imports_no_framework():
    import subprocess
    import sys

    code = (
        "import sys, bascule\n"
        "bascule.load\n"
        "heavy = {'torch', 'mindspore', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
