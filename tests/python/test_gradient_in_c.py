# SPDX-License-Identifier: Apache-2.0
"""bascule_operator_gradient(): what a program without Python learns of a gradient."""

import ctypes

import pytest

import bascule

OK, UNSUPPORTED = 0, 3


@pytest.fixture(scope="module")
def c():
    library = ctypes.CDLL(str(bascule.prefix() / "lib/libbascule.so"))
    library.bascule_last_error.restype = ctypes.c_char_p
    library.bascule_operator_name.restype = ctypes.c_char_p
    library.bascule_operator_name.argtypes = [ctypes.c_void_p]
    return library


def gradient(c, path, name):
    library, op, found = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    assert c.bascule_library_open(str(path).encode(), ctypes.byref(library)) == OK
    assert c.bascule_library_find(library, name.encode(), ctypes.byref(op)) == OK
    status = c.bascule_operator_gradient(op, ctypes.byref(found))
    if status == OK:
        return c.bascule_operator_name(found).decode()
    return status, c.bascule_last_error().decode()


def test_gradient(c, backward_path, my_mul_path):
    assert gradient(c, backward_path, "scaled_mul") == "scaled_mul_grad"
    assert gradient(c, backward_path, "positive") == (
        UNSUPPORTED,
        "positive has no gradient: a step has no slope.",
    )
    assert gradient(c, backward_path, "scaled_mul_grad") == (
        UNSUPPORTED,
        "scaled_mul_grad has no gradient: its project declares none.",
    )
    assert gradient(c, my_mul_path, "my_mul") == (
        UNSUPPORTED,
        "my_mul: its gradient is Python text, my_mul_bprop in gradient.py, which a program without "
        'Python cannot run. An operator can be named instead: my_mul_bprop = "my_mul_grad".',
    )
