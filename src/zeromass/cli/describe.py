"""`zeromass check` and `zeromass equations`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from zeromass.cli.app import AsJson, Case, Debug, app
from zeromass.cli.console import Exit, out, print_json, reporting

if TYPE_CHECKING:
    from zeromass.model import System


CHECK = """Say whether the motion of a model is unique, and if not, which constraints are missing or redundant.

Errors of the file come first, a line each. The exit code is 3 where the motion is not determined.

[bold]Examples[/bold]

  zeromass check bowl.toml                  a file

  zeromass check um2022 --case 3D           a case of an included scenario

  zeromass check up2006-virtual-particle    a motion that is not unique

  zeromass check bowl.toml --json           as JSON
"""

EQUATIONS = """Print the equations of motion M q̈ = Q + Aᵀλ, A q̈ = b as text, LaTeX, SymPy or C.

[bold]Examples[/bold]

  zeromass equations up2006-wheel                      as text

  zeromass equations up2006-wheel --format latex       for a paper

  zeromass equations stanescu -f sympy                 for SymPy

  zeromass equations bowl.toml -f c -o bowl.c          a function in C
"""


@app.command(help=CHECK)
def check(
    file: Annotated[str, typer.Argument(help="A scenario file, or the name of an included one.")],
    case: Case = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    from zeromass.cli.files import scenario_at

    with reporting("check", as_json=as_json, debug=debug):
        scenario = scenario_at(file, case)
        found = scenario.check()
        code = Exit.OK if found.unique else Exit.STOPPED
        data = {
            "command": "check",
            "exit_code": int(code),
            "scenario": {"name": scenario.name, "file": scenario.source.name, "case": scenario.case},
            "cases": scenario.cases,
            "unique": found.unique,
            "verdict": found.verdict.value,
            "coordinates": [x.name for x in scenario.system.coordinates],
            "rank": found.rank,
            "margin": float(found.margin),
            "degrees_of_freedom": found.degrees_of_freedom,
            "constraint_rows": found.constraint_rows,
            "constraint_rank": found.constraint_rank,
            "constraints": found.kinds,
            "undetermined": [{"direction": u.direction, "remedy": u.remedy} for u in found.undetermined],
            "redundant": found.redundant,
            "contradictory": found.contradictory,
            "free_at_start": list(scenario.start.free),
        }
        if as_json:
            print_json(data)
        else:
            console = out()
            console.print(f"[bold]{escape(scenario.name)}[/bold]", highlight=False)
            console.print(escape(str(found)), highlight=False, soft_wrap=True)
            if scenario.start.free:
                words = f"the start leaves open, and sets as small as can be: {', '.join(scenario.start.free)}"
                console.print(escape(words), highlight=False, soft_wrap=True)
            if scenario.cases:
                console.print(escape(f"cases: {', '.join(scenario.cases)}"), highlight=False, soft_wrap=True)
        raise typer.Exit(int(code))


class Format(StrEnum):
    """How equations are written."""

    text = "text"
    latex = "latex"
    sympy = "sympy"
    c = "c"


@app.command(help=EQUATIONS)
def equations(
    file: Annotated[str, typer.Argument(help="A scenario file, or the name of an included one.")],
    form: Annotated[Format, typer.Option("--format", "-f", help="How they are written.")] = Format.text,
    case: Case = None,
    target: Annotated[Path | None, typer.Option("--out", "-o", help="Write them to a file.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    from zeromass.cli.files import scenario_at

    with reporting("equations", as_json=as_json, debug=debug):
        scenario = scenario_at(file, case)
        system = scenario.system
        parts = _written(system, form)
        whole = _joined(parts, form)
        if target is not None:
            from zeromass.report.writing import write

            write(target, lambda place: _put(place, whole))
        if as_json:
            print_json(
                {
                    "command": "equations",
                    "exit_code": 0,
                    "format": form.value,
                    "coordinates": [x.name for x in system.coordinates],
                    "constraints": [row.name for row in system.rows],
                    "equations": parts,
                    "file": target,
                }
            )
        elif target is None:
            typer.echo(whole)
        else:
            out().print(f"{escape(str(target))} is written", highlight=False, soft_wrap=True)


def _put(place: Path, words: str) -> None:
    place.write_text(words + "\n", encoding="utf-8")


def _written(system: System, form: Format) -> dict[str, str]:
    """q, M, Q, A and b, each in the form asked for; C is one function of all of them."""
    from zeromass.expression import c_code, latex, sympy

    blocks: dict[str, Any] = {"q": system.coordinates, "M": system.M, "Q": system.Q}
    if len(system.rows):
        blocks.update({"A": system.A, "b": system.b})
    if form is Format.c:
        del blocks["q"]
        return {"c": c_code(blocks, list(system.inputs), name="equations")}
    if form is Format.latex:
        return {name: latex(block) for name, block in blocks.items()}
    if form is Format.sympy:
        return {name: str(sympy(block)) for name, block in blocks.items()}
    return {name: _text(block) for name, block in blocks.items()}


def _text(block: Any) -> str:
    from zeromass.expression import matrix_text

    return matrix_text(block[:, None] if block.ndim == 1 else block)


def _joined(parts: dict[str, str], form: Format) -> str:
    if form is Format.c:
        return parts["c"].rstrip("\n")
    if form is Format.text:
        return "\n\n".join(f"{name} =\n{words}" for name, words in parts.items())
    if form is Format.latex:
        return "\n".join(f"\\[ {name} = {words} \\]" for name, words in parts.items())
    return "\n".join(f"{name} = {words}" for name, words in parts.items())
