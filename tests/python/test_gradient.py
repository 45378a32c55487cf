# SPDX-License-Identifier: Apache-2.0
"""The rule for gradients without a framework; what gradient functions read; gradient text."""

import linecache
import sys
import threading

import numpy as np
import pytest

import bascule
from bascule import gradient, xp, xp_numpy
from bascule.gradient import Form, Gradient, form_of, load_function, reads_of

X = np.ones((3, 5), np.float32)
Y = np.ones((5,), np.float16)


def check(gradients, inputs=(X, Y)):
    return gradient.check("op", ("x", "y"), inputs, gradients, np.ndarray)


def test_right_gradients_pass():
    assert [g is e for g, e in zip(check([X, Y]), (X, Y))] == [True, True]


def test_the_gradient_of_an_input_left_out_is_dropped():
    assert check((X, Y), (X, None))[1] is None
    assert check((X, None), (X, None))[1] is None


@pytest.mark.parametrize(
    ("gradients", "sentence"),
    [
        (
            X,
            "op: the gradient function returned 1 gradient for 2 inputs (x, y). Return one "
            "gradient per input, zeros where there is none.",
        ),
        (
            (),
            "op: the gradient function returned 0 gradients for 2 inputs (x, y). Return one "
            "gradient per input, zeros where there is none.",
        ),
        (
            (None, Y),
            "op: the gradient of input 'x' is None; expected a tensor of shape (3, 5). Return "
            "zeros (xp.zeros_like(x)) where the output does not depend on it.",
        ),
        (
            (X, 1.0),
            "op: the gradient of input 'y' is a float; expected a tensor of shape (5,).",
        ),
        (
            (X, Y[:1]),
            "op: the gradient of input 'y' has shape (1,); expected (5,), the shape of the input. "
            "Broadcasting is not summed back unasked.",
        ),
        (
            (X, Y.astype(np.float32)),
            "op: the gradient of input 'y' has dtype float32; expected float16, the dtype of the "
            "input. Use xp.cast.",
        ),
    ],
)
def test_sentences(gradients, sentence):
    with pytest.raises(bascule.GradientError) as error:
        check(gradients)
    assert str(error.value) == sentence
    assert isinstance(error.value, ValueError)


def form(function, outputs=("out",), saved=()):
    return form_of(function, "op", ("x", "y"), outputs, saved)


def test_forms():
    assert form(lambda x, y, out, dout: 0) == Form(("x", "y", "out", "dout"), True, 1)
    assert form(lambda a, b, c, d, *, alpha=1: 0).parameters == ("a", "b", "c", "d")
    tuples = form(lambda x, y, out, dout: 0, ("p", "q"))
    assert not tuples.flat
    assert tuples.arguments([1, 2], [3, 4], [5, 6]) == [1, 2, (3, 4), (5, 6)]
    flat = form(lambda x, y, p, q, dp, dq: 0, ("p", "q"))
    assert flat.flat
    assert flat.arguments([1, 2], [3, 4], [5, 6]) == [1, 2, 3, 4, 5, 6]


def test_forms_with_saved_outputs():
    taking = form(lambda x, y, out, mean, dout: 0, saved=("mean",))
    assert taking.arguments([1, 2], [3, 4], [5]) == [1, 2, 3, 4, 5]
    assert taking.reads_outputs(frozenset({0, 3}), 2) == [1]
    without = form(lambda x, y, out, dout: 0, saved=("mean",))
    assert without.arguments([1, 2], [3, 4], [5]) == [1, 2, 3, 5]
    tuples = form(lambda x, y, out, dout: 0, ("p", "q"), saved=("mean",))
    assert tuples.arguments([1, 2], [3, 4, 7], [5, 6]) == [1, 2, (3, 4), (5, 6)]
    with pytest.raises(bascule.GradientError, match=r"expected \(x, y, out, mean, dout\)\."):
        form(lambda x, y: 0, saved=("mean",))


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (
            lambda x, y: 0,
            "op: the gradient function takes 2 parameters (x, y); expected (x, y, p, q, dp, dq), "
            "or (x, y, out, dout) with two tuples.",
        ),
        (
            lambda *args: 0,
            "op: the gradient function takes *args. Name its parameters: (x, y, p, q, dp, dq), or "
            "(x, y, out, dout) with two tuples.",
        ),
    ],
)
def test_wrong_forms(function, sentence):
    with pytest.raises(bascule.GradientError) as error:
        form(function, ("p", "q"))
    assert str(error.value) == sentence


