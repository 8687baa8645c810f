"""What one does with a sum on a board: identities of angles, common factors, multiplying out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeromass.expression.tidy import Factors, Sum, added, close, merged, scaled

if TYPE_CHECKING:
    from zeromass.expression.tidy import Tidy

MOST = 48
"""Terms of a sum that is multiplied out, at most."""

DEEP = 6
"""Brackets in brackets that are multiplied out, at most."""

LONG = 200
"""Terms of a sum in which identities are looked for."""


def identities(board: Tidy, a: Sum) -> Sum:
    """The sum after sin²u + cos²u = 1, cosh²u − sinh²u = 1 and the addition theorems, wherever two terms ask for them."""
    terms = dict(a)
    while 1 < len(terms) <= LONG:
        for factors, c in terms.items():
            found = _pythagoras(board, terms, factors, c) or _addition(board, terms, factors, c)
            if found is not None:
                break
        else:
            break
        gone, come = found
        rest = {f: p for f, p in terms.items() if f not in gone}
        terms = dict(added(tuple(rest.items()), [come]))
    return tuple(terms.items())


Change = tuple[tuple[Factors, ...], tuple[Factors, float]]
"""Terms that go, and the one that comes."""


def _pythagoras(board: Tidy, terms: dict[Factors, float], factors: Factors, c: float) -> Change | None:
    for i, k in factors:
        op = board.atoms[i].op
        if k < 2 or op not in _PARTNER:
            continue
        partner, sign = _PARTNER[op]
        rest = merged(factors, ((i, -2),))
        j = board.find(partner, board.atoms[i].args[0])
        other = None if j is None else merged(rest, ((j, 2),))
        if other is not None and other in terms and close(terms[other], sign * c):
            return (factors, other), (rest, c)
        if op in ("sin", "cos") and rest in terms and close(terms[rest], -c):  # 1 − sin² = cos²
            (((j, _),), _), *_ = board.function(partner, board.atoms[i].args)
            return (factors, rest), (merged(rest, ((j, 2),)), terms[rest])
    return None


_PARTNER = {"sin": ("cos", 1.0), "cos": ("sin", 1.0), "cosh": ("sinh", -1.0)}


def _addition(board: Tidy, terms: dict[Factors, float], factors: Factors, c: float) -> Change | None:
    """cos u cos v ± sin u sin v and sin u cos v ± cos u sin v."""
    angles = [(i, board.atoms[i]) for i, k in factors if k > 0 and board.atoms[i].op in ("sin", "cos")]
    for i, first in angles:
        for j, second in angles:
            if i == j or (first.op, second.op) not in (("cos", "cos"), ("sin", "cos")):
                continue
            u, v = first.args[0], second.args[0]
            if u == v:
                continue
            p = board.find(_OTHER[first.op], u)
            q = board.find(_OTHER[second.op], v)
            if p is None or q is None:
                continue
            rest = merged(factors, ((i, -1), (j, -1)))
            partner = merged(rest, merged(((p, 1),), ((q, 1),)))
            d = terms.get(partner)
            if d is None or partner == factors or not close(abs(c), abs(d)):
                continue
            minus = close(c, d) == (first.op == "cos")
            angle = tuple(sorted(added(u, scaled(v, -1.0 if minus else 1.0))))
            sign = 1.0
            if angle and angle[0][1] < 0:
                angle, sign = scaled(angle, -1.0), -1.0 if first.op == "sin" else 1.0
            ((new, _),) = board.function(first.op, (angle,))
            return (factors, partner), (merged(rest, new), sign * c)
    return None


_OTHER = {"sin": "cos", "cos": "sin"}


def collected(board: Tidy, a: Sum) -> Sum:
    """The sum with a common factor before brackets wherever single factors are left in them: m l² + n l² = l² (m + n)."""
    terms = dict(a)
    while 1 < len(terms) <= LONG:
        group: dict[Factors, list[Factors]] = {}
        for factors in terms:
            for one in factors:
                rest = tuple(f for f in factors if f != one)
                if rest:
                    group.setdefault(rest, []).append(factors)
        best = max(group, key=lambda rest: (len(group[rest]), len(rest)), default=None)
        if best is None or len(group[best]) < 2:
            break
        inner = tuple((tuple(f for f in factors if f not in best), terms[factors]) for factors in group[best])
        taken = set(group[best])
        ((new, c),) = _one(board, inner)
        changed: dict[Factors, float] = {}
        for factors, p in terms.items():
            if factors not in taken:
                changed[factors] = changed.get(factors, 0.0) + p
            elif factors == group[best][0]:
                changed[merged(best, new)] = c
        terms = changed
    found = tuple(terms.items())
    below = _denominator(found)
    if below:
        upper = tuple((merged(factors, tuple((i, -k) for i, k in below)), c) for factors, c in found)
        ((new, c),) = _one(board, upper)
        return ((merged(below, new), c),)
    single = all(len(factors) == 1 for factors in terms)
    if len(found) > 1 and single and abs(found[0][1]) != 1 and all(close(abs(c), abs(found[0][1])) for _, c in found):
        return _one(board, found)
    return found


def _denominator(a: Sum) -> Factors:
    """What stands below the line in every term of a sum of several."""
    if len(a) < 2:
        return ()
    common = {i: k for i, k in a[0][0] if k < 0}
    for factors, _ in a[1:]:
        powers = dict(factors)
        common = {i: max(k, powers[i]) for i, k in common.items() if powers.get(i, 0) < 0}
    return tuple(common.items())


def _one(board: Tidy, a: Sum) -> Sum:
    """A sum of several terms as one term: brackets, before them what coefficients have in common."""
    c = a[0][1]
    common = abs(c) if all(close(abs(p), abs(c)) for _, p in a) else 1.0
    if all(p < 0 for _, p in a):
        common = -common
    inner = tuple(sorted(((f, _quotient(p, common)) for f, p in a), key=lambda term: (not term[0], term[0])))
    return scaled(board.bracket(inner), common)


def _quotient(p: float, q: float) -> float:
    return float(round(p / q)) if close(abs(p), abs(q)) else p / q


def expanded(board: Tidy, a: Sum) -> Sum | None:
    """The sum with all brackets multiplied out, after all identities; None where that would be long."""
    found = _expanded(board, a)
    return None if found is None or found == a else collected(board, identities(board, found))


def _expanded(board: Tidy, a: Sum) -> Sum | None:
    total: Sum = ()
    for factors, c in a:
        term: Sum = (((), c),)
        for i, k in factors:
            atom = board.atoms[i]
            if atom.op != "sum" or k < 1:
                term = tuple((merged(f, ((i, k),)), p) for f, p in term)
                continue
            if atom.depth > DEEP or k > 4:
                return None
            inner = _expanded(board, atom.args[0])
            for _ in range(k):
                if inner is None or len(term) * len(inner) > MOST:
                    return None
                product: Sum = ()
                for f, p in term:
                    product = added(product, [(merged(f, g), p * q) for g, q in inner])
                term = product
        total = added(total, term)
        if len(total) > MOST:
            return None
    return total
