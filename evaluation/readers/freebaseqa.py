"""FreebaseQA (Jiang et al. 2019): trivia questions over the whole of Freebase."""

import re
from collections.abc import Iterable
from pathlib import Path

from ..samples import Gold, Sample
from .files import fields, read_items, split_files
from .parsing import OnBroken, Row, Samples, collect, items, record, sample_id, text, texts

_MID = re.compile(r"[mg]\.[0-9a-z_]+")
_NAMESPACE = "http://rdf.freebase.com/ns/"


def freebaseqa(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The questions of `FreebaseQA-train.json`, `-dev.json` or `-eval.json`.

    Topics and answers are terms of Freebase's RDF dump; `AnswersName` are labels of the answer.
    Hops and type are those of the shortest `InferentialChain`. Raises InputError and DatasetError.
    """
    (file,) = split_files(data, split, ("FreebaseQA-{split}", "{split}"))
    return collect(file, read_items(file, "Questions"), _sample, on_broken)


def _sample(row: Row) -> Sample:
    known = fields(row)
    parses = [record(parse, "Parses") for parse in items(known.get("Parses"), "Parses")]
    topics = [text(parse.get("TopicEntityMid"), "TopicEntityMid") for parse in parses]
    chains = [_relations(parse.get("InferentialChain")) for parse in parses]
    shortest = min(chains, key=len, default=())
    return Sample(
        id=sample_id(row, known.get("Question-ID")),
        question=text(known.get("RawQuestion"), "RawQuestion"),
        answers=_answers(parses),
        topics=tuple(dict.fromkeys(_term(topic) or topic for topic in topics)),
        hops=len(shortest) or None,
        type="..".join(shortest),
    )


def _relations(value: object) -> tuple[str, ...]:
    """The relations of a chain; `..` stands where it goes through a mediator."""
    return tuple(text(value, "InferentialChain").split(".."))


def _answers(parses: Iterable[dict[str, object]]) -> tuple[Gold, ...]:
    """Each answer of any parse once, with all of its names."""
    labels: dict[str, dict[str, None]] = {}
    for parse in parses:
        for item in items(parse.get("Answers"), "Answers"):
            answer = record(item, "Answers")
            mid = text(answer.get("AnswersMid"), "AnswersMid")
            labels.setdefault(mid, {}).update(
                dict.fromkeys(texts(answer.get("AnswersName"), "AnswersName"))
            )
    return tuple(
        Gold(_term(mid), next(iter(names), "" if _term(mid) else mid), tuple(names)[1:])
        for mid, names in labels.items()
    )


def _term(mid: str) -> str:
    return f"<{_NAMESPACE}{mid}>" if _MID.fullmatch(mid) else ""
