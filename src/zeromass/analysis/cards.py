"""The card of a certificate, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression.card import card, soft, table, text, told

if TYPE_CHECKING:
    from zeromass.analysis.certificate import Certificate


def certificate_card(found: Certificate) -> str:
    """Digits to trust, what limits them, the balance of energy, and residuals of the constraints."""
    rows = [
        [
            "digits to trust",
            told(f"{found.digits:.1f}", good=not found.warning) + soft(f" limited by {found.limited_by}"),
        ]
    ]
    if found.warning:
        rows.append(["warning", text(found.warning)])
    if found.work is not None:
        work = found.work
        rows.append(["energy", f"{work.energy:.9g} J at the start, changed by {work.told(work.change)}"])
        done = f"of applied forces {work.told(work.applied)}, of constraints {work.told(work.constraint)}"
        rows += [["work", done], ["imbalance", f"{work.imbalance:.1e} relative"]]
    rows.append(["rank of [M; A]", f"margin {found.margin:.1e} at least"])
    rows.append(
        ["second run", f"differs by {found.error:.1e} at rtol {found.tighter_rtol:g}, this one at {found.rtol:g}"]
    )
    if found.parting:
        rows.append(["", text(found.parting)])
    if found.pulled:
        spans = ", ".join(f"{span.begin:.4g} … {span.end:.4g} s" for span in found.pulled)
        rows.append(["the surface has to pull", spans])
    levels = [
        [text(r.name), *[f"{x:.1e}" if np.isfinite(x) else "–" for x in (r.position, r.velocity, r.acceleration)]]
        for r in found.residuals
    ]
    shown = table(levels, ("constraint", "position", "velocity", "acceleration")) if levels else ""
    return card("Certificate", table(rows), shown)
