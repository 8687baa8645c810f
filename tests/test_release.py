"""What is released: the wheel and the source archive, built, looked into, and run in environments that have nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGE = ROOT / "src" / "zeromass"


def said(*command: str | Path, folder: Path) -> str:
    """What a command prints, which must succeed; nothing of this process's Python reaches it."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ZEROMASS"))}
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**plain, "ZEROMASS_CACHE": str(folder / "cache"), "MPLBACKEND": "Agg"},
    )
    unreachable = re.search(r"No matching distribution|ConnectionError|Temporary failure in name", done.stderr)
    if unreachable and "install" in command:
        pytest.skip(f"no package index can be reached: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def ten_lines() -> str:
    """The first program of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


class TestProject:
    def test_every_extra_is_among_all_or_large(self):
        """`all` brings every extra but those that are for clusters and for developers."""
        extras = PROJECT["optional-dependencies"]
        (all_,) = extras["all"]
        assert set(re.findall(r"[a-z]+", all_)) - {"zeromass"} == extras.keys() - {"all", "dev", "ray"}

    def test_the_error_of_what_is_missing_names_an_extra(self):
        """Each `pip install 'zeromass[…]'` in the code names extras that there are."""
        texts = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
        named = {name for text in texts for name in re.findall(r"zeromass\[([a-z]+)\]", text)}
        assert named
        assert named <= PROJECT["optional-dependencies"].keys()

    def test_changelog_has_the_version(self):
        changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        assert re.search(rf"^## \[{re.escape(PROJECT['version'])}\]", changes, flags=re.MULTILINE)

    def test_workflow_and_classifiers_name_the_same_pythons(self):
        listed = re.findall(r":: Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
        workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
        assert re.findall(r'"(3\.\d+)"', workflow.split("python:")[1].split("\n")[0]) == listed
        assert PROJECT["requires-python"] == f">={listed[0]}"

    def test_citation_is_of_this_version(self):
        words = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        told = dict(re.findall(r"^([a-z-]+): (.+)$", words, flags=re.MULTILINE))
        assert told["version"].strip('"') == PROJECT["version"]
        assert told["license"] == PROJECT["license"]
        assert told["cff-version"] == "1.2.0"

    def test_the_paper_has_one_address(self):
        """The DOI of the theorem's paper, in the citation file, among the references and in the package's own words."""
        for place in ("CITATION.cff", "docs/references.bib", "pyproject.toml"):
            found = re.findall(r"10\.1098/rspa\.2006\.\w+", (ROOT / place).read_text(encoding="utf-8"))
            assert found == ["10.1098/rspa.2006.1662"], place


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, which is built from the source archive, as `python -m build` does."""
    folder = tmp_path_factory.mktemp("built")
    pytest.importorskip("build")
    command = (sys.executable, "-m", "build", "--outdir", folder, ROOT)
    said(*command, folder=folder)
    return folder


def installed(built: Path, pattern: str, folder: Path) -> Path:
    """The Python of a new environment with one of the archives."""
    (archive,) = built.glob(pattern)
    venv.create(folder / "environment", with_pip=True)
    python = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
    said(python, "-m", "pip", "install", "--quiet", archive, folder=folder)
    return python


@pytest.mark.slow
class TestArchives:
    def test_wheel_has_the_package_and_nothing_else(self, built):
        (wheel,) = built.glob("*.whl")
        assert wheel.name == f"zeromass-{PROJECT['version']}-py3-none-any.whl"
        there = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        tracked = said("git", "ls-files", "src/zeromass", folder=ROOT).split()
        assert there == {name.removeprefix("src/") for name in tracked}
        assert "zeromass/py.typed" in there
        assert {"zeromass/scenario/starter.toml", "zeromass/scenario/papers/um2022.toml"} <= there
        assert any(name.startswith("zeromass/report/viewer/") and name.endswith(".js") for name in there)
        assert not any(Path(name).name.startswith("test") or "/tests/" in name for name in there)

    def test_source_archive_has_tests_and_documents(self, built):
        (archive,) = built.glob("*.tar.gz")
        with tarfile.open(archive) as file:
            there = {name.split("/", 1)[1] for name in file.getnames() if "/" in name}
        assert {"pyproject.toml", "README.md", "CITATION.cff", "Makefile", "tests/test_release.py"} <= there
        assert {"docs/conf.py", "examples/rattleback.py", "benchmarks/shell.py"} <= there
        assert not any(
            name.startswith((".venv", "build/", "docs/_build/", "docs/gallery/", "docs/api/")) for name in there
        )

    @pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"], ids=["wheel", "source"])
    def test_it_runs_where_nothing_else_is(self, built, tmp_path, pattern):
        python = installed(built, pattern, tmp_path)
        command = python.with_name("zeromass")
        assert said(command, "--version", folder=tmp_path) == f"zeromass {PROJECT['version']}\n"
        (tmp_path / "ten_lines.py").write_text(ten_lines(), encoding="utf-8")
        told = said(python, "ten_lines.py", folder=tmp_path)
        assert "digits" in told
        assert str(ROOT) not in said(python, "-c", "import zeromass; print(zeromass.__file__)", folder=tmp_path)
        said(command, "new", "bowl", folder=tmp_path)
        said(command, "run", "bowl.toml", folder=tmp_path)
        page = (tmp_path / "bowl" / "viewer.html").read_text(encoding="utf-8")
        assert "<canvas" in page or "createElement" in page
        assert {"run.nc", "run.csv", "path.png"} <= {path.name for path in (tmp_path / "bowl").iterdir()}
        said(command, "plot", "bowl/run.nc", "forces", folder=tmp_path)
        said(command, "run", "um2022", "--case", "1A", "--no-plots", folder=tmp_path)


def test_conda_recipe_is_that_of_the_project():
    """Name, version, requirements, command and license; packages of conda that have another name are translated."""
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    assert (recipe["package"]["name"], recipe["context"]["version"]) == (PROJECT["name"], PROJECT["version"])
    assert (recipe["about"]["summary"], recipe["about"]["license"]) == (PROJECT["description"], PROJECT["license"])
    python = f"python {PROJECT['requires-python']}"
    needed = [f"{name} {bound}" for name, bound in (re.split("(?=>=)", one) for one in PROJECT["dependencies"])]
    called = [one.replace("matplotlib ", "matplotlib-base ") for one in needed]
    assert recipe["requirements"]["run"] == [python, *called]
    system = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    built = [one.replace(">=", " >=") for one in system["requires"]]
    assert recipe["requirements"]["host"] == [python, "pip", *built]
    scripts = [f"{name} = {entry}" for name, entry in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts


def test_documentation_has_a_switcher_once_its_address_is_known(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import versions

    changelog = "## [Unreleased]\n## [1.1.0] - 2027-01-02\n## [1.0.0] - 2027-01-01\n"
    url = "https://docs.test/zeromass"
    shown = versions.entries(url, changelog)
    assert [one["version"] for one in shown] == ["dev", "1.1.0", "1.0.0"]
    assert [one["url"] for one in shown if one.get("preferred")] == [f"{url}/1.1.0/"]
    assert versions.theme_options(None, "1.0.0") == {}
    options = versions.theme_options(url, "1.0.0")
    assert options["switcher"] == {"json_url": f"{url}/versions.json", "version_match": "1.0.0"}
    assert PROJECT["version"] in versions.released((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
