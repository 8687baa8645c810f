"""The command line: parse, call, print.

Heavy packages are imported by the commands that need them, so that `zeromass --help` comes at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from zeromass.cli import describe, figures, new, papers, run, schema, show, sweep
from zeromass.cli.app import app
from zeromass.cli.console import Exit, nothing_more, said

if TYPE_CHECKING:
    from zeromass.papers import Results

__all__ = ["app", "describe", "figures", "main", "new", "papers", "report", "results", "run", "schema", "show", "sweep"]


def results() -> Results:
    """All that the papers compute."""
    from zeromass.papers import results

    return results()


def report(path: Any, found: Results) -> list[Any]:
    """Writes the page about the papers, with figures."""
    from zeromass.cli.files import use_matplotlib
    from zeromass.papers import report

    use_matplotlib()
    return list(report(path, found))


def main() -> None:
    """The `zeromass` command."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    _ended_like_interrupted()
    try:
        app()
    except SystemExit as end:
        why = end.__context__  # Typer's own answers, before a command has begun, are an exit code and no word
        if isinstance(why, OSError) and why.errno == errno.EPIPE:
            nothing_more()
            raise SystemExit(int(Exit.FILES)) from None
        if why is not None and isinstance(why.__cause__, KeyboardInterrupt):
            said("interrupted", "by the user")
        raise
    except KeyboardInterrupt:
        said("interrupted", "by the user")
        raise SystemExit(int(Exit.INTERRUPTED)) from None
    except OSError as error:  # of what is printed: all else is told by the command
        said("input/output", error.strerror or str(error))
        nothing_more()
        raise SystemExit(int(Exit.FILES)) from None
    finally:
        _leave_writers()


def _leave_writers() -> None:
    """Ends the process at once where a thread still makes a file that is not wanted any more: it would be waited for."""
    writing = sys.modules.get("zeromass.report.writing")
    if writing is not None and writing.abandoned():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(ValueError, OSError):
                stream.flush()
        os._exit(int(Exit.INTERRUPTED))


def _ended_like_interrupted() -> None:
    """Who ends a process, or closes its terminal, wants what there is, as who interrupts it does."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        with contextlib.suppress(ValueError):  # not in the main thread
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, signal.default_int_handler)
