"""Names are names in everything that is printed or written: none of them ends a comment, a script or a formula."""

from __future__ import annotations

import html.parser
import re
import shutil
import subprocess
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

import zeromass as zm
from cases import few
from zeromass.expression import Grid, multiplier
from zeromass.plot import save_figure

HOSTILE = [
    "*/ int f(){} /*",
    "*\\\n/ int f(){} /*",
    "/* // */",
    "??/",
    "a\nb",
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "\x1b[31mred",
    "\u202eright to left",
    "$\\frac$",
    "$x$",
    "\\input{/etc/passwd}",
    "x}\\def\\y{",
    "50 % & #1 ~ ^ _",
    "[bold]x[/bold]",
    '"quoted", "cells"',
    "=1+1",
    "{{title}}",
    "</title>",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_c_is_one_comment_and_one_function(name, tmp_path):
    """Without its comments the code is the same whatever the names."""
    x = zm.coordinate("x")

    def code(word: str) -> str:
        hidden = multiplier(word)
        return zm.export.c_code({word: x * hidden, "b": hidden}, [x, hidden])

    def bare(words: str) -> str:
        return re.sub(r"/\*.*?\*/", "", words, flags=re.DOTALL)

    assert bare(code(name)) == bare(code("plain"))
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is not None:
        (tmp_path / "f.c").write_text(code(name), encoding="utf-8")
        words = [compiler, "-std=c99", "-trigraphs", "-Werror", "-Wcomment", "-c", "f.c", "-o", "f.o"]
        subprocess.run(words, cwd=tmp_path, check=True)


def test_c_of_a_parameter_read_from_elsewhere():
    from zeromass.expression.record import Reader

    nodes = [["symbol", "*/ int f(){} /*", "parameter", 0, 2.0, None, "hostile"], ["sin", 0]]
    words = zm.export.c_code(Reader(nodes).nodes[1])
    assert "int f" not in re.sub(r"/\*.*?\*/", "", words)


@pytest.mark.parametrize("name", HOSTILE)
def test_text_is_one_line_that_can_be_printed(name):
    for e in (multiplier(name) + 1, Grid([0, 1], [0, 1], np.ones((1, 1, 1, 1)), name=name)(zm.t, zm.t)):
        assert repr(e).isprintable()


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_of_a_name_has_no_commands_of_its_own(name):
    """All that LaTeX would act on is escaped; brackets balance."""
    for e in (multiplier(name), Grid([0, 1], [0, 1], np.ones((1, 1, 1, 1)), name=name)(zm.t, 1)):
        words = zm.export.latex(e)
        commands = set(re.findall(r"\\([A-Za-z]+)", words))
        assert commands <= {"mathrm", "operatorname", "left", "right", "backslash", "wedge", "sim"}
        bare = re.sub(r"\\[^A-Za-z]", "", words)
        assert bare.count("{") == bare.count("}")
        assert not set("$&#%~") & set(bare)
        assert words.isprintable()


@pytest.mark.parametrize("name", HOSTILE)
def test_sympy_prints_a_symbol(name):
    import sympy

    found = zm.export.sympy(multiplier(name) * 2)
    assert re.fullmatch(r"2\*[\w.'\[\] ]+", str(found))
    other = zm.export.sympy(multiplier(name + "!") * 2)
    assert found != other
    assert "\\input" not in sympy.latex(found)


def named_run(name: str) -> zm.Run:
    bob = zm.Particle("bob", mass=0.5)
    string = (bob.position @ bob.position - 1.0) / 2
    system = zm.System([bob], gravity=9.81, constraints={name: string})
    start = system.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, 0.0)])
    return zm.simulate(system, start, until=0.5, events=[zm.Event(name, bob.position[2] + 0.1, terminal=False)])


