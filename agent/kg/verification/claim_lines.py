"""Claims in JSON lines and in what `groundwalk ask --json` prints; their verdicts as JSON."""

import codecs
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from ...errors import InputError
from ..terms import Term
from .claims import (
    Chain,
    ChainVerdict,
    Claim,
    ClaimVerdict,
    Statement,
    Verdict,
    Written,
    read_written,
    worst,
)

SHAPE = 'write {"topics": [...], "chain": [["head", "relation", "tail"], ...], "answers": [...]}'

Fields: TypeAlias = dict[str, Any]

_STATUSES = ("answered", "partial", "abstained", "unsure", "ambiguous", "unchecked", "error")
"""Of what `ask --json` prints."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Record(NamedTuple):
    """A line of JSON, or a document over several: its fields, and what they claim.

    A line makes one claim of one chain. A `document` is a result of `ask --json`, and makes one for
    each of its answers and the chains of that answer. `where` is for messages about it.
    """

    where: str
    fields: Fields
    claims: tuple[Claim, ...]
    document: bool


def read_records(lines: Iterable[bytes], name: str) -> Iterator[Record]:
    """The records of a file, one at a time; empty lines are passed over.

    A document may stand on a line, or begin with a line `{` of its own. Raises InputError, which
    names the file and the line, for what is not UTF-8, not JSON or of another shape.
    """
    for number, text in _documents(lines, name):
        where = f"{name}, line {number}"
        try:
            value = json.loads(text.rstrip(), parse_constant=_no_number, parse_float=_finite)
        except json.JSONDecodeError as error:
            line = f"{name}, line {number + error.lineno - 1}"
            raise InputError(
                f"{line}: not JSON: {error.msg} at column {error.colno}", SHAPE
            ) from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not readable JSON: {error}", SHAPE) from None
        try:
            yield _record(where, value)
        except _Malformed as error:
            raise InputError(f"{where}: {error}", SHAPE) from None


_OF_DOCUMENT = frozenset({"verdict", "answer_verdicts", "error"})
_OF_LINE = _OF_DOCUMENT | {"triples", "well_formed", "flags"}
"""The fields that a check writes."""


def verified_fields(
    record: Record, verdicts: Sequence[ClaimVerdict], names: Mapping[Term, str]
) -> Fields:
    """The fields of a record with its verdicts; fields of the same names are replaced.

    `names` has the readable name of every term in the record's claims.
    """
    unchecked = _unchecked_fields(record)
    if record.document:
        return {**unchecked, **_document_fields(record, verdicts, names)}
    (claim,), (judged,) = record.claims, verdicts
    return {
        **unchecked,
        **_chain_fields(claim.chains[0], judged.chains[0], names),
        "answer_verdicts": [
            {**_term_and_label(answer, names), "verdict": verdict}
            for answer, verdict in zip(claim.answers, judged.answers, strict=True)
        ],
    }


def unclear_fields(record: Record, error: InputError) -> Fields:
    """The fields of a record that could not be checked: without a verdict, and with the reason."""
    return {
        **_unchecked_fields(record),
        "verdict": None,
        "error": f"{error.message} ({error.hint})",
    }


def to_line(fields: Fields) -> str:
    """One line of JSON; what a terminal could act on is escaped."""
    text = json.dumps(fields, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(fields)


def _unchecked_fields(record: Record) -> Fields:
    """The fields of a record but those of an earlier check."""
    written = _OF_DOCUMENT if record.document else _OF_LINE
    return {key: value for key, value in record.fields.items() if key not in written}


class _Malformed(ValueError):
    """Says what a record should be."""


def _documents(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, str]]:
    """The text of each record and the number of its first line."""
    first_line, depth, gathered = 0, 0, list[str]()
    for number, line in enumerate(lines, 1):
        text = _decoded(line, name, number)
        if not gathered and text.strip() != "{":
            if text.strip():
                yield number, text
            continue
        first_line = first_line if gathered else number
        gathered.append(text)
        bare = _STRING.sub("", text)
        depth += sum(map(bare.count, "{[")) - sum(map(bare.count, "}]"))
        if depth <= 0:
            yield first_line, "".join(gathered)
            depth, gathered = 0, []
    if gathered:
        yield first_line, "".join(gathered)


def _decoded(line: bytes, name: str, number: int) -> str:
    try:
        return (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}, line {number}: not UTF-8 ({error.reason})", "save the file as UTF-8"
        ) from None


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _record(where: str, value: object) -> Record:
    if not isinstance(value, dict):
        raise _Malformed("expected an object")
    fields = cast(Fields, value)
    asked = fields.get("status") in _STATUSES
    if "topics" not in fields and not asked:
        raise _Malformed("there are no `topics`")
    topics = tuple(_read_part(topic, "a topic") for topic in _list(fields, "topics"))
    answers = _list(fields, "answers")
    if "chain" in fields:
        chain = _chain(fields["chain"])
        claims = (Claim(topics, (chain,), tuple(_read_part(a, "an answer") for a in answers)),)
        return Record(where, fields, claims, False)
    if not all(isinstance(a, dict) and "chains" in a for a in answers) or not (answers or asked):
        raise _Malformed("there is no `chain`, nor answers with `chains`")
    return Record(where, fields, tuple(_answer_claim(topics, a) for a in answers), True)


def _answer_claim(topics: tuple[Written, ...], answer: Any) -> Claim:
    chains = tuple(_chain(chain) for chain in _list(answer, "chains"))
    return Claim(topics, chains, (_read_part(answer, "an answer"),))


def _list(fields: Mapping[str, Any], key: str) -> list[Any]:
    """The list of a field; none where the field is null or absent."""
    value = fields.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _Malformed(f"`{key}` is no list")
    return cast("list[Any]", value)


def _chain(value: object) -> Chain:
    if not isinstance(value, list):
        raise _Malformed("a chain is no list")
    steps = cast("list[object]", value)
    return tuple(_statement(step, f"step {number}") for number, step in enumerate(steps, 1))


def _statement(value: object, name: str) -> Statement:
    if isinstance(value, dict):
        fields = cast(Fields, value)
        if not isinstance(fields.get("inverse", False), bool):
            raise _Malformed(f"`inverse` of {name} is neither true nor false")
        values = [fields.get(key) for key in Statement._fields]
    elif isinstance(value, list) and len(cast("list[object]", value)) == 3:
        values = cast("list[object]", value)
    else:
        raise _Malformed(f"{name} of the chain is not a head, a relation and a tail")
    return Statement(
        *(
            _read_part(part, f"the {key} of {name}")
            for key, part in zip(Statement._fields, values, strict=True)
        )
    )


def _read_part(value: object, role: str) -> Written:
    if isinstance(value, str):
        return read_written(value)
    if isinstance(value, dict):
        fields = cast(Fields, value)
        term, label = fields.get("term"), fields.get("label")
        if isinstance(term, str):
            written = read_written(term)
            if written.term is None:
                raise _Malformed(f"the term of {role} is no term in N-Triples syntax")
            return written
        if term is None and isinstance(label, str):
            return Written(label)
    raise _Malformed(f"{role} is neither a text nor an object with a `term` or a `label`")


def _document_fields(
    record: Record, verdicts: Sequence[ClaimVerdict], names: Mapping[Term, str]
) -> Fields:
    all_verdicts: list[Verdict] = []
    for judged in verdicts:
        all_verdicts.extend(chain.verdict for chain in judged.chains)
        all_verdicts.extend(judged.answers)
    answers = [
        {
            **_term_and_label(claim.answers[0], names),
            "verdict": judged.answers[0],
            "chains": [
                _chain_fields(chain, verdict, names)
                for chain, verdict in zip(claim.chains, judged.chains, strict=True)
            ],
        }
        for claim, judged in zip(record.claims, verdicts, strict=True)
    ]
    return {"verdict": worst(all_verdicts) if all_verdicts else None, "answer_verdicts": answers}


def _chain_fields(chain: Chain, judged: ChainVerdict, names: Mapping[Term, str]) -> Fields:
    return {
        "verdict": judged.verdict,
        "triples": [
            {
                **{
                    key: _term_and_label(written, names)
                    for key, written in statement._asdict().items()
                },
                "verdict": verdict.verdict,
                "flags": verdict.flags,
            }
            for statement, verdict in zip(chain, judged.statements, strict=True)
        ],
        "well_formed": judged.well_formed,
        "flags": judged.flags,
    }


def _term_and_label(written: Written, names: Mapping[Term, str]) -> dict[str, str | None]:
    label = written.text if written.term is None else names[written.term]
    return {"term": written.term, "label": label}
