"""The `zeromass` command and what it says of itself."""

from __future__ import annotations

from typing import Annotated

import typer

HELP = """Equations of motion and simulation of constrained mechanical systems, from scenario files.

[bold]Examples[/bold]

  zeromass new bowl                   write bowl.toml, a scenario to change

  zeromass run bowl.toml              run it; plots, viewer, data go to bowl/

  zeromass check bowl.toml            is the motion unique? if not, why?

  zeromass equations bowl.toml        M, Q, A, b; --format latex, sympy or c

  zeromass plot bowl/run.nc forces    one plot of a run that was saved

  zeromass view bowl/run.nc           a page that plays the motion

  zeromass run um2022 --case 2B       an included scenario

  zeromass sweep bowl.toml            the study of its table \\[sweep]

  zeromass schema                     the JSON schema of scenario files

  zeromass papers                     printed beside computed results

  zeromass figures um2022             figures of a paper as printed

Included scenarios: um2022, ud2011, stanescu, up2006-wheel, up2006-virtual-particle, up2006-chain, \
up2006-light-first-mass, up2006-light-second-mass.

[bold]Exit codes[/bold]

   0  success

   1  a defect of zeromass

   2  wrong usage, or an invalid scenario

   3  the physics, or the memory, stopped the run; what was computed is saved

   5  a file can not be read or written

 130  interrupted, or ended by a signal; what was computed is saved

With --json the result is alone on stdout; all else goes to stderr. NO_COLOR is respected.
"""

app: typer.Typer = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    help=HELP,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, alone on stdout.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")]
Case = Annotated[str | None, typer.Option(help="A case of the scenario, such as 2B.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"zeromass {version('zeromass')}")
        raise typer.Exit


@app.callback(help=HELP)
def zeromass(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Equations of motion as written on paper."""
