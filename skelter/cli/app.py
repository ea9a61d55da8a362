"""The command line. Each command is a thin call of library functions.

Exit codes: 0 good, 1 our bug, 2 the user's mistake or a bad file, 130 interrupted. Commands import the library inside
their bodies, so that ``skelter --help`` loads neither NumPy nor Numba nor wgpu.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer

from skelter import __version__
from skelter.cli.bake import bake
from skelter.cli.bench import bench
from skelter.cli.demo import demo
from skelter.cli.doctor import doctor
from skelter.cli.explain import explain
from skelter.cli.export import export
from skelter.cli.inspect import inspect
from skelter.cli.lint import lint
from skelter.cli.render import render
from skelter.cli.trace import trace
from skelter.core.errors import SkelterError, SkelterWarning

OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""How writing to stdout fails; files that we write ourselves are named in the error."""

app = typer.Typer(
    name="skelter", rich_markup_mode=None, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)
for _command in (demo, inspect, bake, render, trace, explain, lint, export, bench, doctor):
    app.command()(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Skeletal animation for crowds: glTF characters in, poses, skinning matrices and pictures out."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave the process with its exit code.

    Args:
        arguments: Command and its arguments; None for those of the process.
    """
    warnings.showwarning = _show_warning
    try:
        app(list(arguments) if arguments is not None else None)
    except SkelterError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        if error.filename is not None or error.errno not in OUTPUT_ERRORS:
            _confess()
        # what is left in the buffer would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        typer.echo(f"error: the result cannot be written: {error.strerror}", err=True)
        sys.exit(2)
    except Exception:
        _confess()


def _confess() -> NoReturn:
    """Show the exception that is being handled, which is our bug, and exit."""
    traceback.print_exc()
    typer.echo("This is a bug in skelter. Please report the lines above and what `skelter doctor` prints.", err=True)
    sys.exit(1)


def _show_warning(message: Warning | str, category: type[Warning], *_place: Any, **_options: Any) -> None:
    """Show our own warnings in one line, without the place in the source; leave out those meant for programmers."""
    if issubclass(category, SkelterWarning):
        typer.echo(f"warning: {message}", err=True)
