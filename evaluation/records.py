"""The record of a question: the line of `samples.jsonl` that it leaves behind."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, NotRequired, TypeAlias, cast

from typing_extensions import TypedDict

from ..agent.errors import GroundwalkError, ServiceError
from ..agent.kg.labels.names import normalise
from ..agent.kg.verification.claims import Verdict, worst
from ..agent.query.account import unread
from ..agent.query.normal import normal
from ..agent.query.tree import read_query, write_query
from ..agent.records import (
    Answer,
    Candidate,
    Emitted,
    Entity,
    Status,
    StepRecord,
    Usage,
    no_usage,
    nothing_emitted,
)
from ..agent.state import State
from .samples import NamedTriple, Sample
from .scoring.answer_forms import form_of, gold_in_form, stated_in_form
from .scoring.metrics import (
    GoldAnswers,
    Predicted,
    Scores,
    count_triples,
    no_scores,
    strict,
    triplet_f1,
)

Labels: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""The labels of terms as their KG states them, without what keeps display names apart."""

Representatives: TypeAlias = Callable[[Iterable[str]], Mapping[str, str]]
"""The term that stands for each one in a KG, where several are read as the same entity."""


SCHEMA = 2
"""The version of the lines of `samples.jsonl`: 2 has the status `partial`."""
SCHEMAS = (1, SCHEMA)
"""The versions that can be read."""

SERVICE_FAILED = f"{ServiceError.code}: "
"""How the `error` of a record begins whose question a service did not answer."""


class Asked(NamedTuple):
    """The dataset, split and method that a record belongs to."""

    dataset: str
    split: str
    method: str


class GoldRecord(TypedDict):
    """A right answer; what is unknown of it is empty."""

    term: str
    label: str
    aliases: list[str]


class Rejected(TypedDict):
    """What was weighed for an answer and is none: a reading of the question, or a walk.

    `likelihood` is 0 where the model did not say how likely it is.
    """

    words: str
    """The query that the question may be, in words; empty for a walk."""
    steps: list[StepRecord]
    """The triples of a walk."""
    likelihood: float
    verdict: str
    """What the store says of the walk; empty for a reading."""


class Record(TypedDict):
    """A question, what was answered, and what that is worth.

    Dataset, split, id and method together are its key.
    """

    schema: int
    dataset: str
    split: str
    id: str
    method: str
    question: str
    hops: int | None
    type: str
    tags: list[str]
    choices: list[str]
    status: Status | Literal["error"]
    confidence: float
    reasoner: str
    """Who decided: `llm`, `vote`, `likelihood` (the local model's, in place of an LLM's choices),
    `chain` (dog's best one), `ends` (nobody: all ends of walks are answers), or none."""
    gold: list[GoldRecord]
    gold_chains: list[list[NamedTriple]]
    topics: list[Entity]
    answers: list[Answer]
    right: list[bool]
    """Of each answer, whether it is right."""
    unsupported: list[str]
    metrics: Scores | None
    """None where there is no right answer."""
    triplet_f1: float | None
    """F1 of the answers' triples against the gold chains; None where none are given."""
    emitted: Emitted
    """What the method wrote in all, also what was dropped."""
    triples: int
    """Distinct triples in the chains of the answers."""
    supported: int
    """How many of them the store confirmed."""
    usage: Usage
    seconds: float
    """Wall-clock time, of which `usage` holds what the nodes took."""
    notes: list[str]
    error: str | None
    said: NotRequired[list[str]]
    """The number, the yes or no, or the rows that were scored in the place of the answers."""
    as_plain: NotRequired[bool]
    """Whether the answers are those without the word that changes the question."""
    same_tree: NotRequired[bool]
    """Whether the query that was executed is the gold one."""
    reading: NotRequired[str]
    """The query that was executed, in words."""
    unread_words: NotRequired[list[str]]
    """The words of the question that were told as not understood."""
    rejected: NotRequired[list[Rejected]]
    """The likeliest readings and walks that are no answers, where there is no answer."""
    expressible: NotRequired[bool]
    """Whether the graph can say all that is asked."""
    named: NotRequired[bool]
    """Whether a word that the graph has nothing for was told as not understood."""


