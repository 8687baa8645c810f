"""A package imports only from packages to its left."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "zeromass"

ORDER = [
    "search_path",
    "errors",
    "lazy",
    "frozen",
    "codegen",
    "kernel",
    "expression",
    "equation",
    "model",
    "mechanism",
    "contact",
    "compile",
    "integrate",
    "analysis",
    "report",
    "run",
    "study",
    "scenario",
    "papers",
    "cli",
]

FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem in ORDER)


def layer(path: Path) -> str:
    """The package that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def is_typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, without what is imported for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if is_typing_only(child):
            assert isinstance(child, ast.If)
            for other in child.orelse:
                yield from (other, *statements(other))
        else:
            yield child
            yield from statements(child)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """(line, package) for each import from zeromass in a file; "zeromass" for names of the package itself."""
    package = ("zeromass", *path.relative_to(SOURCE).parts[:-1])
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            modules = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for module in modules:
            parts = module.split(".")
            if parts[0] == "zeromass":
                known = len(parts) > 1 and (parts[1] in ORDER or (SOURCE / parts[1]).exists())
                yield node.lineno, parts[1] if known else "zeromass"


def test_every_package_has_its_place():
    assert {layer(path) for path in FILES} <= set(ORDER)


@pytest.mark.parametrize("package", ORDER)
def test_imports_point_left(package):
    known = ORDER[: ORDER.index(package) + 1]
    files = [path for path in FILES if layer(path) == package]
    wrong = [(str(path), *found) for path in files for found in imported(path) if found[1] not in known]
    assert not wrong, f"'{package}' imports from its right, or from the package itself: {wrong}"


def test_the_test_sees_what_it_should(tmp_path, monkeypatch):
    """Relative and late imports count, those for type checkers do not."""
    monkeypatch.setattr(f"{__name__}.SOURCE", tmp_path)
    file = tmp_path / "model" / "one.py"
    file.parent.mkdir()
    file.write_text(
        "from typing import TYPE_CHECKING\n"
        "import numpy, zeromass\n"
        "from ..papers import up2006\n"
        "from . import two\n"
        "if TYPE_CHECKING:\n    from zeromass.cli import main\n"
        "def f():\n    import zeromass.report.plot\n    from zeromass import cli\n"
    )
    found = [name for _, name in imported(file)]
    assert found == ["zeromass", "papers", "model", "report", "cli"]
