# SPDX-License-Identifier: Apache-2.0
"""Values: element types, lengths, layouts, torch's lazy and odd tensors, threads."""

import threading

import pytest
import torch

import bascule

LENGTHS = (0, 1, 7, 15, 16, 17, 31, 32, 33, 513, 4096, 100003)
DTYPES = (torch.float16, torch.float32)
LAYOUTS = {
    "contiguous": lambda length, make: make(length),
    "strided": lambda length, make: make(2 * length)[::2],
    "offset": lambda length, make: make(length + 1)[1:],
    "column": lambda length, make: make(3 * length).reshape(length, 3)[:, 1],
    "expanded": lambda length, make: make(1).expand(length),
}


def maker(dtype, seed):
    generator = torch.Generator().manual_seed(seed)
    return lambda length: (torch.randn(length, generator=generator) * 8).to(dtype)


def rounded_product(x, y):
    """x * y in float64, rounded once."""
    return (x.double() * y.double()).to(x.dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_product(my_mul, dtype, length, layout):
    x = LAYOUTS[layout](length, maker(dtype, 1))
    y = maker(dtype, 2)(length)
    for a, b in ((x, y), (y, x)):
        out = my_mul(a, b)
        assert out.dtype == dtype
        assert out.is_contiguous()
        assert torch.equal(out, rounded_product(a, b))


@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (2, 1, 7), (0, 4), (4, 0)])
def test_shapes(my_mul, shape):
    x = torch.randn(shape)
    assert torch.equal(my_mul(x, x), x * x)


def test_channels_last(my_mul):
    x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    out = my_mul(x, x)
    assert out.is_contiguous()
    assert torch.equal(out, x * x)


def test_outputs_are_new(my_mul):
    x = torch.randn(5)
    out = my_mul(x, x)
    assert out.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
    assert out._version == 0
    out.add_(1)


def test_lazy_tensors(my_mul):
    """Negation that torch has not done yet, and zeros without memory."""
    negated = torch.view_as_complex(torch.randn(4, 2)).conj().imag
    assert negated.is_neg()
    assert torch.equal(my_mul(negated, negated), negated * negated)
    zeros = torch._efficientzerotensor(4)
    assert torch.equal(my_mul(zeros, torch.ones(4)), torch.zeros(4))


def test_lazy_tensors_are_refused_below_the_dispatcher(my_mul_path):
    native = bascule.load(my_mul_path).my_mul.native
    negated = torch.view_as_complex(torch.randn(4, 2)).conj().imag
    with pytest.raises(bascule.InvalidArgument) as error:
        native.call((negated, negated), (torch.empty(4),))
    assert str(error.value) == (
        "my_mul: input 'x' has torch's negative bit: its memory holds the negated values. Pass "
        "x.resolve_neg()."
    )
    zeros = torch._efficientzerotensor(4)
    with pytest.raises(bascule.InvalidArgument) as error:
        native.call((zeros, torch.ones(4)), (torch.empty(4),))
    assert str(error.value) == (
        "my_mul: input 'x' is a Tensor without memory of its own (meta, fake or lazy)."
    )


def test_attached_tensors_are_refused_below_the_dispatcher(my_mul_path):
    native = bascule.load(my_mul_path).my_mul.native
    attached, plain = torch.randn(4, requires_grad=True), torch.randn(4)
    sentence = (
        "my_mul: {} requires a gradient, which a call on memory does not record. Pass x.detach()."
    )
    with pytest.raises(bascule.InvalidArgument) as error:
        native.call((plain, attached), (torch.empty(4),))
    assert str(error.value) == sentence.format("input 'y'")
    with pytest.raises(bascule.InvalidArgument) as error:
        native.call((plain, plain), (attached,))
    assert str(error.value) == sentence.format("output 'out'")
    out = torch.empty(4)
    native.call((plain, attached.detach()), (out,))
    assert torch.equal(out, plain * attached.detach())


def test_what_is_copied(my_mul_path):
    """Dense tensors are not, a gradient that one number repeats is written once."""
    op = bascule.load(my_mul_path).my_mul
    x, out = torch.randn(64, 64), torch.empty(64, 64)
    before = op.stats()
    op.native.call((x, x[:1].expand(64, 64)[:, :64].contiguous()), (out,))
    assert op.stats().packed_inputs == before.packed_inputs
    dout = torch.ones(()).expand(64, 64)
    assert dout.stride() == (0, 0)
    op.native.call((x, dout), (out,))
    assert torch.equal(out, x)
    op.native.call((x.t(), x), (out.t(),))
    assert torch.equal(out.t(), x.t() * x)
    after = op.stats()
    assert after.packed_inputs == before.packed_inputs + 2
    assert after.packed_input_bytes == before.packed_input_bytes + 2 * 64 * 64 * 4
    assert after.unpacked_outputs == before.unpacked_outputs + 1


