"""The HTTP interface as its OpenAPI document states it: limits are read from it, so the two cannot differ."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from kb.errors import InputError


class TooLarge(InputError):
    """A body is longer than is taken."""


class Malformed(InputError):
    """A body that is not what it says it is."""


@cache
def openapi() -> dict[str, Any]:
    """The OpenAPI document. Limits are read from it, so that it cannot say another thing than the server."""
    document: dict[str, Any] = json.loads((files("kb") / "openapi.json").read_text("utf-8"))
    return document


def described(languages: Sequence[str], works: Sequence[str], editions: Sequence[str]) -> dict[str, Any]:
    """The document of a server whose corpus has these languages, works and editions."""
    document = copy.deepcopy(openapi())
    known = {"lang": list(languages), "work": list(works), "edition": list(editions)}
    schemas = [document["components"]["schemas"]["FindRefsRequest"]["properties"]]
    operations = [op for methods in document["paths"].values() for op in methods.values()]
    schemas += [{p["name"]: p["schema"] for p in operation.get("parameters", [])} for operation in operations]
    for properties in schemas:
        for name, values in known.items():
            if name in properties:
                properties[name].pop("maxLength", None)
                properties[name]["enum"] = values
    return document


def parameters(path: str, query: Mapping[str, str]) -> dict[str, Any]:
    """The query's parameters as the document describes them. Raises InputError for one beyond its limits."""
    given: dict[str, Any] = {}
    for name, schema, required in _asked(path):
        value = query.get(name)
        if value is not None:
            given[name] = within(name, value, schema)
        elif required:
            raise InputError(f"{name}: missing (see /api/v1/openapi.json)")
        else:
            given[name] = schema.get("default")
    return given


@cache
def _asked(path: str) -> tuple[tuple[str, dict[str, Any], bool], ...]:
    """Each parameter of a path: its name, its schema, and whether it has to be there."""
    parameters = openapi()["paths"][path]["get"]["parameters"]
    return tuple((one["name"], one["schema"], one.get("required", False)) for one in parameters)


def within(name: str, value: str, schema: dict[str, Any]) -> Any:
    """A parameter's value, of its type and inside its limits. Raises InputError."""
    if schema["type"] == "string":
        if len(value) > schema["maxLength"]:
            raise InputError(f"{name}: {len(value)} code points, at most {schema['maxLength']} are taken")
        return value
    try:
        number = int(value) if value.isascii() and len(value) < 10 else None
    except ValueError:
        number = None
    if number is None or not schema["minimum"] <= number <= schema["maximum"]:
        raise InputError(
            f"{name}: {value[:20]!r} is no whole number from {schema['minimum']} to {schema['maximum']}"
        )
    return number


def schema_of(path: str, name: str) -> dict[str, Any]:
    """The schema of one parameter of a path."""
    parameters = openapi()["paths"][path]["get"]["parameters"]
    schema: dict[str, Any] = next(p["schema"] for p in parameters if p["name"] == name)
    return schema


def find_refs_body(raw: bytes) -> dict[str, Any]:
    """The body of find-refs. Raises Malformed or InputError."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise Malformed("the body is not JSON in UTF-8") from None
    schema = openapi()["components"]["schemas"]["FindRefsRequest"]
    if not isinstance(body, dict):
        raise InputError("the body is not a JSON object")
    unknown = sorted(set(body) - set(schema["properties"]))
    if unknown:
        raise InputError(f"{unknown[0][:40]!r} is none of {', '.join(schema['properties'])}")
    for name in schema["required"]:
        if name not in body:
            raise InputError(f"{name}: missing")
    for name, value in body.items():
        rule = schema["properties"][name]
        if "enum" in rule:
            if value not in rule["enum"]:
                raise InputError(f"{name}: not one of {', '.join(rule['enum'])}")
            continue
        if not isinstance(value, str):
            raise InputError(f"{name}: not a string")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise InputError(f"{name}: holds half of a surrogate pair")
        if len(value) > rule["maxLength"]:
            raise InputError(f"{name}: {len(value)} code points, at most {rule['maxLength']} are taken")
    return body
