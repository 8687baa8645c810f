"""What notebooks show: every object has a card, with nothing in it that a name could smuggle in."""

from __future__ import annotations

import html.parser
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import zeromass as zm
from zeromass.report import View


class Elements(html.parser.HTMLParser):
    """The elements of a page with their attributes, and that every one is closed."""

    VOID = frozenset({"br", "img", "circle", "polyline"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


@pytest.fixture(scope="module")
def pendulum():
    bob = zm.Particle("bob", mass=0.5)
    string = (bob.position @ bob.position - 1.0) / 2
    system = zm.System([bob], gravity=9.81, constraints={"string": string, "again": 2 * string})
    start = system.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, 0.0)])
    return system, start, zm.simulate(system, start, until=2.0)


def test_a_system_tells_coordinates_constraints_and_verdict(pendulum):
    system, _, _ = pendulum
    page = Elements(system._repr_html_())
    assert "constraint string" in page.words
    assert "constraint again" in page.words
    assert "unique" in page.words
    assert "again redundant" in page.words
    assert r"\(\frac{x_{\mathrm{bob}}^{2} + y_{\mathrm{bob}}^{2} + z_{\mathrm{bob}}^{2} - 1}{2} = 0\)" in page.words


def test_a_state_tells_its_values(pendulum):
    _, start, _ = pendulum
    words = Elements(start._repr_html_()).words
    assert "xbob10" in words  # x, 1, 0: name, value, rate
    assert "at t = 0 s" in words


def test_a_run_tells_its_outcome_and_draws_its_curves(pendulum):
    _, _, run = pendulum
    page = Elements(run._repr_html_())
    assert "finished at t = 2 s" in page.words
    assert f"{run.statistics.steps}, " in page.words
    lines = [attributes["points"] for tag, attributes in page.found if tag == "polyline"]
    assert len(lines) == 4  # x, y, z and the energy
    heights = np.array([point.split(",") for point in str(lines[2]).split()], dtype=float)[:, 1]
    z = run.at(np.linspace(0, 2, len(heights)))[run.system.coordinates[2]]
    drawn = (heights.max() - heights) / np.ptp(heights)
    assert np.abs(drawn - (z - z.min()) / np.ptp(z)).max() < 0.006  # a tenth of a pixel of twenty


def test_the_energy_of_a_good_run_is_drawn_level(pendulum):
    """Its error of 1e-12 is no curve."""
    _, _, run = pendulum
    energy = [a["points"] for tag, a in Elements(run._repr_html_()).found if tag == "polyline"][3]
    assert len({point.split(",")[1] for point in str(energy).split()}) == 1


def test_a_run_knows_its_certificate_only_where_one_was_made(pendulum):
    system, start, _ = pendulum
    run = zm.simulate(system, start, until=1.0)
    assert "digits to trust" not in run._repr_html_()
    run.certificate()
    assert "digits to trust" in run._repr_html_()


def test_a_run_that_stopped_says_why():
    x = zm.coordinate("x")
    falling = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=np.sqrt(x))
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(falling, falling.start({x: 1.0}), until=10.0)
    words = Elements(run._repr_html_()).words
    assert "not a number" in words
    assert run.outcome.message[:20] in words


def test_a_run_that_could_not_begin_has_a_card():
    ghost = zm.Particle("ghost", mass=0)
    system = zm.System([zm.Particle("bob", mass=1.0), ghost])
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, system.start(), until=1.0)
    assert "non-unique" in Elements(run._repr_html_()).words


def test_certificates_diagnoses_and_programs(pendulum):
    system, start, run = pendulum
    words = Elements(run.certificate()._repr_html_()).words
    assert f"{run.certificate().digits:.1f}" in words
    assert "string" in words
    words = Elements(system.check(start)._repr_html_()).words
    assert "'again' follows from 'string'" in words
    words = Elements(zm.compile(system, start)._repr_html_()).words
    assert "1 of 2 kept" in words


def test_a_large_system_is_shown_without_being_examined():
    bobs = [zm.Particle(f"bob{k}", mass=1.0) for k in range(30)]
    words = Elements(zm.System(bobs)._repr_html_()).words
    assert "90 coordinates" in words
    assert "system.check() says" in words


HOSTILE = ["<script>alert(1)</script>", "$x$", r"\(x\)", "a & b", '"><img src=x onerror=alert(1)>', "x\ny"]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_is_markup_or_a_formula(name):
    bob = zm.Particle("bob", mass=0.5)
    system = zm.System([bob], gravity=9.81, constraints={name: (bob.position @ bob.position - 1.0) / 2})
    start = system.start([(bob.position, (1.0, 0.0, 0.0)), (bob.velocity, 0.0)])
    event = zm.Event(name, bob.position[2] + 0.1, terminal=False)
    run = zm.simulate(system, start, until=0.5, events=[event])
    for thing in (system, start, run, run.certificate(), system.check(start), zm.compile(system, start)):
        page = Elements(thing._repr_html_())
        assert not {tag for tag, _ in page.found} & {"script", "img", "iframe"}
        plain = re.sub(r"<[^>]*>", "\0", thing._repr_html_())  # a delimiter in an element of its own opens no formula
        assert "$x" not in plain


def test_an_expression_is_typeset_and_a_long_one_is_not():
    theta = zm.coordinate("theta")
    assert (np.sin(theta) ** 2)._repr_latex_() == r"$\displaystyle \sin^{2}\theta$"
    f = theta
    for _ in range(500):
        f = np.sin(f) + theta
    assert f._repr_latex_() is None


def test_latex_is_typeset_and_printed():
    x = zm.coordinate("x")
    words = zm.export.latex([[x, 1], [0, x**2]])
    assert isinstance(words, str)
    assert words._repr_latex_() == f"$${words}$$"
    assert str(words) == words


def test_view_without_a_path_is_a_page_for_a_notebook(pendulum, tmp_path):
    _, _, run = pendulum
    view = run.view(title="bob & co")
    assert isinstance(view, View)
    assert "view.save('run.html')" in repr(view)
    ((tag, attributes),) = Elements(view._repr_html_()).found
    assert tag == "iframe"
    assert attributes["srcdoc"] == view.page
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert "src" not in attributes
    written = run.view(tmp_path / "bob.html", title="bob & co")
    assert written.read_text(encoding="utf-8") == view.page
    assert view.save(tmp_path / "again.html").read_text(encoding="utf-8") == view.page


def test_curves_are_svg_that_a_reader_of_xml_takes(pendulum):
    _, _, run = pendulum
    for svg in re.findall(r"<svg.*?</svg>", run._repr_html_()):
        ElementTree.fromstring(svg)


def test_a_study_tells_outcomes_ranges_and_what_was_kept():
    x, v = zm.coordinate("x"), zm.parameter("v", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    study = zm.sweep(spring, spring.start({zm.rate(x): v}), until=1.0, over={v: [1.0, 2.0, 4.0]}, keep={"end": x})
    words = Elements(study.zm._repr_html_()).words
    assert "3 finished" in words
    assert "1 … 4" in words
    low, high = float(study.end.min()), float(study.end.max())
    assert f"{low:.6g} … {high:.6g}" in words
    assert "study.zm.run(v=…)" in words
