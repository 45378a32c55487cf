# SPDX-License-Identifier: Apache-2.0
"""torch's opcheck and gradcheck for every operator in operators/, on cases that `check` makes."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

import bascule
import bascule.torch
from bascule import _native
from bascule.check_arrays import make_inputs
from bascule.check_frameworks import complete_attributes
from bascule.check_reference import Reference, dtypes_of
from bascule.lists import grouped
from bascule.torch.check import from_array, is_floating

FOLDER = Path(__file__).resolve().parents[3] / "operators"
PROJECTS = sorted(path.parent.name for path in FOLDER.glob("*/op_host"))


def small_cases(operator):
    """Ordinary dense cases of a few elements, the operator's own first, that it takes."""
    reference = Reference.of_schema(operator.schema, operator.source)
    # Without a reference nobody says what it takes: an image beside the usual shapes.
    image = [{"shapes": [(2, 3, 4, 5)] * len(operator.inputs)}]
    own = reference.own_cases() if reference is not None else image
    options = json.dumps({"cases": own})
    for case in json.loads(_native.check_cases(json.dumps(operator.schema), options)):
        shapes = [i["shape"] for i in case["inputs"] if i["shape"] is not None]
        size = sum(int(np.prod(shape)) for shape in shapes)
        layouts = {i["layout"] for i in case["inputs"]}
        if case["values"] != "range" or layouts != {"dense"} or not 1 < size <= 300:
            continue
        pairs = [None if i["shape"] is None else (i["shape"], i["dtype"]) for i in case["inputs"]]
        try:
            operator.infer(*grouped(pairs, case["counts"]), **case["attributes"])
            arrays = grouped(make_inputs(case), case["counts"])
            operator.run_arrays(*arrays, **case["attributes"])
        except bascule.Error:
            continue
        yield case


@pytest.fixture(params=PROJECTS)
def library(request, built):
    path = built(f"operators/{request.param}")
    return bascule.load(path), bascule.torch.load(path)


def test_opcheck(library):
    operators, overloads = library
    for operator in operators:
        overload = getattr(overloads, operator.name)
        differentiable = operator.gradient.kind != "none"
        done = set()
        for case in small_cases(operator):
            if case["dtype"] in done:
                continue
            done.add(case["dtype"])
            inputs = [from_array(array) for array in make_inputs(case)]
            inputs = [
                value.requires_grad_() if differentiable and is_floating(value) else value
                for value in inputs
            ]
            arguments = tuple(grouped(inputs, case["counts"]))
            results = torch.library.opcheck(overload, arguments, case["attributes"])
            assert set(results.values()) == {"SUCCESS"}, case["name"]
        assert done, f"no case of {operator.name} is small enough"


class ByReference(torch.autograd.Function):
    """Forward by the float64 reference, backward by the operator in its own precision."""

    @staticmethod
    def forward(ctx, reference, call, *inputs):
        ctx.call = call
        ctx.save_for_backward(*inputs)
        floats = [
            value.detach().numpy() if value is not None and value.requires_grad else None
            for value in inputs
        ]
        results = tuple(torch.from_numpy(np.array(result)) for result in reference(floats))
        return results if len(results) > 1 else results[0]

    @staticmethod
    def backward(ctx, *douts):
        inputs = [
            value.float().requires_grad_() if is_floating(value) else value
            for value in (v if v is None else v.detach() for v in ctx.saved_tensors)
        ]
        with torch.enable_grad():
            outputs = ctx.call(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [(o, d.float()) for o, d in zip(outputs, douts) if o.requires_grad]
        wanted = [value for value in inputs if is_floating(value)]
        got = iter(
            torch.autograd.grad(
                [o for o, _ in pairs], wanted, [d for _, d in pairs], allow_unused=True
            )
        )
        gradients = [next(got) if is_floating(value) else None for value in inputs]
        return None, None, *[None if g is None else g.double() for g in gradients]


def test_gradcheck(library):
    """No operator takes float64: torch's gradcheck differentiates the reference."""
    operators, overloads = library
    checked = 0
    for operator in operators:
        reference = Reference.of_schema(operator.schema, operator.source)
        if operator.gradient.kind == "none" or reference is None:
            continue
        overload = getattr(overloads, operator.name)
        cases = (c for c in small_cases(operator) if re.match("float32", c["dtype"]))
        for case, _ in zip((c for c in cases if c["gradient"]), range(3)):
            arrays = make_inputs(case)
            attributes = complete_attributes(operator, case["attributes"])
            pairs = [None if a is None else (a.shape, a.dtype.name) for a in arrays]
            infos = [
                (shape, "float64" if dtype == "float32" else dtype)
                for shape, dtype in operator.infer(
                    *grouped(pairs, case["counts"]), **case["attributes"]
                )
            ]
            wide = [
                a.astype(np.float64) if a is not None and a.dtype.kind == "f" else a for a in arrays
            ]
            dtypes = dtypes_of(arrays, case["counts"])
            function = reference.bound(wide, attributes, infos, case["counts"], dtypes)
            inputs = [from_array(a) for a in wide]
            inputs = [v.requires_grad_() if is_floating(v) else v for v in inputs]
            assert torch.autograd.gradcheck(
                lambda *given, f=function, case=case, overload=overload: ByReference.apply(
                    f,
                    lambda *values: overload(
                        *grouped(values, case["counts"]), **case["attributes"]
                    ),
                    *given,
                ),
                inputs,
                eps=1e-5,  # inputs may be as small as 0.01
                atol=1e-3,
                rtol=1e-3,
                nondet_tol=1e-6,
            ), case["name"]
            checked += 1
    differentiable = [op for op in operators if op.gradient.kind != "none"]
    assert checked or not differentiable, "nothing was checked"
