"""Decisions that elimination takes by looking at numbers, apart from what it does with them.

Elimination asks questions about one state: is this entry a good pivot, which rows are independent? The answers are its
pivots. They follow from the state alone, and what is derived follows from the answers alone. Those of earlier states are
kept as a tree: another state that gives the same answers leads to what was derived before, for the price of the numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from zeromass.expression import Expression, Symbol, symbols
from zeromass.expression.build import ZERO
from zeromass.expression.evaluate import Sparse, Tape, step
from zeromass.expression.node import undisturbed

Matrix = tuple[tuple[Expression, ...], ...]
"""Rows of expressions, as part of a question."""


class Frozen(NamedTuple):
    """A matrix without its zeros, as part of a question: rows of (column, entry), columns ascending."""

    rows: tuple[tuple[tuple[int, Expression], ...], ...]
    columns: int

    def picked(self, rows: Iterable[int]) -> Frozen:
        """Some of its rows."""
        return Frozen(tuple(self.rows[i] for i in rows), self.columns)


Answer = TypeVar("Answer", bound=Hashable)
Result = TypeVar("Result")


def frozen(matrix: Frozen | Sparse | Sequence[Sequence[Expression]]) -> Frozen:
    """A matrix as it stands in a question."""
    if isinstance(matrix, Frozen):
        return matrix
    matrix = Sparse.of(matrix)
    return Frozen(tuple(tuple(row.items()) for row in matrix.rows), matrix.columns)


class Samples:
    """Numbers of expressions at some inputs, symbols and their values; each node is evaluated once.

    key  the bits of the values
    """

    def __init__(self, inputs: Sequence[Expression], values: Sequence[float] | np.ndarray) -> None:
        self.inputs: Sequence[Expression] = inputs
        self.values: np.ndarray = np.asarray(values, dtype=float)
        self.key: bytes = self.values.tobytes()
        self._foreseen: dict[int, np.ndarray] = {}

    @cached_property
    def _known(self) -> dict[Expression, Any]:
        # elements of an array are several times as fast as arrays of one
        return dict(zip(self.inputs, self.values, strict=True))

    def __call__(self, e: Expression) -> float:
        """The value of one expression."""
        if e not in self._known:
            with np.errstate(all="ignore"):
                self._evaluate(e)
        return self._known[e]

    def _evaluate(self, e: Expression) -> None:
        known, stack = self._known, [e]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
            elif node.value is not None:
                known[node] = np.float64(node.value)
            elif isinstance(node, Symbol):
                raise KeyError(f"no sample of '{node!r}'")
            else:
                missing = [a for a in node.args if a not in known]
                if missing:
                    stack.extend(missing)
                else:
                    operation, operands = step(node)
                    known[node] = operation(*[known[a] for a in operands])

    def foresee(self, foresight: Foresight) -> None:
        """Evaluates all that questions will look at; the numbers are the same."""
        self._foreseen = foresight.numbers(self.values)

    def matrix(self, rows: Matrix | Frozen) -> np.ndarray:
        """Values of a rectangular arrangement of expressions, shape (rows, columns)."""
        foreseen = self._foreseen.get(id(rows))
        if foreseen is not None:
            return foreseen
        result = np.zeros(_shape(rows))
        for i, j, e in _entries(rows):
            if e is not ZERO:
                result[i, j] = self(e)
        return result


def _shape(rows: Matrix | Frozen) -> tuple[int, int]:
    if isinstance(rows, Frozen):
        return len(rows.rows), rows.columns
    return len(rows), len(rows[0]) if rows else 0


def _entries(rows: Matrix | Frozen) -> Iterator[tuple[int, int, Expression]]:
    """Row, column and expression of each entry, but for zeros of a sparse matrix."""
    if isinstance(rows, Frozen):
        return ((i, j, e) for i, row in enumerate(rows.rows) for j, e in row)
    return ((i, j, e) for i, row in enumerate(rows) for j, e in enumerate(row))


class Foresight:
    """All that some questions look at, as one tape and the places of their matrices on it."""

    def __init__(self, questions: Iterable[Question[Any]], inputs: Sequence[Expression]) -> None:
        self._matrices = [rows for question in questions for rows in question.matrices if all(_shape(rows))]
        entries = [list(_entries(rows)) for rows in self._matrices]
        self._tape = Tape([e for those in entries for _, _, e in those], inputs)
        self._places = []
        for rows, those in zip(self._matrices, entries, strict=True):
            places = np.full(_shape(rows), -1, dtype=np.intp)  # a zero stands behind the tape
            for i, j, e in those:
                places[i, j] = self._tape.place[e]
            self._places.append(places)

    def numbers(self, values: np.ndarray) -> dict[int, np.ndarray]:
        """The numbers of each matrix, by the identity of its rows."""
        tape = np.fromiter([*self._tape(values), 0.0], dtype=float)
        return {id(rows): tape[places] for rows, places in zip(self._matrices, self._places, strict=True)}


class Question(ABC, Generic[Answer]):
    """A question about numbers at a state; two about the same things, expressions among them, are the same question."""

    def __init__(self, *about: Hashable) -> None:
        self._about = about

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Question) and other._about == self._about

    def __hash__(self) -> int:
        return hash((type(self), self._about))

    @property
    def settled(self) -> bool:
        """Whether the answer is the same at every state."""
        return False

    @property
    @abstractmethod
    def matrices(self) -> tuple[Matrix | Frozen, ...]:
        """What it looks at, as it hands it to `Samples.matrix`."""

    @abstractmethod
    def answer(self, samples: Samples) -> Answer:
        """What the numbers at a state say."""


class Decisions:
    """Answers at one state, each question asked once; `taken` lists those that another state may answer otherwise."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        self.taken: dict[Question[Any], Any] = {}

    def __call__(self, question: Question[Answer]) -> Answer:
        if question.settled:
            return question.answer(self._samples)
        if question not in self.taken:
            self.taken[question] = question.answer(self._samples)
        return self.taken[question]


