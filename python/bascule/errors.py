# SPDX-License-Identifier: Apache-2.0
"""The exceptions of bascule: one class per status of the C ABI, each also one of Python's own.

    try:
        lib.my_mul(x, y)
    except bascule.InvalidArgument as error:  # also a ValueError
        print(error)  # a sentence: what was called, what was expected, what came

Nothing here imports the runtime.
"""

__all__ = [
    "BadLibrary",
    "BuildError",
    "CheckFailed",
    "Deadlock",
    "Error",
    "GradientError",
    "InternalError",
    "InvalidArgument",
    "KernelError",
    "NotFound",
    "OperatorNotFound",
    "OutOfMemory",
    "Unsupported",
    "VersionMismatch",
]


class Error(Exception):
    """Any failure that bascule reports."""


class InvalidArgument(Error, ValueError):
    """Something was passed that cannot be used: a shape, an element type, a count, a value."""


class GradientError(InvalidArgument):
    """A bprop broke the rule for gradients; bascule.gradient states it."""


class NotFound(Error, LookupError):
    """A file, library, operator or symbol does not exist."""


class OperatorNotFound(NotFound, AttributeError):
    """A library has no operator of that name; the message lists those it has."""


class Unsupported(Error, NotImplementedError):
    """Known, and not available in this version."""


class KernelError(Error, RuntimeError):
    """The kernel did something the hardware would not survive."""


class Deadlock(Error, RuntimeError):
    """A wait in a kernel can never end."""


class BuildError(Error, RuntimeError):
    """Compiler, linker or project layout. `report` holds the build's report, JSON text."""

    report = "{}"


class BadLibrary(Error, OSError):
    """A file is not, or is a damaged, operator library."""


class VersionMismatch(Error, RuntimeError):
    """Built for another version of bascule."""


class OutOfMemory(Error, MemoryError):
    """Memory ran out."""


class CheckFailed(Error, AssertionError):
    """An operator or a gradient is wrong, or could not be judged. `report` says more."""

    def __init__(self, text: str, report: object = None):
        super().__init__(text)
        self.report = report


class InternalError(Error, RuntimeError):
    """A fault of bascule itself."""


# By BasculeStatus of include/bascule/abi/types.h.
BY_STATUS = {
    1: InvalidArgument,
    2: NotFound,
    3: Unsupported,
    4: KernelError,
    5: Deadlock,
    6: BuildError,
    7: BadLibrary,
    8: VersionMismatch,
    9: OutOfMemory,
    10: InternalError,
}