def answered(
    sample: Sample,
    asked: Asked,
    state: State,
    seconds: float,
    labels: Labels | None = None,
    representatives: Representatives | None = None,
) -> Record:
    """The record of a question that went through the graph.

    Terms that `representatives` gives the same term are the same answer.
    """
    answers = state.get("answers", [])
    chains = [chain for answer in answers for chain in answer["chains"]]
    names = _kg_labels(answers, chains if sample.chains else [], labels)
    record = _blank(sample, asked, seconds)
    record["status"] = state.get("status", "abstained")
    record["confidence"] = state.get("confidence", 0.0)
    record["reasoner"] = state.get("reasoner", "")
    record["topics"] = state.get("topics", [])
    record["answers"] = answers
    record["unsupported"] = state.get("unsupported", [])
    _score(record, sample, state, names, representatives)
    _add_reading(record, sample, state)
    if not answers and state.get("result") is None and (rejected := _rejected(asked, state)):
        record["rejected"] = rejected
    record["triplet_f1"] = triplet_f1(chains, sample.chains, names)
    record["emitted"] = state.get("emitted", nothing_emitted())
    record["triples"], record["supported"] = count_triples(chains)
    record["usage"] = state.get("usage", no_usage())
    record["notes"] = state.get("notes", [])
    return record


def _score(
    record: Record,
    sample: Sample,
    state: State,
    names: dict[str, str],
    representatives: Representatives | None,
) -> None:
    """What the answers are worth, or what was stated in the form that the question wants."""
    answers, form = record["answers"], form_of(sample)
    terms = [*(a["term"] for a in answers), *(g.term for g in sample.answers if g.term)]
    same = representatives(terms) if representatives else {term: term for term in terms}
    gold = [replace(g, term=same.get(g.term, "")) for g in gold_in_form(sample)]
    if (stated := stated_in_form(state, form)) is not None:
        predicted = [Predicted("", (text,)) for text in stated]
        record["metrics"] = strict(gold, predicted, sample.choices)
        is_hit = bool(record["metrics"] and record["metrics"]["hit"])
        record["said"], record["right"] = stated, [is_hit] * len(answers)
    else:
        predicted = [
            Predicted(
                same[a["term"]],
                tuple(dict.fromkeys((a["label"], names.get(a["term"], a["label"])))),
            )
            for a in answers
        ]
        record["metrics"] = strict(gold, predicted, sample.choices)
        right = GoldAnswers(gold, sample.choices)
        record["right"] = [bool(right.matched(answer)) for answer in predicted]
    if sample.plain:
        plain = gold_in_form(Sample("", "", sample.plain, form=form))
        scores = strict(plain, predicted)
        record["as_plain"] = scores is not None and scores["f1"] == 1.0


def _add_reading(record: Record, sample: Sample, state: State) -> None:
    """The query that was read, in words, and what of the question it leaves out."""
    if reading := state.get("reading"):
        record["reading"] = reading
    if account := state.get("account"):
        record["unread_words"] = unread(account)
    if sample.absent_words:
        record["named"] = _has_common_word(record.get("unread_words", []), sample.absent_words)
    if sample.query and (tree := state.get("query_tree")) is not None:
        record["same_tree"] = _plain_tree(json.loads(sample.query)["query"]) == _plain_tree(tree)


_MOST_REJECTED = 5
_BY_READINGS = "query"
"""The method that answers a question by how it is read as a whole."""


def _rejected(asked: Asked, state: State) -> list[Rejected]:
    """The likeliest of what was weighed: readings before walks, true walks before others.

    Only `query` answers by readings; of any other method they are not what it weighed.
    """
    readings = [
        Rejected(words=r["words"], steps=[], likelihood=round(r["probability"], 4), verdict="")
        for r in (state.get("readings", []) if asked.method == _BY_READINGS else [])
    ]
    walks = sorted(state.get("candidates", []), key=lambda c: -c["relevance"])
    return [*readings, *map(_rejected_walk, (*walks, *state.get("refused", [])))][:_MOST_REJECTED]


