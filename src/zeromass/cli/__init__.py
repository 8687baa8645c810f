"""The command line: parse, call, print.

Heavy packages are imported by the commands that need them, so that `zeromass --help` comes at once.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from zeromass.cli import describe, new, papers, run, schema, show, sweep
from zeromass.cli.app import app

if TYPE_CHECKING:
    from zeromass.papers import Results

__all__ = ["app", "describe", "main", "new", "papers", "report", "results", "run", "schema", "show", "sweep"]


def results() -> Results:
    """All that the papers compute."""
    from zeromass.papers import results

    return results()


def report(path: Any, found: Results) -> list[Any]:
    """Writes the page about the papers, with figures."""
    from zeromass.papers import report

    return list(report(path, found))


def main() -> None:
    """The `zeromass` command."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    app()
