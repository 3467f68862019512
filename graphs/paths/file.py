"""What an external retriever found for questions, read from a file of JSON lines.

    {"id": "q1", "candidates": [{"entity": "Oslo", "score": 0.9}]}
    {"question": "Where ...?", "paths": [[["Ada", "mother of", "Ben"], ["Ben", "likes", "Ada"]]]}
    {"id": "q2", "relation_paths": [["mother of"]], "triples": [["Ada", "likes", "Ben"]]}

Names are labels or terms. A step may have a direction after its triple: `forward`, or `inverse`
where it is walked from tail to head. A relation that starts with `^` is walked backwards; in a path
its step is written as it is walked. A candidate without a score counts as much as the others.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from ...agent.decoding.wire import INVERSE
from ...agent.errors import DatasetError
from ...agent.llm.written_triples import WrittenTriple
from ..rog import Planned, read_relation

SHAPE = (
    'write {"id": ..., "candidates": [{"entity", "score"}], "paths": [[[h, r, t]]], '
    '"relation_paths": [[r]], "triples": [[h, r, t]]}'
)
_FIELDS = ("candidates", "paths", "relation_paths", "triples")
_FORWARD = {"forward", "->", "out"}
_INVERSE = {"inverse", "backward", "<-", "in"}


class GivenStep(NamedTuple):
    """A step by names; `inverse` is None where the file does not tell the direction."""

    triple: WrittenTriple
    inverse: bool | None


@dataclass(frozen=True)
class Retrieved:
    """What was found for a question; candidates are entities with their probabilities."""

    candidates: tuple[tuple[str, float | None], ...] = ()
    paths: tuple[tuple[GivenStep, ...], ...] = ()
    relation_paths: tuple[tuple[Planned, ...], ...] = ()
    triples: tuple[WrittenTriple, ...] = ()

    def __add__(self, other: "Retrieved") -> "Retrieved":
        return Retrieved(
            self.candidates + other.candidates,
            self.paths + other.paths,
            self.relation_paths + other.relation_paths,
            self.triples + other.triples,
        )


class Retrieval(NamedTuple):
    """A whole file: by the ids of questions, and by their texts."""

    by_id: Mapping[str, Retrieved]
    by_question: Mapping[str, Retrieved]

    def find(self, ident: str, question: str) -> Retrieved | None:
        """What was found for a question: by its id, else by its text."""
        retrieved = self.by_id.get(ident) if ident else None
        return retrieved or self.by_question.get(question.strip())


def read_retrieved(file: str) -> Retrieval:
    """Read a file; several lines about one question add up.

    Raises DatasetError for a file that cannot be read or a line of another shape, and names it.
    """
    try:
        return _read(file, os.stat(file).st_mtime_ns)
    except OSError as error:
        raise DatasetError(f"{file}: cannot be read ({error.strerror})", SHAPE) from error


@lru_cache(maxsize=4)
def _read(file: str, changed: int) -> Retrieval:
    by_id, by_question = dict[str, Retrieved](), dict[str, Retrieved]()
    for number, line in enumerate(Path(file).read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8-sig"))
            if not isinstance(row, dict):
                raise ValueError("it is no object")
            fields = cast("dict[str, Any]", row)
            retrieved = _retrieved(fields)
            if fields.get("id") is None and not isinstance(fields.get("question"), str):
                raise ValueError("there is neither `id` nor `question`")
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{file}, line {number}: {error}", SHAPE) from error
        if fields.get("id") is not None:
            key = str(fields["id"])
            by_id[key] = by_id.get(key, Retrieved()) + retrieved
        if isinstance(fields.get("question"), str):
            key = str(fields["question"]).strip()
            by_question[key] = by_question.get(key, Retrieved()) + retrieved
    return Retrieval(by_id, by_question)


def _retrieved(fields: Mapping[str, Any]) -> Retrieved:
    if not any(name in fields for name in _FIELDS):
        raise ValueError(f"there is none of {', '.join(_FIELDS)}")
    candidates, paths, relation_paths, triples = (_list(fields.get(n), n) for n in _FIELDS)
    return Retrieved(
        tuple(map(_candidate, candidates)),
        tuple(tuple(map(_step, _list(path, "a path"))) for path in paths),
        tuple(tuple(_relations(path)) for path in relation_paths),
        tuple(_step(triple).triple for triple in triples),
    )


def _list(value: object, what: str) -> Sequence[object]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"{what} is no list")
    return cast("list[object]", value)


def _candidate(value: object) -> tuple[str, float | None]:
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {"entity": value}
    score = fields.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        raise ValueError("the score of a candidate is no number")
    if score is not None and not 0 <= score <= 1:
        raise ValueError("the score of a candidate is no probability")
    return _name(fields.get("entity")), None if score is None else float(score)


def _step(value: object) -> GivenStep:
    parts = _list(value, "a triple")
    if len(parts) not in (3, 4):
        raise ValueError("a triple has not three names")
    head, relation, tail = map(_name, parts[:3])
    inverse = _direction(parts[3]) if len(parts) == 4 else None
    if relation.startswith(INVERSE):
        bare = _name(relation.removeprefix(INVERSE))
        return GivenStep(WrittenTriple(tail, bare, head, True), True)
    return GivenStep(WrittenTriple(head, relation, tail, bool(inverse)), inverse)


def _direction(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _FORWARD | _INVERSE:
        return value in _INVERSE
    raise ValueError("a direction is neither `forward` nor `inverse`")


def _relations(value: object) -> Iterator[Planned]:
    for name in _list(value, "a relation path"):
        relation = read_relation(_name(name))
        yield Planned(_name(relation.name), relation.inverse)


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a name is no text")
    return value.strip()
