"""From the data of a file to the tables of the schema, or to errors that point to line and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from zeromass.scenario.errors import ScenarioError, listed, nearest
from zeromass.scenario.schema import Document
from zeromass.scenario.source import DEEPEST, Key, Source

MISSING = "this key is missing"


def with_case(source: Source, case: str | None) -> tuple[dict[str, Any], list[str]]:
    """The data of a source with the changes of one of its cases, and the names of its cases."""
    data = dict(source.data)
    cases = data.pop("cases", {})
    if not isinstance(cases, dict) or not all(isinstance(changes, dict) for changes in cases.values()):
        raise source.error("cases are tables: [cases.NAME.…] changes what stands above", ("cases",))
    if case is None:
        return data, list(cases)
    if case not in cases:
        words = nearest(case, cases) or (f"; there are: {listed(cases)}" if cases else "; it has none")
        raise ScenarioError(f"the scenario has no case '{case}'{words}", file=source.name)
    return _merged(data, cases[case]), list(cases)


def lines_with_case(source: Source, case: str | None) -> Source:
    """The source with the keys that a case changes found where the case has them."""
    if case is None:
        return source
    own = {key[2:]: line for key, line in source.lines.items() if key[:2] == ("cases", case) and len(key) > 2}
    return replace(source, lines={**source.lines, **own})


def _merged(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(data)
    for key, value in changes.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, dict) and value.get("kind", old.get("kind")) == old.get("kind"):
            result[key] = _merged(old, value)
        else:
            result[key] = value  # another kind has other keys
    return result


def document(source: Source, data: dict[str, Any]) -> Document:
    """The validated tables."""
    try:
        return Document.model_validate(data)
    except ValidationError as error:
        raise _worst(source, data, error) from None


def _worst(source: Source, data: dict[str, Any], error: ValidationError) -> ScenarioError:
    """The first error by line; further ones are counted."""
    found = [_translated(source, data, item) for item in error.errors(include_url=False)]
    found = list({(e.key, e.message): e for e in found}.values())
    found.sort(key=lambda e: (e.message == MISSING, e.line or 0))  # a misspelt key explains one that is missing
    first = found[0]
    if len(found) > 1:
        others = listed(dict.fromkeys(e.key for e in found[1:] if e.key != first.key), 6)
        if others:
            first.message += f" (there are more errors, in {others})"
    return first


def _translated(source: Source, data: Any, item: Any) -> ScenarioError:
    kind, ctx = item["type"], item.get("ctx", {})
    key = _key(data, item["loc"], missing=kind == "missing")
    if kind == "extra_forbidden":
        known = _known_keys(item["loc"])
        words = nearest(str(key[-1]), known) or (f"; there are: {listed(known)}" if known else "")
        return source.error(f"there is no such key{words}", key)
    if kind == "missing":
        message = MISSING
    elif kind == "union_tag_not_found":
        key, message = (*key, "kind"), MISSING
    elif kind == "union_tag_invalid":
        words = [tag.strip().strip("'") for tag in str(ctx.get("expected_tags", "")).split(",")]
        key, value = (*key, "kind"), str(ctx.get("tag", ""))
        message = f"'{value}' is none of {', '.join(words)}{nearest(value, words)}"
    elif kind == "literal_error":
        words = [str(x) for x in _literals(ctx)]
        message = f"{item['input']!r} is none of {', '.join(words)}{nearest(str(item['input']), words)}"
    elif kind in ("too_short", "too_long"):
        words = [
            f"{ctx[limit]} at {side}"
            for side, limit in (("least", "min_length"), ("most", "max_length"))
            if limit in ctx
        ]
        message = f"it has {ctx.get('actual_length')} items, and needs {' and '.join(words)}"
    elif kind == "value_error":
        message = str(ctx.get("error", item["msg"]))
    elif kind == "string_pattern_mismatch":
        message = "a name begins with a letter, then letters, digits or '_'"
    else:
        message = str(item["msg"]).replace("Input should be", "it should be").replace("Input", "it")
    return source.error(message, key)


def _literals(ctx: Any) -> list[str]:
    words = str(ctx.get("expected", "")).replace(" or ", ", ")
    return [word.strip().strip("'") for word in words.split(",")]


def _key(data: Any, loc: tuple[Any, ...], *, missing: bool) -> Key:
    """The place in the data: what pydantic puts between, such as the name of a union's member, is left out.

    missing  the last part is a key that the data do not have
    """
    key: list[str | int] = []
    for i, part in enumerate(loc):
        inside = part in data if isinstance(data, dict) else isinstance(part, int) and isinstance(data, list)
        if inside and part != "[key]":
            key.append(part)
            data = data[part] if isinstance(data, dict) or part < len(data) else None
        elif missing and i == len(loc) - 1:
            key.append(part)
    return tuple(key)


def _known_keys(loc: tuple[Any, ...]) -> list[str]:
    """The keys of the table in which an unknown key stands."""
    model: Any = Document
    for part in loc[:-1]:
        model = _inner(model, part)
        if model is None:
            return []
    keys = list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
    return [*keys, "cases"] if model is Document else keys


def _inner(model: Any, part: Any) -> Any:
    """The model of a key, of a list's item, or of a union's member."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        if part in model.model_fields:
            return _members(model.model_fields[part].annotation)
        return model  # the place in a list, a name in a table of tables, or the name of a union's member
    if isinstance(model, list):  # of a union's members; a number is the place in a list of such
        return model if isinstance(part, int) else next((member for member in model if part in _tags(member)), None)
    return None


def _tags(model: Any) -> tuple[Any, ...]:
    fields = getattr(model, "model_fields", {})
    return (*get_args(fields["kind"].annotation), model.__name__) if "kind" in fields else (model.__name__,)


def _members(annotation: Any, depth: int = 0) -> Any:
    """The models in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found: list[Any] = []
    for part in get_args(annotation) if depth < DEEPEST else ():
        inner = _members(part, depth + 1)
        found += inner if isinstance(inner, list) else [inner]
    found = [model for model in dict.fromkeys(found) if model is not None]
    return found[0] if len(found) == 1 else found or None
