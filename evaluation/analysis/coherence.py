"""How coherent the chains of answers are, in the eyes of a chat model: 1 to 5 (GCR appendix F.4).

What the model says is kept in `coherence.jsonl` beside the run, line by line, so that judging goes
on where it stopped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import TypedDict

from ...agent.decoding.wire import SEPARATOR, escape, spell_relation
from ...agent.errors import InputError, ServiceError
from ...agent.llm.replies import without_thoughts
from ...agent.records import StepRecord
from ...prompts import render
from ..record_lines import LINES_FILE, checked, json_line, numbered_lines, open_lines, read_records
from ..records import SCHEMA, Record
from .bootstrap import Estimate, ratio_interval

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


COHERENCE_FILE = "coherence.jsonl"
_LONGEST_REPLY = 500

_SCALE = re.compile(
    r"(?:from|between|of)?\s*\b1\s*(?:-|–|to|and|through)\s*5\b|(?:/|\bout of\b|\bof\b)\s*5\b",
    re.IGNORECASE,
)
_NUMBER = r"(?<![\d.,/])([1-5])(?:\.0+)?(?![\d/]|[.,]\d)"
_LABELLED = re.compile(
    rf"(?:rating|rate|score|grade|coherence)\W*(?:\w+\W+){{0,4}}?{_NUMBER}", re.IGNORECASE
)
_ALONE = re.compile(_NUMBER)
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


class Rating(TypedDict):
    """A line of `coherence.jsonl`: the first chain of an answer, as `llm` rated it.

    Dataset, split, id, method, answer, chain and llm together are its key.
    """

    schema: int
    dataset: str
    split: str
    id: str
    method: str
    answer: str
    """The answer's term."""
    chain: str
    llm: str
    rating: int | None
    """1 to 5; None where the reply gives none."""
    reply: str


@dataclass(frozen=True)
class Coherence:
    """The ratings of one method by one model; `mean` is over chains, its interval over questions.

    `unread` replies gave no rating, and are not in the mean, which is None where none gave one.
    """

    method: str
    llm: str
    questions: int
    chains: int
    unread: int
    mean: Estimate | None


class _Key(NamedTuple):
    dataset: str
    split: str
    id: str
    method: str
    answer: str
    chain: str
    llm: str


class _Item(NamedTuple):
    key: _Key
    prompt: str


def judge(
    run: Path,
    llm: "BaseChatModel",
    name: str,
    limit: int | None = None,
    prompts: Path | None = None,
) -> list[Coherence]:
    """Have `llm`, called `name`, rate the first chain of every answer of a run.

    `limit` is the number of questions, of each method. Chains that `name` has rated before are not
    asked again. Raises InputError where the run or its ratings cannot be read, or nothing was
    answered, ServiceError where the model does not answer; what it said until then is kept.
    """
    if not run.is_dir():
        raise InputError(f"{run} is not a run directory", "ratings are kept in it")
    items = list(_items(_first(read_records(run / LINES_FILE), limit), name, prompts))
    if not items:
        raise InputError(f"{run} has no answer with a chain", "there is nothing to rate")
    file = run / COHERENCE_FILE
    with open_lines(file, "ratings are kept in it") as lines:
        known = {_key(rating): rating for rating in _ratings(file)}
        for item in items:
            if item.key not in known:
                known[item.key] = rating = _ask(llm, item)
                lines.write(json_line(rating))
    methods: dict[str, list[Rating]] = {}
    for item in items:
        methods.setdefault(item.key.method, []).append(known[item.key])
    return [_sum_up(method, name, ratings) for method, ratings in methods.items()]


def spell_chain(chain: Sequence[StepRecord]) -> str:
    """A chain in one line, its names escaped so that none of them can end it.

    Where a triple does not start at the end of the one before, as in DoG's chains, a `;` says so.
    """
    walks: list[list[str]] = []
    end = ""
    for step in chain:
        ends = step["head"], step["tail"]
        source, target = reversed(ends) if step["inverse"] else ends
        if not walks or source["term"] != end:
            walks.append([escape(source["label"])])
        relation = spell_relation(escape(step["relation"]["label"]), step["inverse"])
        walks[-1] += relation, escape(target["label"])
        end = target["term"]
    return "; ".join(SEPARATOR.join(walk) for walk in walks)


def _first(records: Sequence[Record], limit: int | None) -> Iterator[Record]:
    """The first records of each method."""
    seen: dict[str, int] = {}
    for record in records:
        seen[record["method"]] = seen.get(record["method"], 0) + 1
        if limit is None or seen[record["method"]] <= limit:
            yield record


def _items(records: Iterator[Record], name: str, prompts: Path | None) -> Iterator[_Item]:
    for record in records:
        for answer in record["answers"]:
            if not answer["chains"] or not answer["chains"][0]:
                continue
            chain = spell_chain(answer["chains"][0])
            question = record["dataset"], record["split"], record["id"], record["method"]
            names = {"question": escape(record["question"]), "answer": escape(answer["label"])}
            yield _Item(
                _Key(*question, answer["term"], chain, name),
                render("judge/coherence.jinja", prompts, chain=chain, **names),
            )


def _ask(llm: "BaseChatModel", item: _Item) -> Rating:
    try:
        reply = llm.invoke(item.prompt).text
    except Exception as error:  # any client's error
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        hint = "run it again to go on from here"
        raise ServiceError(f"{item.key.llm} did not answer: {reason}", hint) from error
    return Rating(
        schema=SCHEMA,
        **item.key._asdict(),
        rating=read_rating(reply),
        reply=reply[:_LONGEST_REPLY],
    )


def _ratings(file: Path) -> Iterator[Rating]:
    for number, line in numbered_lines(file):
        hint = "delete the line, or the file, and run it again"
        yield checked(Rating, line, f"{file}, line {number}: is not a rating", hint)


def _key(rating: Rating) -> _Key:
    return _Key(*(rating[field] for field in _Key._fields))


def _sum_up(method: str, name: str, ratings: Sequence[Rating]) -> Coherence:
    questions: dict[tuple[str, str, str], list[int]] = {}
    for rating in ratings:
        key = rating["dataset"], rating["split"], rating["id"]
        numbers = questions.setdefault(key, [])
        if rating["rating"] is not None:
            numbers.append(rating["rating"])
    sums, counts = ([f(numbers) for numbers in questions.values()] for f in (sum, len))
    return Coherence(
        method=method,
        llm=name,
        questions=len(questions),
        chains=len(ratings),
        unread=sum(rating["rating"] is None for rating in ratings),
        mean=ratio_interval(sums, counts),
    )


def read_rating(reply: str) -> int | None:
    """The rating that a reply gives, or None where it gives none, or several.

    What a reasoning model thinks aloud and mentions of the scale (`4/5`, `from 1 to 5`) do not
    count. A number behind a word such as `Rating` or `score` is it, the last such; else the only
    number is, or the only number word of a reply that is one word.
    """
    text = _SCALE.sub(" ", without_thoughts(reply))
    labelled = _LABELLED.findall(text)
    if labelled:
        return int(labelled[-1])
    alone = set(_ALONE.findall(text))
    if len(alone) == 1:
        return int(alone.pop())
    return _WORDS.get(text.strip(" \n\t*_.#").lower())
