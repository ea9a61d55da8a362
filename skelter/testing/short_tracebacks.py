"""Short tracebacks: an error of a scenario points at the line of the test, not at the source of skelter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from skelter.core.errors import SkelterError

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


def short_tracebacks(cls: C) -> C:
    """Let failed assertions and wrong arguments of the public methods of a class end at their callers."""
    for name, member in list(vars(cls).items()):
        if inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, _ending_at_caller(member))
    return cls


def _ending_at_caller(method: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # pytest leaves this frame out, and those below are cut off
        try:
            return method(*args, **kwargs)
        except (AssertionError, SkelterError) as error:
            raise error.with_traceback(None) from None

    return call
