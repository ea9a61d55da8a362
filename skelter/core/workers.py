"""Threads that work on a frame together: each calls a kernel once, and kernels share out chunks of characters."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from skelter.core.errors import ArgumentError

if TYPE_CHECKING:
    from skelter.core.vector_kernels import Work

VARIABLE = "SKELTER_THREADS"
THREAD_MAX = 1024
Call = Callable[[int], object]
T = TypeVar("T")
CHUNK = 64
"""Characters that a thread takes at a time."""
ALONE = 192
"""Up to this many characters are left to the caller: waking another thread would take as long."""


class _Helper:
    """A thread that waits for calls."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Call, int]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="skelter", daemon=True).start()

    def begin(self, call: Call, index: int) -> None:
        """Let the thread make a call."""
        self._calls.put((call, index))

    def end(self) -> BaseException | None:
        """Wait for the call; return what it raised."""
        return self._done.get()

    def _work(self) -> None:
        while True:
            call, index = self._calls.get()
            try:
                call(index)
            except BaseException as error:
                self._done.put(error)
            else:
                self._done.put(None)
            del call


_lock = threading.Lock()
_idle: list[_Helper] = []
"""Threads that have nothing to do; they wait for the next frame, whoever's it is."""


def _begin_anew() -> None:
    """Forget all threads, in a forked process, where there are none."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


class Workers:
    """The calling thread and others that help it; several threads of a program may have frames at once.

    Attributes:
        threads: How many threads work on a frame at most, the caller included.
    """

    def __init__(self, threads: int) -> None:
        if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= THREAD_MAX:
            raise ArgumentError(f"threads: expected a whole number from 1 to {THREAD_MAX}, got {threads!r}")
        self.threads = threads

    def run(self, call: Call, at_most: int | None = None) -> None:
        """Make a call in several threads at once, and wait for all of them.

        Args:
            call: Gets the number of its thread, from 0, which is the caller.
            at_most: Number of threads; None is all.

        Raises:
            BaseException: What the first of the calls raised.
        """
        helpers = _borrow(min(self.threads, at_most or self.threads) - 1)
        for index, helper in enumerate(helpers):
            helper.begin(call, index + 1)
        errors: list[BaseException | None] = []
        try:
            call(0)
        finally:
            errors = [_wait_for(helper) for helper in helpers]
            with _lock:
                _idle.extend(helpers)
        for error in errors:
            if error is not None:
                raise error

    def share(
        self,
        count: int,
        call: Callable[[Work, int], object],
        *,
        start: int = 0,
        chunk: int = CHUNK,
        alone: int = ALONE,
    ) -> None:
        """Let threads share the rows ``[start, start + count)`` of a kernel, by chunks that it takes from a `Work`.

        Args:
            count: Number of rows.
            call: Gets the work and the number of its thread, and calls the kernel once.
            start: First row.
            chunk: Rows in a chunk.
            alone: Up to this many rows are left to the caller.

        Raises:
            ArgumentError: The chunk is less than 1.
        """
        from skelter.core.vector_kernels import Work

        if chunk < 1:
            raise ArgumentError(f"chunk: expected at least 1, got {chunk}")
        size = min(chunk, max(count, 1))  # so that the kernel's sums stay within int64
        work = Work(np.zeros(1, np.int64), size, start, start + count)
        self.run(lambda thread: call(work, thread), 1 if count <= alone else -(-count // size))


@contextmanager
def lent(idle: list[T], make: Callable[[], T]) -> Iterator[T]:
    """Lend something to one thread at a time: one that is idle, or a new one."""
    try:
        thing = idle.pop()  # no other thread can get it now
    except IndexError:
        thing = make()
    yield thing
    idle.append(thing)


def _wait_for(helper: _Helper) -> BaseException | None:
    """Wait for a thread, also when somebody interrupts that: it still writes; return what is to be raised."""
    interruption: BaseException | None = None
    while True:
        try:
            error = helper.end()
        except KeyboardInterrupt as caught:
            interruption = caught
        else:
            return interruption or error


def _borrow(count: int) -> list[_Helper]:
    """Take idle threads, and make those that are missing."""
    with _lock:
        taken = _idle[len(_idle) - min(count, len(_idle)) :]
        del _idle[len(_idle) - len(taken) :]
    while len(taken) < count:
        try:
            taken.append(_Helper())
        except RuntimeError:  # the system has no more threads: fewer do the same work
            break
    return taken


_default: Workers | None = None


def default_workers() -> Workers:
    """Return the threads that everything uses: as many as `set_threads` or SKELTER_THREADS say, or the cores."""
    global _default
    if _default is None:
        _default = Workers(_thread_count())
    return _default


def set_threads(count: int) -> None:
    """Set how many threads pose and advance crowds; results do not depend on it.

    Raises:
        ArgumentError: It is no whole number from 1 to 1024.
    """
    global _default
    _default = Workers(count)


def _thread_count() -> int:
    text = os.environ.get(VARIABLE)
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdecimal() or not 1 <= int(text) <= THREAD_MAX:
        raise ArgumentError(f"{VARIABLE}: expected a whole number from 1 to {THREAD_MAX}, got {text!r}")
    return int(text)
