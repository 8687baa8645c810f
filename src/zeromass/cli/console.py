"""What commands print, how they fail, and with which exit code."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from zeromass.errors import ZeromassError


class Exit(IntEnum):
    """The exit codes of every command."""

    OK = 0
    DEFECT = 1
    INVALID = 2
    STOPPED = 3
    DOUBTFUL = 4
    FILES = 5
    INTERRUPTED = 130


class UsageError(ZeromassError, ValueError):
    """What was asked for can not be done; the message says what can."""


def out(width: int = 100) -> Console:
    """The console for results; as wide as given where it is no terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=width)


def err() -> Console:
    """The console for messages and progress."""
    return Console(stderr=True)


def said(kind: str, message: str) -> None:
    """What went wrong, in one line, where there is somebody to tell."""
    with contextlib.suppress(OSError):
        err().print(f"[bold red]{kind}[/bold red]: {escape(message)}", highlight=False, soft_wrap=True)


def nothing_more() -> None:
    """What is printed from now on goes nowhere, for nobody takes it: so that the flush at exit succeeds."""
    with contextlib.suppress(AttributeError, ValueError, OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Says on a terminal what is being done, while it is done."""
    console = err()
    with console.status(what) if console.is_terminal else contextlib.nullcontext():
        yield


def note(message: str) -> None:
    """A message beside the result."""
    err().print(escape(message), style="yellow", highlight=False, soft_wrap=True)


def print_json(data: Mapping[str, Any]) -> None:
    """The result as JSON, without NaN and infinities, which JSON does not have: they become null."""
    sys.stdout.write(json.dumps(_plain(data), indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def _plain(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    if isinstance(data, bool | str | None):
        return data
    if isinstance(data, Path):
        return str(data)
    number = float(data)
    if isinstance(data, int) or not math.isfinite(number):
        return data if isinstance(data, int) else None
    return number


def _place(error: BaseException, message: str) -> dict[str, Any]:
    """What is wrong, and where."""
    place = {key: getattr(error, key, None) or None for key in ("file", "line", "key", "column")}
    return {"message": getattr(error, "message", message), **place}


@contextmanager
def reporting(command: str, *, as_json: bool, debug: bool) -> Iterator[None]:
    """Turns what goes wrong inside into one message and an exit code."""
    from zeromass.scenario.errors import ScenarioError

    def fail(kind: str, error: BaseException, code: Exit, words: str = "") -> NoReturn:
        if debug:
            traceback.print_exc()
        message = words or str(error) or type(error).__name__
        said(kind, message)
        if as_json:
            problem = {"kind": kind, **_place(error, message)}
            more = [_place(other, str(other)) for other in getattr(error, "others", ())]
            try:
                print_json({"command": command, "exit_code": int(code), "error": {**problem, "more": more}})
            except OSError:
                nothing_more()
        raise typer.Exit(int(code)) from None

    try:
        yield
    except typer.Exit:
        raise
    except KeyboardInterrupt as error:
        fail("interrupted", error, Exit.INTERRUPTED, "by the user")
    except ScenarioError as error:
        fail("invalid scenario", error, Exit.INVALID)
    except BrokenPipeError:
        nothing_more()
        raise typer.Exit(int(Exit.FILES)) from None
    except OSError as error:
        named = f"'{error.filename}': {error.strerror}" if error.filename and error.strerror else ""
        fail("input/output", error, Exit.FILES, named)
    except ZeromassError as error:
        fail("error", error, Exit.INVALID)
    except Exception as error:
        words = (
            f"{type(error).__name__}: {' '.join(str(error).split())}; please report it, with --debug for the details"
        )
        fail("a defect of zeromass", error, Exit.DEFECT, words)
