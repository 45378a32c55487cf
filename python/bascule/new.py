# SPDX-License-Identifier: Apache-2.0
"""`bascule new`: a complete operator project to start from.

The folder template/ holds one, called new_operator; a project is that with the name replaced.
"""

import ctypes
import ctypes.util
import keyword
import re
from pathlib import Path

from bascule.errors import InvalidArgument

__all__ = ["check_name", "class_name", "make_project", "snake_case"]

TEMPLATE = Path(__file__).parent / "template"

# Of C++, where Python has no such keyword.
_CPP_KEYWORDS = """
alignas alignof asm auto bool case catch char class const constexpr const_cast decltype
default delete do double dynamic_cast enum explicit export extern false float friend goto
inline int long mutable namespace new noexcept nullptr operator private protected public
register reinterpret_cast short signed sizeof static static_assert static_cast struct
switch template this thread_local throw true typedef typeid typename union unsigned using
virtual void volatile wchar_t
and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq
char8_t char16_t char32_t co_await co_return co_yield concept consteval constinit requires
"""

# Types that kernels know, of which no function has the name.
_TYPES = """
half bfloat16_t int4b_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t
"""


def class_name(name: str) -> str:
    """The class of an operator: MyMul for my_mul."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def snake_case(text: str) -> str:
    """The operator's name for a class, by the toolkit's rule: my_mul for MyMul."""
    text = re.sub(r"(?<=[^A-Z_])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text)
    return text.lower()


def check_name(name: str) -> None:
    """Raises InvalidArgument, with what would be right, unless an operator may be called that."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    proper = snake_case(class_name(snake_case(re.sub(r"^[0-9_]+", "", words))))
    if not name or name != proper:
        hint = f"; {proper} would be" if proper else ""
        raise InvalidArgument(
            f"'{name}' is no name for an operator{hint}. It is lower-case words with an underscore "
            "between them, each beginning with a letter: the class in op_host is called "
            f"{class_name(proper) or 'MyMul'}, and its snake case has to be the name."
        )
    if keyword.iskeyword(name) or name in _CPP_KEYWORDS.split():
        language = "Python" if keyword.iskeyword(name) else "C++"
        raise InvalidArgument(
            f"'{name}' is a keyword of {language}; my_{name} would be a name for an operator."
        )
    if name in _TYPES.split():
        raise InvalidArgument(
            f"'{name}' is a type of Ascend C; my_{name} would be a name for an operator."
        )
    if _in_c_library(name):
        raise InvalidArgument(
            f"'{name}' is a function of the C library, and an operator's library exports a "
            f"function of the operator's name; my_{name} would be a name for an operator."
        )


def _in_c_library(name: str) -> bool:
    if name == "main":
        return True
    for library in ("c", "m"):
        found = ctypes.util.find_library(library)
        if found is not None and hasattr(ctypes.CDLL(found), name):
            return True
    return False


def make_project(name: str, folder: Path) -> list[Path]:
    """Writes the project of an operator called `name` to `folder`; returns the files.

    Refuses a name that is no good, and a folder that holds anything.
    """
    check_name(name)
    if folder.exists():
        if not folder.is_dir():
            raise InvalidArgument(
                f"{folder} exists and is no folder; choose another name or place."
            )
        if any(folder.iterdir()):
            raise InvalidArgument(
                f"the folder {folder} exists and is not empty; choose another name, or remove it."
            )
    written = []
    for source in sorted(TEMPLATE.rglob("*")):
        if not source.is_file() or "__pycache__" in source.parts:
            continue
        relative = str(source.relative_to(TEMPLATE)).replace("new_operator", name)
        # A file of that very name would count in this package's own repository.
        target = folder / (".gitignore" if relative == "gitignore" else relative)
        text = source.read_text(encoding="utf-8")
        text = text.replace("new_operator", name).replace("NewOperator", class_name(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written
