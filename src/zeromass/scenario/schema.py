"""The JSON schema of scenario files, for editors that know TOML: from the tables that the files are checked against."""

from __future__ import annotations

import math
from functools import singledispatch
from itertools import product
from typing import Any

from zeromass.scenario.document import MODELS, TABLE
from zeromass.scenario.kinds import MANY, Choice, Either, Flag, Kind, Numbers, Whole, Words
from zeromass.scenario.tables import Items, Kinds, Named, Table
from zeromass.scenario.tokens import LONGEST

Schema = dict[str, Any]

OF = {"parameters": "a number", "values": "a number", "time": "a formula of t", "names": "a formula"}
"""What a number or formula is called, by `Numbers.of`."""

NAME = r"^[^\s\d+\-*/^(),.<>='\"][^\s+\-*/^(),.<>='\"]*$"
"""What formulas can name."""


def scenario_schema() -> Schema:
    """The JSON schema of scenario files, as the data of a JSON file.

    What an editor can not know is left to `zeromass check`: rules between keys, names in formulas, physics.

    >>> from zeromass.scenario import scenario_schema
    >>> schema = scenario_schema()
    >>> schema["properties"]["run"]["required"], schema["properties"]["run"]["properties"]["rtol"]["default"]
    (['until'], 1e-10)
    """
    whole = schema_of(TABLE)
    changed = {"type": "object", "propertyNames": {"enum": list(TABLE.arguments)}, "description": "what it changes"}
    whole["properties"]["cases"] = {
        "type": "object",
        "additionalProperties": changed,
        "description": "Variants: [cases.NAME.…] changes what stands above, for --case NAME.",
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "scenario of zeromass",
        **whole,
        "oneOf": [{"required": [model]} for model in MODELS],
    }


@singledispatch
def schema_of(kind: Kind) -> Schema:
    """What may stand at a key."""
    raise TypeError(f"what a {type(kind).__name__} looks like in JSON is not known")


@schema_of.register
def _(kind: Numbers) -> Schema:
    one = {"type": ["number", "string"], "minLength": 1, "maxLength": LONGEST, "$comment": OF[kind.of]}
    return _any([_list(one, shape) for shape in kind.shapes])


def _list(one: Schema, shape: tuple[int | range, ...]) -> Schema:
    """Lists of lists of something, of given lengths."""
    if not shape:
        return one
    length = shape[0] if isinstance(shape[0], range) else range(shape[0], shape[0] + 1)
    most = {"maxItems": length[-1]} if length[-1] < MANY - 1 else {}
    return {"type": "array", "items": _list(one, shape[1:]), "minItems": length[0], **most}


@schema_of.register
def _(kind: Words) -> Schema:
    return {
        "type": "string",
        "minLength": kind.shortest,
        "maxLength": kind.longest,
        **({"pattern": NAME} if kind.name else {}),
    }


@schema_of.register
def _(kind: Flag) -> Schema:
    return {"type": "boolean"}


@schema_of.register
def _(kind: Whole) -> Schema:
    return {"type": "integer", "minimum": kind.least, "maximum": kind.most}


@schema_of.register
def _(kind: Choice) -> Schema:
    return {"enum": list(kind.options)}


@schema_of.register
def _(kind: Either) -> Schema:
    return _any([schema_of(one) for one in kind.kinds])


@schema_of.register
def _(kind: Items) -> Schema:
    return {"type": "array", "items": schema_of(kind.item)}


@schema_of.register
def _(kind: Named) -> Schema:
    name = {"propertyNames": {"pattern": NAME}} if kind.name.name else {}
    return {"type": "object", "additionalProperties": schema_of(kind.item), **name}


@schema_of.register
def _(kind: Table) -> Schema:
    properties = {}
    for name, argument in kind.arguments.items():
        properties[name] = schema_of(argument.kind)
        if argument.words:
            properties[name] |= {"description": argument.words}
        if _told(argument.default):
            properties[name] |= {"default": argument.default}
    return {
        "type": "object",
        **({"description": kind.words} if kind.words else {}),
        "properties": properties,
        "required": [name for name, argument in kind.arguments.items() if argument.required],
        "additionalProperties": False,
    }


@schema_of.register
def _(kind: Kinds) -> Schema:
    some = []
    for name, table in kind.tables().items():
        own = schema_of(table)
        own["properties"] = {"kind": {"enum": _spellings(name)}, **own["properties"]}
        own["required"] = [*([] if name == kind.default else ["kind"]), *own["required"]]
        some.append({"title": name, **own})
    return {"oneOf": some}


def _spellings(name: str) -> list[str]:
    """A name of several words with blanks, hyphens or underscores between them, see `spelled`."""
    first, *rest = name.split(" ")
    return [
        "".join((first, *map("".join, zip(signs, rest, strict=True)))) for signs in product(" -_", repeat=len(rest))
    ]


def _told(default: Any) -> bool:
    """Whether a default can be said in a file."""
    if isinstance(default, tuple):
        return all(map(_told, default))
    return default is not None and not (isinstance(default, float) and not math.isfinite(default)) and default != ""


def _any(some: list[Schema]) -> Schema:
    return some[0] if len(some) == 1 else {"anyOf": some}
