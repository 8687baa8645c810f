"""Linear equations of which some rows hold, for code of every target."""

from __future__ import annotations

from zeromass.kernel.language import Ints, Reals, kernel

SIZES = 2
"""Numbers before the rows of a pattern: how many rows there are, and how long they are."""


@kernel
def solve_rows(
    data: Reals, pattern: Ints, width: int, lane: int, out: Reals, K: Reals, order: Ints, inverts: bool
) -> None:
    """x, growth, K⁻¹ ← the solution of (J Wᵀ x)ᵢ = bᵢ in all rows i that hold; xᵢ = 0 in the others.

    data     entries of J (m, n) and of W (m, n) that may not be zero, row after row, then flags of rows that hold, and b
    pattern  m, n, then of J, of W and of K = J Wᵀ: where each row begins and ends, and the columns of its entries
    width    lanes: numbers stand side by side, those of one lane are taken
    out      x, (m,); the largest entry of a row of K beside its pivot; and K⁻¹, (m, m), if it is asked for
    K        memory, (m m + n,); order: (4m,)

    K is eliminated with row pivots, block by block of rows that are coupled, inside the columns that rows reach.
    """
    m, n = pattern[0], pattern[1]
    ends_j = SIZES
    columns_j = ends_j + m + 1
    count_j = pattern[ends_j + m]
    ends_w = columns_j + count_j
    columns_w = ends_w + m + 1
    flags = count_j + pattern[ends_w + m]
    ends_k = columns_w + pattern[ends_w + m]
    columns_k = ends_k + m + 1
    held, row, place, last, block = 0, m * m, m, 2 * m, 3 * m
    for i in range(m):
        out[i * width + lane] = 0.0
        order[place + i] = -1
        if data[(flags + i) * width + lane] > 0.5:
            order[held], order[place + i] = i, held
            held += 1
    for k in range(n):
        K[row + k] = 0.0
    for p in range(held):
        order[last + p] = p
    for i in range(m):
        p = order[place + i]
        if p >= 0:
            for f in range(pattern[ends_k + i], pattern[ends_k + i + 1]):
                q = order[place + pattern[columns_k + f]]
                order[last + p] = max(order[last + p], q)
                if q >= 0:
                    order[last + q] = max(order[last + q], p)
    first = 0
    while first < held:  # blocks on the diagonal that are coupled with no other
        end, k = first, first
        while k <= end:
            end = max(end, order[last + k])
            k += 1
        for p in range(first, end + 1):
            order[block + p] = end + 1
            for q in range(first, end + 1):
                K[p * m + q] = 0.0
        first = end + 1
    for p in range(held):
        order[last + p] = p
    for i in range(m):
        p = order[place + i]
        if p >= 0:
            for e in range(pattern[ends_j + i], pattern[ends_j + i + 1]):
                K[row + pattern[columns_j + e]] = data[e * width + lane]
            for f in range(pattern[ends_k + i], pattern[ends_k + i + 1]):
                j = pattern[columns_k + f]
                q = order[place + j]
                if q >= 0:
                    total = 0.0
                    for e in range(pattern[ends_w + j], pattern[ends_w + j + 1]):
                        total += K[row + pattern[columns_w + e]] * data[(count_j + e) * width + lane]
                    K[p * m + q] = total
                    order[last + p] = max(order[last + p], q)
            for e in range(pattern[ends_j + i], pattern[ends_j + i + 1]):
                K[row + pattern[columns_j + e]] = 0.0
            out[i * width + lane] = data[(flags + m + i) * width + lane]
    if inverts:
        for p in range(m * m):
            out[(m + 1 + p) * width + lane] = 0.0
        for p in range(held):
            out[(m + 1 + order[p] * m + order[p]) * width + lane] = 1.0
    growth, lowest = 1.0, 0
    for k in range(held):
        best, largest, end = k, 0.0, order[block + k]
        for p in range(k, end):
            if abs(K[p * m + k]) > abs(K[best * m + k]):
                best = p
        lowest = order[last + k]
        if best != k:
            lowest = max(lowest, order[last + best])
            for q in range(k, lowest + 1):
                K[k * m + q], K[best * m + q] = K[best * m + q], K[k * m + q]
            order[last + k], order[last + best] = order[last + best], order[last + k]
            u, v = order[k] * width + lane, order[best] * width + lane
            out[u], out[v] = out[v], out[u]
            if inverts:
                for q in range(held):
                    u = (m + 1 + order[k] * m + order[q]) * width + lane
                    v = (m + 1 + order[best] * m + order[q]) * width + lane
                    out[u], out[v] = out[v], out[u]
            lowest = order[last + k]
        for q in range(k, lowest + 1):
            largest = max(largest, abs(K[k * m + q]))
        pivot = K[k * m + k]
        growth = max(growth, largest / abs(pivot))
        for p in range(k + 1, end):
            if K[p * m + k] != 0.0:
                part = K[p * m + k] / pivot
                order[last + p] = max(order[last + p], lowest)
                for q in range(k + 1, lowest + 1):
                    K[p * m + q] -= part * K[k * m + q]
                out[order[p] * width + lane] -= part * out[order[k] * width + lane]
                if inverts:
                    for q in range(held):
                        at, by = m + 1 + order[p] * m + order[q], m + 1 + order[k] * m + order[q]
                        out[at * width + lane] -= part * out[by * width + lane]
    for p in range(held - 1, -1, -1):
        at = order[p] * width + lane
        for q in range(p + 1, order[last + p] + 1):
            out[at] -= K[p * m + q] * out[order[q] * width + lane]
        out[at] /= K[p * m + p]
        if inverts:
            for s in range(held):
                at = (m + 1 + order[p] * m + order[s]) * width + lane
                for q in range(p + 1, order[last + p] + 1):
                    out[at] -= K[p * m + q] * out[(m + 1 + order[q] * m + order[s]) * width + lane]
                out[at] /= K[p * m + p]
    out[m * width + lane] = growth
