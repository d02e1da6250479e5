"""What can go wrong: an exception for each kind of error, with the line that the program prints.

>>> import fgnn
>>> try:
...     fgnn.map(fgnn.FactorGraph(), method="ad4")
... except fgnn.UsageError as error:
...     print(error)  # doctest: +ELLIPSIS
method 'ad4': there is no such method for 'map'; did you mean 'ad3'? known are auto, ...

The parts of the line are attributes: `subject` names the place, `hint` says what to do.
"""
from fgnn import _core


class Error(Exception):
    """What all of the library's own errors are."""

    code = ""
    subject = ""
    hint = ""


class InternalError(Error, RuntimeError):
    """A bug in fgnn."""


class UsageError(Error, ValueError):
    """A wrong option or argument."""


class FileError(Error, OSError):
    """A file that cannot be opened, read or written."""


class FormatError(Error, ValueError):
    """A malformed file; the message names line and column."""


class ModelError(Error, ValueError):
    """A graph, potential or evidence that makes no sense."""


class InfeasibleError(Error):
    """Every assignment is forbidden."""


class TooLargeError(Error, MemoryError):
    """More memory than there is or than is allowed."""


class UnsupportedError(Error, NotImplementedError):
    """A method or format that cannot do this."""


class TimeLimitError(Error, TimeoutError):
    """No answer within the time given."""


class TooWideError(TooLargeError):
    """Exact elimination would need more memory than allowed."""


class StoppedError(Error):
    """Asked to stop before there was an answer, by a `progress` that returned False."""


_core.set_errors({
    "internal": InternalError, "usage": UsageError, "io": FileError, "format": FormatError,
    "model": ModelError, "infeasible": InfeasibleError, "too_large": TooLargeError,
    "unsupported": UnsupportedError, "time_limit": TimeLimitError, "too_wide": TooWideError,
    "interrupted": StoppedError})
