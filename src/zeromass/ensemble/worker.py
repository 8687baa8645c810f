"""A process of a study on several cores: reads what to do, then starts of members, and writes what is kept of them."""

from __future__ import annotations

import os
import pickle
import sys


def main() -> None:
    """Serves chunks until there is nothing more to read."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes elsewhere
    asked = sys.stdin.buffer
    from zeromass.expression.packing import unpacked

    work = unpacked(pickle.load(asked))
    while True:
        try:
            starts = pickle.load(asked)
        except EOFError:
            return
        pickle.dump(work.safely(starts), answers)
        answers.flush()


if __name__ == "__main__":
    main()