class Elements(html.parser.HTMLParser):
    """The elements of a page, and the text of its title."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.title, self.inside = "", ""

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        self.title += data if self.inside == "title" else ""


def elements(page: str) -> Elements:
    parser = Elements()
    parser.feed(page)
    return parser


@pytest.fixture(scope="module")
def plain_page(tmp_path_factory) -> Elements:
    run = named_run("plain")
    return elements(
        run.view(tmp_path_factory.mktemp("page") / "p.html", title="plain", names=["plain"]).read_text("utf-8")
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_the_page_has_the_same_elements_whatever_the_names(name, plain_page, tmp_path):
    run = named_run(name)
    chart = {name: run.system.energy}
    page = run.view(tmp_path / "p.html", title=name, names=[name], plots=chart).read_text(encoding="utf-8")
    found = elements(page)
    assert found.found == plain_page.found
    assert found.title.replace("\r", "\n") == name
    assert page.count("</script") == page.count("<script")


@pytest.mark.parametrize("name", few(HOSTILE, 2))
def test_figures_show_names_as_they_are(name, tmp_path):
    """Matplotlib would take what stands between dollars for a formula, and fail at one that is none."""
    run = named_run(name)
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        save_figure(run.plot.residuals(), tmp_path / "r.svg")
    svg = ElementTree.parse(tmp_path / "r.svg")
    words = " ".join("".join(element.itertext()) for element in svg.iter() if element.tag.endswith("text"))
    shown = "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in name)
    assert " ".join(shown.split()) in " ".join(words.split())
    assert not [element for element in svg.iter() if element.tag.endswith("script")]


@pytest.mark.parametrize("name", few(HOSTILE, 2))
def test_cells_of_tables(name, tmp_path):
    import csv

    from zeromass.report import tables

    run = named_run(name)
    names = [column.title for column in tables.columns(run, [0.0])]
    path = run.to_csv(tmp_path / "t.csv", [0.0])
    with path.open(newline="") as file:
        assert next(csv.reader(file)) == names


BROKEN = ["a\0b", "a\ud800b", "\udfff"]
"""What no file can have: NUL, and halves of characters."""


def named(name: str) -> dict[str, object]:
    """What a user may give a name, each as a function that does."""
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    start, door = spring.start({x: 1.0}), zm.RigidBody("door", 1.0, (1.0, 1.0, 1.0))
    study = {"over": {k: [1.0]}, "keep": {"x": x}, "until": 0.1}
    plane = zm.surfaces.plane()
    return {
        "coordinate": lambda: zm.coordinate(name),
        "coordinates": lambda: zm.coordinates(f"x {name}"),
        "parameter": lambda: zm.parameter(name, 1.0),
        "latex": lambda: zm.coordinate("x", latex=name),
        "latex of a parameter": lambda: zm.parameter("x", 1.0, latex=name),
        "particle": lambda: zm.Particle(name, 1.0),
        "body": lambda: zm.RigidBody(name, 1.0, (1.0, 1.0, 1.0)),
        "constraint": lambda: zm.System(kinetic=zm.rate(x) ** 2 / 2, constraints={name: x - 1.0}),
        "event": lambda: zm.Event(name, x),
        "joint": lambda: zm.joints.Revolute(zm.Ground(), door, axis=(0, 0, 1), name=name),
        "ground": lambda: zm.Ground(name),
        "drive": lambda: zm.joints.Revolute(zm.Ground(), door, axis=(0, 0, 1)).drive(zm.t, name=name),
        "surface": lambda: zm.Surface(lambda X, Y, Z: Z, name=name),
        "grid": lambda: Grid([0, 1], [0, 1], np.ones((1, 1, 1, 1)), name=name),
        "kept": lambda: zm.sweep(spring, start, **{**study, "keep": {name: x}}),
        "samples": lambda: zm.Contacts([zm.bodies.ball(0.1, 0.5, name=name)], on=plane),
    }


@pytest.mark.parametrize("name", BROKEN)
def test_names_that_no_file_can_have_are_refused_at_once(name):
    for what, give in named(name).items():
        with pytest.raises(zm.errors.ZeromassError) as caught:
            give()
        assert str(caught.value).isprintable(), what


@pytest.mark.parametrize("name", BROKEN[1:])
def test_texts_that_no_file_can_have_are_an_error_of_the_file(name, tmp_path):
    """Titles and labels are no names: they are refused where they are written, and the run is still there."""
    bead = zm.Particle("bead", 1.0)
    free = zm.System([bead])
    run = zm.simulate(free, free.start({bead.position[0]: 0.0}), until=0.1)
    (tmp_path / "page.html").write_text("old", encoding="utf-8")
    with pytest.raises(zm.errors.ZeromassError):
        run.view(tmp_path / "page.html", title=name)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