def _rejected_walk(walk: Candidate) -> Rejected:
    verdict = worst([cast("Verdict", step["verdict"]) for step in walk["steps"]])
    likelihood = round(walk["relevance"], 4)
    return Rejected(words="", steps=walk["steps"], likelihood=likelihood, verdict=verdict)


def _has_common_word(texts: Sequence[str], words: str) -> bool:
    named = {word for text in texts for word in normalise(text).split()}
    return not named.isdisjoint(normalise(words).split())


_TERMS = frozenset({"id", "class_id"})


def _plain_tree(tree: object) -> object:
    """A tree without what differs between two that say the same: nesting, terms, orders.

    Which mention is meant is left out too; that shows in what the query comes to.
    """
    return _in_order(write_query(normal(read_query(_without_terms(tree)))))


def _without_terms(tree: Any) -> Any:
    """A tree of names alone, where a term stands beside its name."""
    if isinstance(tree, list):
        return [_without_terms(part) for part in cast("list[Any]", tree)]
    if not isinstance(tree, dict):
        return tree
    record = cast("dict[str, Any]", tree)
    return {key: _without_terms(part) for key, part in record.items() if key not in _TERMS}


def _in_order(tree: Any) -> Any:
    """A tree with its conditions sorted, all mentions alike."""
    if isinstance(tree, list):
        return [_in_order(part) for part in cast("list[Any]", tree)]
    if not isinstance(tree, dict):
        return tree
    record = {key: _in_order(part) for key, part in cast("dict[str, Any]", tree).items()}
    for key in ("filters", "and", "not", "any", "having", "all"):
        if isinstance(record.get(key), list):
            record[key] = sorted(record[key], key=json.dumps)
    if isinstance(record.get("start"), list):
        record["start"] = [0] * len(record["start"])
    return record | ({"mention": 0} if "mention" in record else {})


def failed(sample: Sample, asked: Asked, error: GroundwalkError, seconds: float) -> Record:
    """The record of a question that ended in an error; it counts as a miss."""
    record = _blank(sample, asked, seconds)
    record["error"] = f"{error.code}: {error.message}"
    return record


def _kg_labels(
    answers: Sequence[Answer], chains: Sequence[Sequence[StepRecord]], labels: Labels | None
) -> dict[str, str]:
    """The KG's own labels of the answers and of every term of the chains, in one request."""
    terms = dict.fromkeys(answer["term"] for answer in answers)
    terms |= dict.fromkeys(
        named["term"]
        for chain in chains
        for step in chain
        for named in (step["head"], step["relation"], step["tail"])
    )
    return dict(zip(terms, labels(list(terms)), strict=True)) if labels and terms else {}


def _blank(sample: Sample, asked: Asked, seconds: float) -> Record:
    record = Record(
        schema=SCHEMA,
        dataset=asked.dataset,
        split=asked.split,
        id=sample.id,
        method=asked.method,
        question=sample.question,
        hops=sample.hops,
        type=sample.type,
        tags=list(sample.tags),
        choices=list(sample.choices),
        status="error",
        confidence=0.0,
        reasoner="",
        gold=[
            GoldRecord(term=g.term, label=g.label, aliases=list(g.aliases)) for g in sample.answers
        ],
        gold_chains=[list(chain) for chain in sample.chains],
        topics=[],
        answers=[],
        right=[],
        unsupported=[],
        metrics=no_scores() if sample.answers else None,
        triplet_f1=triplet_f1([], sample.chains),
        emitted=nothing_emitted(),
        triples=0,
        supported=0,
        usage=no_usage(),
        seconds=round(seconds, 6),
        notes=[],
        error=None,
    )
    if sample.plain:
        record["as_plain"] = False
    if sample.absent_words:
        record["expressible"] = record["named"] = False
    elif sample.answers or sample.query:
        record["expressible"] = True
    return record
