# SPDX-License-Identifier: Apache-2.0
"""Functions made from text, in a form that MindSpore's GRAPH mode can read.

GRAPH mode does not run a gradient function: it parses its source, which it asks `inspect` for, and
looks names up in the module that the function says it belongs to. So the text has to be in
`linecache` and the module in `sys.modules`. When something is raised it also looks for the file and
prints a line of its own for every step of the trace that has none: the text is a real file, in a
folder that goes with the process.
"""

import ast
import atexit
import functools
import inspect
import itertools
import linecache
import shutil
import sys
import tempfile
import types
from pathlib import Path
from typing import Any, Callable, Optional

_numbers = itertools.count()


def define(name: str, text: str, names: dict[str, Any], graph_text: Optional[str] = None):
    """The function `name` of `text`, run in a module of its own that also holds `names`.

    `graph_text` is what GRAPH mode reads instead of `text`, which then only PYNATIVE mode runs.
    """
    module = types.ModuleType(f"bascule_generated.{name}_{next(_numbers)}")
    module.__dict__.update(names)
    _run(module.__name__, text, module.__dict__, graph_text)
    sys.modules[module.__name__] = module
    return module.__dict__[name]


def readable(function: Callable, name: str) -> Optional[Callable]:
    """`function` if its source can be read, a `def` called `name` for a lambda, or None.

    MindSpore's own reader of lambdas fails on one that stands inside a call.
    """
    if not isinstance(function, (types.FunctionType, types.MethodType)):
        return None
    try:
        inspect.getsource(function)
        if function.__name__ != "<lambda>":
            return function
        return _def_of_lambda(function, name)
    except (OSError, TypeError, SyntaxError):
        return None


@functools.cache
def _folder() -> Path:
    folder = tempfile.mkdtemp(prefix="bascule-mindspore-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _run(module: str, text: str, names: dict, graph_text: Optional[str] = None) -> None:
    shown = text if graph_text is None else graph_text
    file = str(_folder() / f"{module}.py")
    Path(file).write_text(shown, encoding="utf-8")
    linecache.cache[file] = (len(shown), None, shown.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)


def _def_of_lambda(function: types.FunctionType, name: str) -> Optional[Callable]:
    node = _node_of_lambda(function)
    if node is None:
        return None
    text = f"def {name}({ast.unparse(node.args)}):\n    return {ast.unparse(node.body)}\n"
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    made: dict[str, Any] = {}
    if cells:
        # Only inside another function does the text refer to cells rather than globals.
        inner = "".join("    " + line for line in text.splitlines(keepends=True))
        text = f"def outer({', '.join(cells)}):\n{inner}    return {name}\n"
        _run(f"bascule_generated.{name}_{next(_numbers)}", text, made)
        code = made["outer"](*(None for _ in cells)).__code__
    else:
        _run(f"bascule_generated.{name}_{next(_numbers)}", text, made)
        code = made[name].__code__
    closure = tuple(cells[cell] for cell in code.co_freevars)
    result = types.FunctionType(code, function.__globals__, name, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__module__ = function.__module__
    return result


def _node_of_lambda(function: types.FunctionType) -> Optional[ast.Lambda]:
    """The lambda expression that `function` was made from, None where several fit."""
    lines, _ = inspect.findsource(function)
    code = function.__code__
    parameters = code.co_varnames[: code.co_argcount]
    nodes = [
        node
        for node in ast.walk(ast.parse("".join(lines)))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and tuple(p.arg for p in node.args.posonlyargs + node.args.args) == parameters
    ]
    if len(nodes) > 1 and hasattr(code, "co_positions"):
        spans = [span for span in code.co_positions() if None not in span and span[2] != span[3]]
        nodes = [node for node in nodes if all(_holds(node, span) for span in spans)]
    return nodes[0] if len(nodes) == 1 else None


def _holds(node: ast.Lambda, span: tuple[int, int, int, int]) -> bool:
    line, end_line, column, end_column = span
    return (node.body.lineno, node.body.col_offset) <= (line, column) and (
        end_line,
        end_column,
    ) <= (node.body.end_lineno, node.body.end_col_offset)
