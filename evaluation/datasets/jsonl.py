"""Questions as JSON: the user's own, and the sets that come with the package.

One JSON object a line, or a JSON list or Parquet file of them. With the package come the world
questions and the exams: questions that nobody looked at while anything was made, for some
graphs with gold query trees.
"""

import json
import re
from dataclasses import replace
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import cast

from ...agent.errors import InputError, QuestionError
from ...agent.kg.nodes import to_node
from ...agent.query.tree import read_query
from ..samples import Gold, Sample
from ..scoring.answer_forms import FORMS, row_text
from .files import (
    OnBroken,
    Row,
    Samples,
    chain,
    collect,
    fields,
    graph,
    items,
    read_rows,
    sample_id,
    split_files,
    text,
    texts,
)

_TERM = re.compile(r'<[a-zA-Z][^<>\s]*:[^<>\s]*>|"(.*)"(?:@[\w-]+|\^\^<[^<>\s]+>)', re.DOTALL)

_NONE = "none in the graph"
"""The `why` of a question that has an answer: that there is none."""


def read_jsonl(file: Path) -> tuple[Sample, ...]:
    """The questions of a file, all of which must be right: see `jsonl`. Raises DatasetError."""
    return jsonl(file, "", "fail").samples


def jsonl(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The fields `question` and `answers`, and if known the others of a `Sample`.

    An answer is a label, a term in N-Triples syntax, or `{"term", "label", "aliases"}`; an empty
    list says that the question cannot be answered. It may be a number, `yes` or `no`, or with the
    `form` `rows` a list of cells. `plain` are the answers without the word that changes the
    question, `query` is the gold tree with its `mentions`; `kind` is another name of `type`. `why`
    are the words that the graph has nothing for, or says that there is none.
    Triples of `chains` and `graph` are lists of three names. Without an id the line's number makes
    one. Raises InputError and DatasetError.
    """
    files = split_files(data, split)
    return collect(files[0], read_rows(files), _sample, on_broken)


def _sample(row: Row) -> Sample:
    known = fields(row)
    hops = known.get("hops")
    if not (hops is None or type(hops) is int):
        raise ValueError("`hops` is not a whole number")
    answers = items(known.get("answers"), "answers")
    chains = items(known.get("chains"), "chains", optional=True)
    triples = known.get("graph")
    return Sample(
        id=sample_id(row, known.get("id")),
        question=text(known.get("question"), "question"),
        answers=tuple(dict.fromkeys(_gold(answer) for answer in answers)),
        form=_form(known.get("form")),
        plain=tuple(map(_gold, items(known.get("plain"), "plain", optional=True))),
        query=_query(known.get("query"), known.get("mentions")),
        absent_words=_absent_words(known.get("why")),
        topics=texts(known.get("topics"), "topics", optional=True),
        hops=hops,
        tags=texts(known.get("tags"), "tags", optional=True),
        type=text(known.get("type", known.get("kind")), "type", empty=True),
        choices=texts(known.get("choices"), "choices", optional=True),
        chains=tuple(chain(one, "chains") for one in chains),
        graph=None if triples is None else graph(triples, "graph"),
    )


def _form(value: object) -> str:
    form = text(value, "form", empty=True)
    if form and form not in FORMS:
        raise ValueError(f"`form` is none of {', '.join(FORMS)}")
    return form


def _absent_words(value: object) -> str:
    words = text(value, "why", empty=True)
    return "" if words == _NONE else words


def _query(value: object, mentions: object) -> str:
    if value is None:
        return ""
    try:
        read_query(value)
    except QuestionError as error:
        raise ValueError(f"`query`: {error.message}") from None
    named = items(mentions, "mentions", optional=True)
    return json.dumps({"query": value, "mentions": named}, ensure_ascii=False)


def _gold(value: object) -> Gold:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Gold(label=f"{value:.12g}")
    if isinstance(value, list):
        return Gold(label=row_text(cast("list[str]", value)))
    if isinstance(value, dict):
        known = cast("dict[str, object]", value)
        gold = Gold(
            text(known.get("term"), "answers", empty=True),
            text(known.get("label"), "answers", empty=True),
            texts(known.get("aliases"), "answers", optional=True),
        )
        if not (gold.term or gold.label):
            raise ValueError("an answer has neither `term` nor `label`")
        if gold.term:
            _check_term(gold.term)
        return gold
    name = text(value, "answers")
    match = _TERM.fullmatch(name)
    if match is None:
        return Gold(label=name)
    return Gold(term=name, label=match[1] or "")


def _check_term(term: str) -> None:
    try:
        to_node(term)
    except ValueError:
        shape = '<http://example.org/a> or "text"@en'
        raise ValueError(f"`term` is not in N-Triples syntax, such as {shape}: {term}") from None


_DATA = resources.files(f"{__name__.split('.')[0]}.data")
WORLD_RETRIEVED = Path(str(_DATA / "world" / "retrieved.jsonl"))
"""What the words of the world questions retrieve, for the method `paths`."""

_WORLD_FILES = {
    "test": ("questions.jsonl", "sealed.jsonl"),
    "open": ("questions.jsonl",),
    "sealed": ("sealed.jsonl",),
    "tuning": ("tuning.jsonl",),
}
GRAPHS = ("world", "concerts", "huts", "rental", "recycling", "lexicon", "aquarium", "garage")
"""The graphs that there is an exam over."""
HALVES = ("open", "sealed")


def read_world(split: str = "test") -> tuple[Sample, ...]:
    """The questions over the bundled KG; some have no answer, on purpose. Raises InputError.

    Half of `test` is `sealed`: nobody looked at it while anything was trained or tuned.
    """
    if split not in _WORLD_FILES:
        raise InputError(
            f"the world questions have no split {split!r}", f"splits: {', '.join(_WORLD_FILES)}"
        )
    return tuple(
        replace(sample, topics=tuple(f"<{iri}>" for iri in sample.topics))
        for name in _WORLD_FILES[split]
        for sample in _read("world", name)
    )


def read_exam(split: str) -> tuple[Sample, ...]:
    """The questions of a split, as `world/open`; of both halves where only a graph is named.

    Raises InputError for another split.
    """
    graph, _, half = split.partition("/")
    if graph not in GRAPHS or half not in ("", *HALVES):
        names = [*GRAPHS, *(f"{graph}/{half}" for graph in GRAPHS for half in HALVES)]
        raise InputError(f"the exams have no split {split!r}", f"splits: {', '.join(names)}")
    samples = list[Sample]()
    for name in [half] if half else HALVES:
        trees = _trees(graph, name)
        samples += [
            replace(sample, query=trees.get(sha256(sample.question.encode()).hexdigest(), ""))
            for sample in _read(f"exams/{graph}", f"{name}.jsonl")
        ]
    return tuple(samples)


def exam_kg(split: str) -> str:
    """Where the graph of a split is, as `open_kg` takes it."""
    name = split.partition("/")[0]
    if name == "world" or name not in GRAPHS:
        return "world"
    return str(_DATA / "exams" / name / f"{name}.ttl")


def _read(folder: str, name: str) -> tuple[Sample, ...]:
    with resources.as_file(_DATA / folder / name) as file:
        return read_jsonl(file)


def _trees(graph: str, half: str) -> dict[str, str]:
    """The gold trees by the digest of their questions; none where there is no such file."""
    file = _DATA / "exams" / graph / f"{half}.trees.jsonl"
    if not file.is_file():
        return {}
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {
        record["question"]: json.dumps(
            {key: record[key] for key in ("query", "mentions")}, ensure_ascii=False
        )
        for record in records
        if record["query"] is not None
    }
