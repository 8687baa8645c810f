"""Where Python looks for modules: not in the current folder, which may be a download of somebody else's.

Python puts the current folder before the standard library for `python -m`, and for an empty or relative entry of PYTHONPATH;
a file such as queue.py there is then imported instead of the module that was meant. The command line and the processes of a
study do without that folder. An absolute entry of PYTHONPATH is the user's own choice and stays.

`import zeromass` imports this first, and it imports nothing that Python has not loaded when it starts.
"""

from __future__ import annotations

import os
import sys

HOME: str = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder that zeromass is installed in; last in the path of a process that might not find it otherwise."""


def without_current_folder(path: list[str]) -> tuple[list[str], list[str]]:
    """A search path without entries that stand for the current folder, and these entries as absolute paths.

    Such an entry stays where it comes after the standard library: it is then a folder of the installation.
    """
    here = _current_folder()
    library = _resolved(os.path.dirname(os.__file__))
    chosen = {_resolved(one) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(one)}
    kept: list[str] = []
    dropped: list[str] = []
    installed = False
    for entry in path:
        where = _resolved(entry) if entry else here
        installed = installed or where == library
        relative = not os.path.isabs(entry)
        if relative or (where == here and not installed and where not in chosen):
            dropped.append(where)
        else:
            kept.append(entry)
    return kept, dropped


def is_command() -> bool:
    """Whether this process is the command `zeromass`, or `python -m zeromass`, which loads the package before `__main__`."""
    name, words = sys.argv[0] if sys.argv else "", sys.orig_argv
    if name == "-m":
        return any(word == "-mzeromass" or words[k : k + 2] == ["-m", "zeromass"] for k, word in enumerate(words))
    return os.path.basename(name) in ("zeromass", "zeromass.exe", "zeromass-script.py")


def _current_folder() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except OSError:  # it has been removed
        return ""


def _resolved(path: str) -> str:
    return os.path.realpath(path)


if is_command():
    sys.path[:], _ = without_current_folder(sys.path)