def test_parameters_and_subclasses(my_mul):
    class Own(torch.Tensor):
        pass

    x = torch.randn(5)
    assert torch.equal(my_mul(torch.nn.Parameter(x), x), x * x)
    own = x.as_subclass(Own)
    assert torch.equal(torch.Tensor(my_mul(own, own)), x * x)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_modes(my_mul, mode):
    x = torch.randn(5, requires_grad=True)
    with mode():
        out = my_mul(x, x)
    assert not out.requires_grad
    assert torch.equal(out, (x * x).detach())


def test_autocast_leaves_types_alone(my_mul):
    x = torch.randn(5)
    with torch.autocast("cpu"):
        assert my_mul(x, x).dtype == torch.float32


def test_two_outputs_and_attributes(products):
    x, y = torch.randn(100), torch.randn(100)
    product, square = products(x, y)
    assert torch.equal(product, x * y)
    assert torch.equal(square, x * x)
    square, product = products(x, y, swap=True, tile=16)
    assert torch.equal(product, x * y)
    assert torch.equal(square, x * x)


def test_operators_of_bascule_load_take_tensors(my_mul_path):
    my_mul = bascule.load(my_mul_path).my_mul
    x = torch.randn(5, requires_grad=True)
    my_mul(x, x).sum().backward()
    assert torch.equal(x.grad, 2 * x.detach())
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul(x, x, out=torch.empty(5))
    assert str(error.value) == (
        "my_mul: out= is for NumPy arrays, and the first input is a Tensor."
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda x: x.double(),
            "my_mul was called with x float64, y float32. It supports: float16, float16; float32, "
            "float32; bfloat16, bfloat16; int32, int32.",
        ),
        (
            lambda x: x.bfloat16(),
            "my_mul was called with x bfloat16, y float32. It supports: float16, float16; float32, "
            "float32; bfloat16, bfloat16; int32, int32.",
        ),
        (
            lambda x: x.to(torch.complex64),
            "my_mul: input 'x' is complex64, which no operator takes.",
        ),
        (
            lambda x: x.to(torch.float8_e5m2),
            "my_mul: input 'x' is of an element type unknown to bascule (DLPack code 12, 8 bits), "
            "which no operator takes.",
        ),
    ],
    ids=["float64", "bfloat16", "complex", "float8"],
)
def test_refused_types(my_mul, make, sentence):
    x = torch.ones(3)
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul(make(x), x)
    assert str(error.value) == sentence


def test_refused_shapes(my_mul):
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul(torch.ones(3, 5), torch.ones(3, 4))
    assert "x (3, 5), y (3, 4)" in str(error.value)


def test_other_tensors_are_refused(my_mul):
    x = torch.eye(3)
    with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor' for argument 'x'"):
        my_mul([1.0], x)
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul(None, x)
    assert str(error.value) == "my_mul: the input 'x' is required."


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (torch.Tensor.to_sparse, "a torch.sparse_coo tensor; operators take dense ones: pass x.to"),
        (torch.Tensor.to_sparse_csr, "a torch.sparse_csr tensor; operators take dense ones: pass "),
        (torch.Tensor.to_mkldnn, "a torch._mkldnn tensor; operators take dense ones: pass x.to_de"),
        (
            lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
            "a quantized tensor, which no operator takes: pass x.dequantize().",
        ),
        (
            lambda x: torch.nested.nested_tensor([x]),
            "a nested tensor; operators take dense ones: call them on its parts.",
        ),
    ],
    ids=["coo", "csr", "mkldnn", "quantized", "nested"],
)
def test_tensors_of_another_kind_are_refused(my_mul, make, reason):
    with pytest.raises(bascule.Unsupported) as error:
        my_mul(make(torch.eye(3)), make(torch.eye(3)))
    assert str(error.value).startswith(f"my_mul: input 'x' is {reason}")


def test_eight_threads(my_mul):
    wrong = []

    def work(seed):
        for length in (1, 17, 4096, 50001):
            x, y = maker(torch.float32, seed)(length), maker(torch.float32, seed + 100)(length)
            weight = x.clone().requires_grad_()
            for _ in range(10):
                (grad,) = torch.autograd.grad(my_mul(weight, y).sum(), weight)
                if not torch.equal(my_mul(x, y), x * y) or not torch.equal(grad, y):
                    wrong.append((seed, length))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
