"""Formulas as words: parts that know how strongly they bind, joined to larger ones."""

from __future__ import annotations

from typing import Any

Part = tuple[str, int]
"""Words, and how strongly they hold together."""

SUM, PRODUCT, SIGN, POWER, ATOM = range(5)
ROUND = (r"\left(", r"\right)")


def printable(name: str) -> str:
    """A name as it may be printed: what moves a cursor, breaks a line or turns the direction is written in words."""
    return name if name.isprintable() else "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in name)


def bracketed(part: Part, least: int, brackets: tuple[str, str] = ("(", ")")) -> str:
    """The words, in brackets where they bind less than that."""
    words, strength = part
    return words if strength >= least else f"{brackets[0]}{words}{brackets[1]}"


def call(name: str, *parts: Part) -> Part:
    """name(a, b)"""
    return f"{name}({', '.join(words for words, _ in parts)})", ATOM


def latex_call(command: str, *parts: Part) -> Part:
    return rf"{command}\left({', '.join(words for words, _ in parts)}\right)", ATOM


def sum_(a: Part, b: Part) -> Part:
    second = b[0]
    return (f"{a[0]} - {second[1:]}" if second.startswith("-") else f"{a[0]} + {second}"), SUM


def difference(a: Part, b: Part) -> Part:
    return f"{a[0]} - {bracketed(b, PRODUCT)}", SUM


def latex_difference(a: Part, b: Part) -> Part:
    return f"{a[0]} - {bracketed(b, PRODUCT, ROUND)}", SUM


def product(a: Part, b: Part) -> Part:
    return f"{bracketed(a, PRODUCT)}*{bracketed(b, SIGN)}", PRODUCT


def latex_product(a: Part, b: Part) -> Part:
    left, right = (bracketed(part, PRODUCT, ROUND) for part in (a, b))
    right = right if b[1] != SIGN else bracketed(b, POWER, ROUND)
    return left + (r" \cdot " if right[0].isdigit() else r" \, ") + right, PRODUCT


def quotient(sign: str) -> Any:
    """a/b, a // b, a % b."""
    return lambda a, b: (f"{bracketed(a, PRODUCT)}{sign}{bracketed(b, POWER)}", PRODUCT)


def latex_fraction(a: Part, b: Part) -> Part:
    return rf"\frac{{{a[0]}}}{{{b[0]}}}", POWER


def latex_modulo(a: Part, b: Part) -> Part:
    return rf"\left({bracketed(a, POWER, ROUND)} \bmod {bracketed(b, POWER, ROUND)}\right)", ATOM


def opposite(a: Part) -> Part:
    return f"-{bracketed(a, SIGN)}", SIGN


def latex_opposite(a: Part) -> Part:
    return f"-{bracketed(a, SIGN, ROUND)}", SIGN


def power(a: Part, b: Part) -> Part:
    return f"{bracketed(a, ATOM)}**{bracketed(b, ATOM)}", POWER


def latex_power(a: Part, b: Part) -> Part:
    return f"{bracketed(a, ATOM, ROUND)}^{{{b[0]}}}", POWER


def latex_root(a: Part) -> Part:
    return rf"\sqrt{{{a[0]}}}", ATOM


def latex_length(a: Part, b: Part) -> Part:
    return r"\sqrt{" + " + ".join(latex_power(part, ("2", ATOM))[0] for part in (a, b)) + "}", ATOM


def latex_between(left: str, right: str) -> Any:
    return lambda *parts: (f"{left}{parts[0][0]}{right}", ATOM)


def latex_whole_quotient(a: Part, b: Part) -> Part:
    return latex_between(r"\left\lfloor ", r" \right\rfloor")(latex_fraction(a, b))


def comparison(sign: str) -> Any:
    return lambda a, b: (f"({a[0]} {sign} {b[0]})", ATOM)


def latex_comparison(sign: str) -> Any:
    return lambda a, b: (f"{a[0]} {sign} {b[0]}", ATOM)


def latex_cases(condition: Part, a: Part, b: Part) -> Part:
    return rf"\begin{{cases}} {a[0]} & {condition[0]} \\ {b[0]} & \text{{otherwise}} \end{{cases}}", ATOM
