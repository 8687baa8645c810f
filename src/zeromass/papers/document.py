"""The page docs/papers.md: the table of the papers with figures, made by the program that computes it."""

from __future__ import annotations

from pathlib import Path

from zeromass.papers import figures, ud2011
from zeromass.papers.results import Results, results
from zeromass.papers.table import Section, markdown
from zeromass.report.writing import write
from zeromass.run import Run

IMAGES = "images/papers"
"""Folder of the figures, beside the page."""

HEAD = """\
# The papers, computed

<!-- Made by `python -m zeromass papers --docs docs/papers.md`; changes by hand are lost. -->

This page repeats all computations of the four source papers with their printed data. The tables compare the printed
results with the computed ones. A printed number agrees if the computed number rounds to it. Where it does not, all shown
digits of the computed number are correct; no data were adjusted. The [errata](errata.md) list the corrections of
misprinted equations. `zeromass papers` prints the same table; `zeromass figures um2022` (`ud2011`, `stanescu`, `up2006`)
writes the figures of a paper with its panels, axes and line styles, for comparison with the printed ones.
"""

SINGULAR = """\
## UP2006: singular mass matrices

Examples 1–3 of {cite}`UP2006` have closed forms. The table compares them at sample parameters, to 12 digits; the tests
use many random parameters.
"""

SHELL = """\
## UM2022: the shell on the dimpled bowl

{{cite}}`UM2022`: a shell of two materials rolls for 25 s from four orientations, A to D. Example 1 starts without spin,
example 2 with 3π rad/s, and example 3 has a no-spin constraint. The runs use the relative tolerance 1e-13. At the end of
a run eight or nine digits are correct, since early errors grow by a factor of about ten thousand. Friction coefficients
are the maxima of the friction ratio on the dense output, also between samples; all six digits shown are correct.

{table}

Of the printed coefficients of friction {agree} of {total} is reproduced by the printed data. The others differ by up to
{worst:.0f} %, far more than any error of integration, and most of the computed maxima lie within the first seven
seconds, where twelve digits are correct. The energy increases depend only on the start, and one of the four printed
values is reproduced. Therefore either the printed data or the printed results are not those of the authors' runs; we
could not determine which.

![Contact and centre of the shell in example 1]({images}/shell-example-1.png)

Paths of contact and centre in example 1, seen from above, on contours of the bowl.

![Contact paths with spin at the start]({images}/shell-example-2.png)

![Contact paths without spin]({images}/shell-example-3.png)

Contact paths of examples 2 and 3 beside example 1.

![Friction ratios]({images}/shell-friction.png)

Friction over normal force; red: the maximum; dashed: the printed coefficient.
"""

BALL = """\
## UD2011: the ball on the moving trough

{{cite}}`UD2011`: a steel ball starts at rest in a parabolic trough that oscillates along x (set I), x and y (II) or all
axes (III), at π, 1.5π, 3π and 6π rad/s (a to d), and once with two frequencies along x and y. Table 1 of the paper
moves the trough of set I along x, its text along y; we computed both. The acceleration of gravity is not printed; we
use 9.81 m/s². The paper gives results as figures and text, without numbers.

{table}

**{lost} cases need a two-sided contact.** The paper does not discuss the sign of the normal force. In
{names} it changes, first at
{times}.
A ball with a one-sided contact would then leave the trough. The printed motions continue
with a two-sided contact, and so do the runs here (`two_sided=True`). Where contact is kept, rolling may
still need more friction than steel has: IIIb needs a coefficient of {steep:.2f}. If set I moves along y, as in the
text, none of its cases loses contact.

![Normal forces]({images}/ball-normal-force.png)

Normal force of the cases that lose contact; red: the trough pulls.

![Set I along x]({images}/ball-I.png)

Set I as in Table 1: the motion stays in the plane y = 0.

![Set I along y]({images}/ball-I-along-y.png)

Set I as in the text, seen from above.

![Set II]({images}/ball-II.png)

![Set III]({images}/ball-III.png)

![Two frequencies]({images}/ball-two-frequencies.png)

Sets II, III and the case of two frequencies, seen from above.
"""

PARTICLE = """\
## Stănescu: the particle on the moving sphere

{{cite}}`Stanescu` gives only formulas. The runs use m = 1 kg, R = 1 m, ω = 2 rad/s and g = 9.81 m/s². The general case
has a = 0.3 m and starts from (a + 2/3, 1/3, −2/3) m with (1, 2, 2) m/s; the planar case has a = R and starts at rest
from (R, 0, R).

{table}

![Paths of the particle]({images}/particle.png)

Paths of the particle, and the force with which the sphere pushes it outwards in the planar case; red: it begins to
pull.
"""


def report(path: str | Path, found: Results | None = None) -> list[Path]:
    """Writes the page and its figures, of given results or of new ones; returns the files."""
    path, found = Path(path), found or results()
    path.parent.mkdir(parents=True, exist_ok=True)
    text = page(found)
    write(path, lambda place: place.write_text(text, encoding="utf-8"))
    return [path, *figures.save(found, path.parent / IMAGES)]


def page(found: Results) -> str:
    """The text of the page."""
    tables = {section.key: markdown(section.rows) for section in found.sections}
    sections = {section.key: section for section in found.sections}
    parts = [
        HEAD,
        f"{SINGULAR}\n{tables['UP2006']}\n",
        SHELL.format(table=tables["UM2022"], images=IMAGES, **_friction(sections["UM2022"])),
        BALL.format(table=tables["UD2011"], images=IMAGES, **_losses(found.ball)),
        PARTICLE.format(table=tables["Stanescu"], images=IMAGES),
    ]
    return "\n".join(parts)


NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _friction(section: Section) -> dict[str, object]:
    rows = [row for row in section.rows if row.difference is not None and row.quantity.startswith("friction")]
    worst = max(abs(row.difference or 0.0) for row in rows)
    return {"agree": NUMBERS[sum(bool(row.agrees) for row in rows)], "total": NUMBERS[len(rows)], "worst": 100 * worst}


def _losses(runs: dict[str, Run]) -> dict[str, object]:
    first = {name: intervals[0].begin for name in ud2011.CASES if (intervals := runs[name].pulling())}
    times = [f"{time:.4f} s ({name})" for name, time in first.items()]
    return {
        "lost": NUMBERS[len(first)].capitalize(),
        "names": f"{', '.join(list(first)[:-1])} and {list(first)[-1]}",
        "times": f"{', '.join(times[:-1])} and {times[-1]}",
        "steep": runs["IIIb"].required_friction().value,
    }
