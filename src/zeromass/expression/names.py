"""Names as LaTeX writes them: Greek letters, subscripts, words upright; nothing in a name is a command."""

from __future__ import annotations

import re

from zeromass.expression.node import Symbol
from zeromass.expression.operation.writing import ATOM, POWER, Part, printable

_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
}  # fmt: skip
_LETTERS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi",
    "Ω": "Omega",
}  # fmt: skip
"""Greek letters as they stand on a keyboard, and their commands."""
_SPECIAL = {
    "\\": r"\backslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"{\wedge}", "~": r"{\sim}", " ": r"\ ",
}  # fmt: skip


def latex_name(name: str) -> tuple[str, str]:
    """Base and subscript of a name: 'theta' → θ, 'contact.x' → x with subscript contact, 'm1' → m with 1.

    >>> from zeromass.expression.names import latex_name
    >>> latex_name("I_c"), latex_name("contact.x")
    (('I', 'c'), ('x', '\\\\mathrm{contact}'))
    """
    base, subscripts, owner = name_parts(name)

    def letter(word: str) -> str:
        word = _LETTERS.get(word, word)
        if word in _GREEK:
            return "\\" + word
        return escaped(word) if len(word) == 1 or word.isdigit() else rf"\mathrm{{{escaped(word)}}}"

    owned = [rf"\mathrm{{{escaped(owner)}}}"] if owner else []
    return letter(base), ",".join([*[letter(s) for s in subscripts], *owned])


def name_parts(name: str) -> tuple[str, list[str], str]:
    """Base, subscripts and owner of a name.

    >>> from zeromass.expression.names import name_parts
    >>> name_parts("car.theta_1"), name_parts("λ string")
    (('theta', ['1'], 'car'), ('λ', [], 'string'))
    """
    if name.startswith("λ ") and len(name) > 2:  # the multiplier of a constraint
        return "λ", [], name[2:]
    owner, _, own = name.rpartition(".")
    parts = own.split("_")
    match = re.fullmatch(r"([^\W\d]+)(\d+)", parts[0])
    if match:
        parts[:1] = match.groups()
    base, *subscripts = parts
    return base, subscripts, owner


def greek(word: str) -> str:
    """The letter of a word that names one; other words as they are."""
    return next((letter for letter, command in _LETTERS.items() if command == word), word)


def escaped(word: str) -> str:
    """A word in which nothing means anything to LaTeX."""
    return "".join(_SPECIAL.get(sign, sign) for sign in printable(word))


def latex_symbol(leaf: Symbol) -> Part:
    """A symbol with dots for its rates."""
    base, subscript = (leaf.latex, "") if leaf.latex else latex_name(leaf.name)
    if leaf.order == 1:
        base = rf"\dot{{{base}}}"
    elif leaf.order == 2:
        base = rf"\ddot{{{base}}}"
    elif leaf.order > 2:
        base = rf"{{{base}}}^{{({leaf.order})}}"
    strength = POWER if "^" in base else ATOM  # LaTeX refuses a second superscript: x^{(3)} squared needs brackets
    return base + (f"_{{{subscript}}}" if subscript else ""), strength
