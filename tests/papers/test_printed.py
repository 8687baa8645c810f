"""The figures of the papers: what their curves say, read from the panels."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from zeromass import cli
from zeromass.papers import printed, stanescu, ud2011, um2022
from zeromass.papers.printed import stanescu as stanescu_figures
from zeromass.papers.printed import ud2011 as ud2011_figures
from zeromass.papers.printed import um2022 as um2022_figures

PNG = b"\x89PNG\r\n\x1a\n"


def curves(ax: Any) -> dict[str, np.ndarray]:
    """The curves of a panel, {label or colour: points}, one row a point."""
    found = {}
    for line in ax.lines:
        data = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data()
        name = line.get_label()
        found[line.get_color() if name.startswith("_") else name] = np.transpose(data)
    return found


def largest(ax: Any) -> float:
    return max(float(np.abs(curve[:, 1]).max()) for curve in curves(ax).values())


class TestShell:
    """UM2022, figures 3 to 13."""

    @staticmethod
    @cache
    def forces(example: str) -> list[Any]:
        return um2022_figures.forces(example).axes

    @pytest.mark.parametrize("example", ["1", "2", "3"])
    def test_friction_and_normal_force_give_the_friction_needed(self, example):
        for case, ax in zip(um2022.ORIENTATIONS, self.forces(example)[::2], strict=True):
            force = curves(ax)
            assert force["normal force"][:, 1].min() > 0
            ratio = force["friction force"][:, 1] / force["normal force"][:, 1]
            needed = um2022_figures.run(example + case).required_friction().value
            peak = ratio.argmax()
            missed = np.abs(np.diff(ratio[peak - 1 : peak + 2])).max()  # the maximum lies between two samples
            assert ratio[peak] - 1e-9 <= needed <= ratio[peak] + missed

    @pytest.mark.parametrize("example", ["1", "2"])
    def test_a_surface_gives_no_torque_about_the_contact(self, example):
        for ax in self.forces(example)[1::2]:
            assert list(curves(ax)) == ["X", "Y", "Z"]
            assert largest(ax) < 1e-12  # rounding of forces of 160 N with arms of 0.1 m

    def test_no_spin_asks_for_a_torque_along_the_normal_alone(self):
        for ax in self.forces("3")[1::2]:
            torque = curves(ax)
            assert np.abs(torque["normal"][:, 1]).max() > 1
            assert np.abs(torque["tangential"][:, 1]).max() < 1e-12

    def test_paths_begin_at_the_printed_contact(self):
        panels = um2022_figures.paths().axes
        for space, plane in zip(panels[::2], panels[1::2], strict=True):
            P, O = curves(plane)["P"], curves(plane)["O"]
            assert P[0] == pytest.approx(um2022.CONTACT, abs=1e-12)
            assert len(P) == len(O) == 4000
            P, O = (curves(space)[color] for color in ("red", "blue"))
            assert np.linalg.norm(O - P, axis=1) == pytest.approx(um2022.RADII[0], abs=1e-10)

    @pytest.mark.parametrize("example", ["2", "3"])
    def test_compared_paths_begin_together_and_part(self, example):
        for ax in um2022_figures.compared(example).axes:
            with_it, without = (points for points in curves(ax).values())
            assert with_it[0] == pytest.approx(without[0], abs=1e-12)
            assert np.linalg.norm(with_it - without, axis=1).max() > 0.2

    def test_body_axes_are_those_of_table_1(self):
        x, y, z = np.eye(3)
        normal = um2022_figures.run("1D").start[um2022.contact(um2022_figures.run("1D")).normal]
        first = {"A": x, "B": (x + y) / np.sqrt(2), "C": z, "D": normal}
        for case, ax in zip(um2022.ORIENTATIONS, um2022_figures.orientations().axes, strict=True):
            lines = curves(ax)
            found = {name: (line[1] - line[0]) / np.linalg.norm(line[1] - line[0]) for name, line in lines.items()}
            assert found["x̂"] == pytest.approx(first[case], abs=1e-12)
            assert np.cross(found["x̂"], found["ŷ"]) == pytest.approx(found["ẑ"], abs=1e-12)

    @pytest.mark.parametrize("case", ["1A", "2B", "3C"])
    def test_errors_are_signed_and_those_of_the_run(self, case):
        drifting = um2022_figures.errors(case, um2022_figures.PAPER).axes
        projected = um2022_figures.errors(case, {}).axes
        assert len(drifting) == (7 if case == "3C" else 6)
        for ax, other in zip(drifting, projected, strict=True):
            assert ax.get_ylabel() == other.get_ylabel()
            # Without projection an error is of the order of rtol = 1e-12 times steps; with it, of rounding.
            assert 1e-14 < largest(ax) < 1e-8
            assert largest(other) < 1e-11
        for ax in drifting[2:5]:
            assert list(curves(ax)) == ["X", "Y", "Z"]
        assert min(points[:, 1].min() for points in curves(drifting[4]).values()) < 0

    def test_the_rate_of_the_first_error_is_its_derivative(self):
        (error, its_rate) = curves(um2022_figures.errors("1A", um2022_figures.PAPER).axes[0]).values()
        change = np.sum(np.diff(error[:, 0]) * (its_rate[1:, 1] + its_rate[:-1, 1]) / 2)
        assert change == pytest.approx(error[-1, 1] - error[0, 1], rel=1e-2)  # the trapezoidal rule


class TestBall:
    """UD2011, figures 3 to 15."""

    @pytest.mark.parametrize("name", ["Ia", "IIc", "IIId", "two frequencies"])
    def test_centre_contact_and_errors(self, name):
        case = ud2011.CASES[name]
        space, plane, contact, slip = ud2011_figures.behaviour(case).axes
        C, W = (curves(space)[label] for label in "CW")
        assert np.linalg.norm(C - W, axis=1) == pytest.approx(ud2011.RADIUS, abs=1e-12)
        assert curves(plane)["W"][0, 0] == pytest.approx(case.xi0)
        assert [line.get_linestyle() for line in space.lines] == ["-", "--"]
        for ax, first in ((contact, 3), (slip, 6)):
            assert list(curves(ax)) == [f"$h_{k}$" for k in range(first, first + 3)]
            assert [line.get_color() for line in ax.lines] == ["blue", "green", "red"]
            assert largest(ax) < 1e-6  # the tolerance of the paper, 1e-9, times steps

    def test_the_trough_is_that_of_eq_25(self):
        (ax,) = ud2011_figures.trough().axes
        assert ax.get_zlim()[1] == pytest.approx((3 / 2) ** 2 * 0.4**2, rel=0.1)  # limits have a margin


@pytest.mark.parametrize("name", stanescu.CASES)
def test_the_particle_stays_on_the_sphere(name):
    space, _, _, error = stanescu_figures.motion(stanescu.run(name)).axes
    assert np.linalg.norm(curves(space)["red"], axis=1) == pytest.approx(stanescu.RADIUS, abs=1e-12)
    assert largest(error) < 1e-14


class TestCommand:
    @pytest.mark.parametrize(("paper", "count"), [("up2006", 3), ("stanescu", 2)])
    def test_it_writes_the_figures_and_says_what_they_are(self, paper, count, tmp_path):
        done = CliRunner().invoke(cli.app, ["figures", paper, "-o", str(tmp_path)], catch_exceptions=False)
        assert done.exit_code == 0
        files = sorted(tmp_path.iterdir())
        assert len(files) == count
        for file in files:
            assert file.read_bytes()[:8] == PNG
            assert file.name in done.output
        assert f"{count} files" in done.output

    def test_json(self, tmp_path):
        done = CliRunner().invoke(cli.app, ["figures", "up2006", "-o", str(tmp_path), "--json"], catch_exceptions=False)
        found = json.loads(done.stdout)
        assert found["exit_code"] == 0
        assert all(Path(file).is_file() for file in found["files"])

    def test_a_paper_that_there_is_not(self):
        done = CliRunner().invoke(cli.app, ["figures", "um2021"])
        assert done.exit_code == 2
        assert "um2022" in done.output

    def test_only_one_paper_has_videos(self, tmp_path):
        done = CliRunner().invoke(cli.app, ["figures", "up2006", "--films", "-o", str(tmp_path)])
        assert done.exit_code == 2
        assert not list(tmp_path.iterdir())

    def test_films_of_the_four_cases(self, tmp_path, monkeypatch):
        whole = um2022.run
        monkeypatch.setattr(um2022, "run", lambda case: whole(case, until=0.2))
        said: list[str] = []
        files = printed.films(tmp_path, ".webp", lambda file, caption: said.append(caption))
        assert [file.name for file in files] == [f"video-S{k}.webp" for k in (1, 2, 3, 4)]
        assert said == [f"Video S{k}: example 1, case {case}" for k, case in enumerate("ABCD", 1)]
        for file in files:
            data = file.read_bytes()
            assert data[8:12] == b"WEBP"
            assert data.count(b"ANMF") >= 3  # frames

    @pytest.mark.slow
    def test_every_figure_of_the_shell_and_of_the_ball(self, tmp_path):
        shell = {file.stem for file in printed.save("um2022", tmp_path / "shell")}
        assert {f"fig{k:02}" for k in range(1, 14)} <= shell
        assert len(shell) == 10 + 2 * len(um2022.CASES)
        ball = {file.stem for file in printed.save("ud2011", tmp_path / "ball")}
        assert {f"fig{k:02}" for k in range(1, 16)} <= ball
