"""The page of every key of scenario files, in Markdown, from their JSON schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from zeromass.scenario.schema import Schema, scenario_schema

HEAD = """# Every key of a scenario

Each table of a scenario file with its keys, what may stand there, and what is taken where nothing does. The page is made
from the schema that files are checked against, by `zeromass schema --format markdown`; {doc}`scenarios` explains them in
order. Numbers are in SI units. Each may be a formula of the `[parameters]` in quotes; where a formula is asked for, it may
also have `t` and the names that the model gives, and a number will do.

Editors that know TOML complete and check keys by the same schema: `zeromass schema --out zeromass.json` writes it, and
`#:schema ./zeromass.json` in the first line of a scenario names it.
"""


def reference() -> str:
    """The page, in Markdown.

    >>> from zeromass.scenario.reference import reference
    >>> [line for line in reference().splitlines() if line.startswith("| `rtol`")]
    ['| `rtol` | a number | `1e-10` | error allowed in a step, relative and absolute, for every coordinate and rate |']
    """
    whole = scenario_schema()
    sections = [HEAD]
    for name, one in whole["properties"].items():
        sections += _sections(name, one, name in whole["required"])
    return "\n".join(sections)


def _sections(name: str, schema: Schema, required: bool = False, depth: int = 2) -> Iterator[str]:
    """The section of a table, and those of the tables in it."""
    several = schema.get("type") == "array"
    item: Schema = schema["items"] if several else schema
    named = item.get("additionalProperties")
    if isinstance(named, dict) and ("properties" in named or "oneOf" in named):
        name, item = f"{name}.NAME", named
    title = f"`[[{name}]]`" if several else f"`[{name}]`"
    words = _cell(schema.get("description") or item.get("description", ""))
    sentence = words[:1].upper() + words[1:].rstrip(".") + "."
    yield f"{'#' * depth} {title}\n\n{sentence}{' Every scenario has it.' if required else ''}\n"
    if "properties" in item:
        yield _table(item)
        for key, own in item["properties"].items():
            if _is_table(own):
                yield from _sections(f"{name}.{key}", own, depth=3)
    elif "oneOf" in item:
        for kind in item["oneOf"]:
            yield f'{"#" * (depth + 1)} {title}, `kind = "{kind["title"]}"`\n\n{_cell(kind["description"])}\n'
            yield _table({**kind, "properties": {k: v for k, v in kind["properties"].items() if k != "kind"}})
    elif isinstance(named, dict):
        yield f"Names of one's own, and behind each: {_stands(named)}.\n"
        yield from (_table(one) for one in named.get("anyOf", ()) if "properties" in one)


def _is_table(schema: Schema) -> bool:
    """Whether it has a section of its own."""
    item = schema["items"] if schema.get("type") == "array" else schema
    named = item.get("additionalProperties")
    return "oneOf" in item or "properties" in item or isinstance(named, dict)


def _table(item: Schema) -> str:
    rows = ["| key | what stands there | by default | meaning |", "| --- | --- | --- | --- |"]
    for key, own in item["properties"].items():
        default = "needed" if key in item["required"] else _default(own)
        rows.append(f"| `{key}` | {_cell(_stands(own))} | {default} | {_cell(own.get('description', ''))} |")
    return "\n".join(rows) + "\n"


def _default(schema: Schema) -> str:
    if "default" not in schema:
        return ""
    return f"`{json.dumps(schema['default'], ensure_ascii=False)}`"


def _stands(schema: Schema) -> str:
    """What may stand at a key, in words."""
    if "anyOf" in schema:
        return "; or ".join(_stands(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(option)}`" for option in schema["enum"])
    if "oneOf" in schema:
        return f"a table with a `kind`: {', '.join(kind['title'] for kind in schema['oneOf'])}"
    if "properties" in schema:
        return f"a table of {', '.join(f'`{key}`' for key in schema['properties'])}"
    kind: Any = schema["type"]
    if kind == "array":
        return f"a list of {_length(schema)}{_several(_stands(schema['items']))}"
    if kind == "object":
        named = schema.get("additionalProperties")
        return "a table" if named is None else f"a table, behind each name {_stands(named)}"
    if kind == "integer":
        return f"a whole number, {schema['minimum']} to {schema['maximum']}"
    return {"boolean": "true or false", "string": "words"}.get(str(kind)) or str(schema["$comment"])


def _length(schema: Schema) -> str:
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    return f"{least} " if least == most else f"{least} or more " if least > 1 else ""


def _several(words: str) -> str:
    """'lists of 3 formulas' for 'a list of 3 formulas'."""
    first, *rest = words.removeprefix("a ").split(" ", 1)
    return " ".join([first if first == "words" else f"{first}s", *rest])


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("{", "\\{").replace("\n", " ")