@dataclass
class _Fork(Generic[Result]):
    """A question, and where each answer to it leads: to the next one, or to what was derived in the end."""

    question: Question[Any]
    ways: dict[Hashable, _Fork[Result] | Result] = field(default_factory=dict)


def _path_to(result: Any, ways: dict[Hashable, Any]) -> list[Question[Any]]:
    """The questions that lead to a result."""
    waiting: list[tuple[list[Question[Any]], Any]] = [([], place) for place in ways.values()]
    while waiting:
        path, place = waiting.pop()
        if isinstance(place, _Fork):
            waiting.extend(([*path, place.question], ahead) for ahead in place.ways.values())
        elif place is result:
            return path
    raise KeyError("this result was not derived here")


class Tree(Generic[Result]):
    """What was derived by earlier decisions.

    Elimination asks its next question because of the answers before it: a path of the tree is one derivation.
    """

    RECENT = 1024
    """States whose result is known at once when they come again."""

    def __init__(self) -> None:
        self._root: dict[Hashable, _Fork[Result] | Result] = {}
        self._recent: dict[bytes, Result] = {}
        self._foresight: Foresight | None = None
        self._promised: list[Callable[[], None]] = []

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Result]:
        waiting = list(self._root.values())
        while waiting:
            place = waiting.pop()
            if isinstance(place, _Fork):
                waiting.extend(place.ways.values())
            else:
                yield place

    @property
    def empty(self) -> bool:
        """Whether nothing was derived or promised yet."""
        return not self._root and not self._recent

    def promise(self, samples: Samples, result: Result, fulfil: Callable[[], None]) -> Result:
        """Takes a result for a state whose derivation may come later, or never: `fulfil` does it, see `take`."""
        self._promised.append(fulfil)
        return self._recent.setdefault(samples.key, result)

    def take(self, decisions: Decisions, result: Result) -> None:
        """Takes what was promised, and has now been derived."""
        self._kept(decisions, result)

    def at(self, samples: Samples, derive: Callable[[Decisions], Result]) -> Result:
        """What the answers at a state lead to: derived before, or now."""
        known = self._recent.get(samples.key)
        if known is None:
            while self._promised:  # its decisions may be those of this state
                self._promised.pop()()
            known = self._found(samples)
            if known is None:
                decide = Decisions(samples)
                with undisturbed:
                    known = self._kept(decide, derive(decide))
            if len(self._recent) >= self.RECENT:
                self._recent.clear()
            self._recent[samples.key] = known
        return known

    def asked(self, result: Result) -> frozenset[Symbol]:
        """The symbols in the questions that lead to a result: states with the same values of these lead there too."""
        while self._promised:
            self._promised.pop()()
        path = _path_to(result, self._root)
        return frozenset(symbols([e for question in path for rows in question.matrices for _, _, e in _entries(rows)]))

    def _found(self, samples: Samples) -> Result | None:
        """What was derived for the answers at a state; None if they are new."""
        place = self._root
        answer: Hashable = None
        if place:
            self._foresight = self._foresight or Foresight(self._path(), samples.inputs)
            samples.foresee(self._foresight)
        while (ahead := place.get(answer)) is not None:
            if not isinstance(ahead, _Fork):
                return ahead
            place, answer = ahead.ways, ahead.question.answer(samples)
        return None

    def _path(self) -> Iterator[Question[Any]]:
        """The questions of the first derivation: those that another state most likely answers too."""
        place = self._root
        while isinstance(ahead := list(place.values())[0], _Fork):  # noqa: RUF015  whatever other threads add meanwhile
            yield ahead.question
            place = ahead.ways

    def _kept(self, decisions: Decisions, result: Result) -> Result:
        """Keeps what was derived; gives back what was there before, if another thread was first."""
        ways, answer = self._root, None
        for question, given in decisions.taken.items():
            fork = ways.setdefault(answer, _Fork(question))
            assert isinstance(fork, _Fork)
            ways, answer = fork.ways, given
        return cast(Result, ways.setdefault(answer, result))
