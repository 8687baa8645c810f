"""The JSON schema and the page of all keys say of scenario files what reading them says."""

from __future__ import annotations

import copy
import json
import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from zeromass import cli
from zeromass.scenario import parse_scenario, scenario_schema, shipped_scenarios
from zeromass.scenario.document import TABLE
from zeromass.scenario.reference import reference
from zeromass.scenario.scenario import STARTER

jsonschema = pytest.importorskip("jsonschema")

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
SCHEMA = scenario_schema()
VALID = jsonschema.Draft7Validator(SCHEMA)


def texts() -> dict[str, str]:
    """All scenarios that there are: those that come along, the one to begin with, and those of the guide."""
    found = {name: path.read_text(encoding="utf-8") for name, path in shipped_scenarios().items()}
    found["starter"] = STARTER.read_text(encoding="utf-8")
    for page in sorted(GUIDE.glob("*.md")):
        blocks = re.findall(r"^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        found |= {f"{page.stem} {i}": text for i, text in enumerate(blocks)}
    return found


TEXTS = texts()


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA, allow_nan=False)).keys() == SCHEMA.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_what_can_be_read_is_valid(name):
    assert not list(VALID.iter_errors(tomllib.loads(TEXTS[name])))


def places(data: Any, key: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The keys of everything in it."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in items:
        yield (*key, name)
        yield from places(value, (*key, name))


def damaged(data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A copy with a key that is missing, misspelt, or has something else behind it."""
    data = copy.deepcopy(data)
    *above, last = chance.choice(list(places(data)))
    inner = data
    for name in above:
        inner = inner[name]
    junk = [0, -3, 1.5, True, "", "x", [], [1], [1, 2, 3], [[1, 2], [3, 4]], {}, {"kind": "ball"}, {"x": 1}]
    way = chance.randrange(3)
    if way == 0:
        inner[last] = chance.choice(junk)
    elif isinstance(inner, dict):
        value = inner.pop(last)
        if way == 1:
            inner[f"{last}x"] = value
    else:
        del inner[last]
    return data


def test_it_agrees_with_the_tables_on_damaged_files():
    """What it refuses the tables refuse too; what these say of a single key, beyond rules between keys, it says too."""
    chance, refused = random.Random(0), 0
    for _ in range(600):
        data = damaged(tomllib.loads(chance.choice(list(TEXTS.values()))), chance)
        data.pop("cases", None)
        words = [message for _, message in TABLE.problems(data, ())]
        errors = list(VALID.iter_errors(data))
        refused += bool(errors)
        assert not errors or words, errors[0].message
        own = [word for word in words if re.match(r"this is |there is no such key|this key is missing$", word)]
        assert errors or not own, own
    assert refused > 100


def test_every_key_is_explained():
    """Each key has words, and so has each table."""

    def walked(schema: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        if isinstance(schema, dict):
            for key, own in schema.get("properties", {}).items():
                if key != "kind":
                    yield f"{name}.{key}", own
            for key, own in schema.items():
                yield from walked(own, f"{name}.{key}")
        elif isinstance(schema, list):
            for own in schema:
                yield from walked(own, f"{name}.{own.get('title', '') if isinstance(own, dict) else ''}")

    found = dict(walked(SCHEMA, ""))
    assert len(found) > 150
    assert not [name for name, own in found.items() if not own.get("description")]


def test_the_page_is_that_of_the_schema():
    """Made anew by `zeromass schema --format markdown --out docs/guide/scenario-keys.md`."""
    assert (GUIDE / "scenario-keys.md").read_text(encoding="utf-8") == reference()


def test_every_key_that_is_known_is_read():
    """No key of [system] is accepted and then left aside."""
    import inspect

    from zeromass.scenario import system

    code = inspect.getsource(system)
    assert all(f'"{key}"' in code for key in system.TABLE.arguments)


def test_the_command(tmp_path):
    done = CliRunner().invoke(cli.app, ["schema"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == json.loads(json.dumps(SCHEMA))
    place = tmp_path / "keys.md"
    assert CliRunner().invoke(cli.app, ["schema", "--format", "markdown", "--out", str(place)]).exit_code == 0
    assert place.read_text(encoding="utf-8") == reference()


def test_the_first_line_for_editors_is_a_comment():
    parse_scenario("#:schema ./zeromass.json\n" + TEXTS["starter"])
