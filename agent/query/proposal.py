"""What a proposed query may be, as JSON Schema for the structured output of chat models."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

from .tree import Query
from .vocabulary import Vocabulary

NAME = "query"
"""What the schema is called, and the key under which the reply has the tree."""
_KNOWN_ONLY_HERE = frozenset({"id", "class_id", "ties"})
"""Properties that say nothing that a question says."""
_OF_CONVERSATIONS = frozenset({"Last", "Part"})
_ABOUT = frozenset({"title", "description", "default"})
_RELATION, _CLASS = "RelationName", "ClassName"


def proposal_schema(names: Vocabulary, mentions: int) -> dict[str, Any]:
    """The schema of `{"query": TREE}`, where null stands for none.

    Relations and classes are those that are listed, mentions are numbers below `mentions`.
    """
    definitions = deepcopy(_definitions())
    definitions[_RELATION] = _one_of([own.name for own in names.relations])
    definitions[_CLASS] = _one_of(["anything", *names.classes])
    starts = definitions["Query"]["properties"]["start"]["anyOf"]
    if mentions:
        starts[0]["items"] = {"enum": list(range(mentions))}
    else:
        del starts[0]
    tree = {"anyOf": [{"$ref": "#/$defs/Query"}, {"type": "null"}]}
    return {
        "type": "object",
        "properties": {NAME: tree},
        "required": [NAME],
        "additionalProperties": False,
        "$defs": definitions,
    }


@cache
def _definitions() -> dict[str, Any]:
    """The definitions of the tree, without what is only for people or for conversations."""
    known: dict[str, Any] = Query.model_json_schema(by_alias=True)["$defs"]
    kept = {key: own for key, own in known.items() if key not in _OF_CONVERSATIONS}
    definitions: dict[str, Any] = _trimmed(kept)
    for own in definitions.values():
        properties: dict[str, Any] = own["properties"]
        for key in properties.keys() & {"relation", "domain"}:
            properties[key] = {"$ref": f"#/$defs/{_RELATION}"}
        if "class" in properties:
            properties["class"] = {"$ref": f"#/$defs/{_CLASS}"}
    return definitions


def _trimmed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_trimmed(own) for own in schema if not _is_of_conversations(own)]
    if not isinstance(schema, Mapping):
        return schema
    trimmed: dict[str, Any] = {}
    for key, own in schema.items():
        if key == "properties":
            kept = {name: part for name, part in own.items() if name not in _KNOWN_ONLY_HERE}
            trimmed[key] = {name: _trimmed(part) for name, part in kept.items()}
        elif key not in _ABOUT:
            trimmed["anyOf" if key == "oneOf" else key] = _trimmed(own)
    return trimmed


def _is_of_conversations(schema: Any) -> bool:
    reference = schema.get("$ref", "") if isinstance(schema, Mapping) else ""
    return reference.rpartition("/")[2] in _OF_CONVERSATIONS


def _one_of(names: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(names)} if names else {"type": "string"}