def test_a_function_without_signature():
    class Opaque:
        __signature__ = "none"

        def __call__(self, *values):
            return values

    with pytest.raises(bascule.GradientError, match="has no signature to read"):
        form(Opaque())


def reads(function):
    return reads_of(function, form(function))


def test_reads():
    assert reads(lambda x, y, out, dout: (dout * y, dout)) == {1, 3}
    assert reads(lambda x, y, out, dout: (out, out)) == {2}
    assert reads(lambda x, y, out, dout: (lambda: x, dout)) == {0, 3}  # by an inner function
    assert reads(lambda x, y, out, dout: locals()) == {0, 1, 2, 3}
    assert reads(lambda x, y, out, dout: eval("x")) == {0, 1, 2, 3}

    def assigned(x, y, out, dout):
        x = dout
        return x, x

    assert reads(assigned) >= {3}

    class Callable:
        def __call__(self, x, y, out, dout):
            return dout, dout

    assert reads(Callable()) == {0, 1, 2, 3}


TEXT = """
from bascule import xp
from bascule.xp import tanh

def op_bprop(x, out, dout):
    return dout * xp.exp(x) + tanh(x)

def raising_bprop(x, out, dout):
    raise ValueError("here")
"""


def test_load_function_binds_a_framework():
    generic = load_function(TEXT, "op_bprop", "op", "libop.so")
    bound = load_function(TEXT, "op_bprop", "op", "libop.so", xp_numpy)
    assert generic.__globals__["xp"] is xp
    assert bound.__globals__["xp"] is xp_numpy
    assert bound.__globals__["tanh"] is np.tanh
    x = np.array([0.5, 1.0])
    for function in (generic, bound):
        np.testing.assert_allclose(function(x, x, 2.0), 2 * np.exp(x) + np.tanh(x))


def test_load_function_has_a_source():
    function = load_function(TEXT, "raising_bprop", "op", "libop.so")
    file = function.__code__.co_filename
    assert "libop.so" in file
    assert linecache.getline(file, 9) == '    raise ValueError("here")\n'
    assert sys.modules[function.__module__].raising_bprop is function


def test_load_function_says_what_is_there():
    with pytest.raises(bascule.GradientError) as error:
        load_function(TEXT, "oop_bprop", "oop", "libop.so")
    assert str(error.value) == (
        "oop: its gradient file has no function oop_bprop. It has: op_bprop, raising_bprop."
    )


def schema(declared):
    return {
        "name": "op",
        "inputs": [{"name": "x"}],
        "outputs": [{"name": "out"}],
        "gradient": declared,
    }


def test_gradient_of_a_schema():
    declared = {"kind": "python", "text": TEXT, "function": "op_bprop"}
    function, form, read = Gradient.of_schema(schema(declared), "libop.so").get(xp_numpy)
    assert form.parameters == ("x", "out", "dout")
    assert read == {0, 2}
    assert function(np.zeros(1), None, 1.0) == 1


def test_no_gradient():
    none = Gradient.of_schema(schema(None), "libop.so")
    assert none.kind == "none"
    with pytest.raises(bascule.GradientError) as error:
        none.get()
    assert str(error.value) == (
        "op has no gradient: its project declares none. An input that requires one cannot be "
        "passed; detach it, or declare a gradient."
    )
    with pytest.raises(bascule.Unsupported, match="kind 'tape'"):
        Gradient.of_schema(schema({"kind": "tape"}), "libop.so")


def test_bprop_that_is_no_function():
    with pytest.raises(bascule.GradientError) as error:
        Gradient.of_function(3, "op", ("x",), ("out",))
    assert str(error.value) == "op: bprop is a int, not a function."


def test_the_text_runs_once():
    runs = []

    def make(xp, constants):
        runs.append((xp, constants))
        return lambda x, out, dout: dout

    once = Gradient("op", ("x",), ("out",), make)
    threads = [threading.Thread(target=once.get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runs == [(None, None)]
