"""What a paper prints, beside what is computed."""

from __future__ import annotations

from dataclasses import dataclass

from zeromass.model import Diagnosis, State, System


@dataclass(frozen=True)
class Comparison:
    """One quantity: its name, the closed form as printed, both values, and whether the paper determines it."""

    quantity: str
    printed: str
    expected: float
    computed: float
    determined: bool = True

    @property
    def difference(self) -> float:
        """Computed minus printed, relative to the printed value where that is not small."""
        return abs(self.computed - self.expected) / max(1.0, abs(self.expected))


@dataclass(frozen=True)
class Case:
    """One worked example: its model, the state it is evaluated at, and the comparison."""

    title: str
    system: System
    state: State
    comparisons: list[Comparison]

    @property
    def diagnosis(self) -> Diagnosis:
        return self.system.check(self.state)
