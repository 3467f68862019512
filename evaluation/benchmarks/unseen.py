"""Questions over graphs that nothing was trained on: `python -m ...evaluation.benchmarks.unseen`.

Prints, for each graph, strict Hits@1 where every question is answered, and what the threshold of
the reader lets through: the share answered, and the share of that which is right. Topics are linked
by us and the number of hops is unknown. Each row is a run directory under `--out`; what is there
already is not asked again. The data is that of `GROUNDWALK_DATA`.

Beside the reader stand three that nothing was trained for, to be beaten: they align words with the
labels of walks. Each hop of a walk takes the word of the question that is most like its label, a
word is taken once, and a hop costs something. The walk with the best sum is the query. `bag`
compares words alone, `aligner` has the lexicon of the reader, and `random` draws.
"""

import argparse
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from ...agent.answers.readings import ReadWith
from ...agent.decoding.plan import BeamPlan, Cost
from ...agent.errors import InputError, NoPathError
from ...agent.kg import KnowledgeGraph
from ...agent.kg.derived import Reading
from ...agent.nodes import Node
from ...agent.nodes.read import read_node
from ...agent.options import Options
from ...agent.query.actions import Action
from ...agent.query.automaton import Partial
from ...agent.query.binding import TermNames
from ...agent.query.facts import Facts, FactsLender
from ...agent.query.question import Asked
from ...agent.query.reader import ReadQueries, distinct_queries
from ...agent.query.schema import GraphSchema
from ...agent.query.schema_tables import GraphTables
from ...agent.query.word_reader import NoAccount
from ...agent.reader.inputs import Inputs
from ...agent.reader.lexicon import Lexicon, words_of
from ...agent.reader.matching import FEATURES, matches
from ...agent.reader.weights import BUNDLED, open_reader
from ...graphs import METHODS
from ...graphs.ground import Parts
from ...graphs.method import Method
from ...graphs.query import QUERY
from ..datasets import read_samples
from ..datasets.jsonl import GRAPHS
from ..record_lines import read_records
from ..records import Record
from ..runner.asking import Setup
from ..runner.evaluate import evaluate
from ..samples import Part, of_part
from .harness import data_folder, write_questions

ALIGNERS = ("aligner", "bag", "random")
_HOPS = 3
_BREADTH = 40
"""Walks of each length that are gone on with."""
_COST = 1.0
"""What a hop costs; a word of its label alone is worth more, a related one less."""
_WORTH = {"exact": 1.0, "alias": 0.8, "related": 0.5, "begins": 0.8, "rare": 0.5, "covered": 0.5}
_BAG = ("exact", "begins", "rare", "covered")


def worth_of_features(known: Sequence[str] = tuple(_WORTH)) -> npt.NDArray[np.float64]:
    """What each of `FEATURES` is worth; nothing those that are not `known`."""
    return np.array([_WORTH[name] if name in known else 0.0 for name in FEATURES])


def aligning(name: str, reader: str) -> Method:
    """One of `ALIGNERS` as a method; the lexicon is that of a reader."""

    def whole(parts: Parts, _: FactsLender) -> Node:
        lexicon = open_reader(reader).load().lexicon if name == "aligner" else Lexicon()
        aligner = _Aligner(parts.kg, lexicon, name)
        return read_node(ReadWith(parts.kg, parts.linker, aligner, NoAccount, 0.0), name)

    return replace(QUERY, whole=whole)


class _Walk(NamedTuple):
    partial: Partial
    worth: float
    taken: frozenset[int]
    """The words that its hops took."""


class _Aligner:
    def __init__(self, kg: KnowledgeGraph, lexicon: Lexicon, name: str) -> None:
        self._facts = Facts(kg)
        self._tables = GraphTables(self._facts)
        self._naming = TermNames(kg)
        self._inputs = Inputs(lexicon)
        self._random = Random(0) if name == "random" else None
        self._weights = worth_of_features(_BAG if name == "bag" else tuple(_WORTH))

    @contextmanager
    def facts(self) -> Generator[Facts]:
        yield self._facts

    def read(self, asked: Asked, plan: BeamPlan) -> ReadQueries:
        """The best walks. Raises NoPathError where none begins at what the question names."""
        schema = GraphSchema(self._tables, asked.pointed.bound, values=asked.pointed.values)
        words = words_of(asked.question, asked.mentions.numbered)
        parts = [word.parts for word in words]
        live, ended = [_Walk(Partial(), 0.0, frozenset())], list[_Walk]()
        for length in range(_HOPS + 1):
            begun = list[_Walk]()
            for walk in live:
                for action in walk.partial.following(schema).actions:
                    if action.kind == "pointer" and not length:
                        begun.append(_Walk(walk.partial.after(action), 0.0, frozenset()))
                    elif action.kind == "step" and length and action.name:
                        begun.append(self._after(walk, action, parts))
            begun.sort(key=lambda walk: -walk.worth)
            live = begun[:_BREADTH]
            ended += live if length else []
        if not ended:
            raise NoPathError("no walk begins at what the question names")
        ended.sort(key=lambda walk: -walk.worth)
        best = ended[: plan.beams]
        actions = [(*walk.partial.actions, Action("end")) for walk in best]
        shares = np.exp([walk.worth for walk in best])
        chances = (shares / shares.sum()).tolist()
        queries = distinct_queries(self._facts.kg, self._naming, actions, chances, asked.pointed)
        return ReadQueries(queries, Cost())

    def _after(self, walk: _Walk, action: Action, parts: Sequence[tuple[str, ...]]) -> _Walk:
        partial = walk.partial.after(action)
        if self._random is not None:
            return _Walk(partial, self._random.random(), walk.taken)
        worth = self._alike(action.name, parts)
        free = set(range(len(parts))) - walk.taken
        best = max(sorted(free), key=lambda word: worth[word], default=None)
        if best is None or not worth[best]:
            return _Walk(partial, walk.worth - _COST, walk.taken)
        return _Walk(partial, walk.worth + float(worth[best]) - _COST, walk.taken | {best})

    def _alike(self, relation: str, parts: Sequence[tuple[str, ...]]) -> npt.NDArray[np.float64]:
        """How much each word is like the label of a relation."""
        (name,) = self._facts.kg.walk_labels.names([relation])
        label = self._inputs.entry(name)
        return (matches(parts, [label], [None])[:, 0] * self._weights).sum(-1)


READ = "query"
"""The method that answers with the reader."""
LIMIT = 300
"""Questions of a row, a random sample over their kinds, unless another number is given."""
_GONE = 40
"""Questions of each relation that is taken out of a graph."""


@dataclass(frozen=True)
class Row:
    """Questions over a graph; `part` by the split rule."""

    name: str
    dataset: str
    data: Path | None = None
    split: str = ""
    kg: str | None = None
    part: Part = "report"
    is_answerable: bool = True
    reading: Reading = Reading()


class Worth(NamedTuple):
    """What a method is worth on a row; `answered` and `right` are at the threshold."""

    questions: int
    hits: float
    answered: float
    right: float


def rows(data: Path, made: Path) -> Iterator[Row]:
    """All rows; questions that are cut out of a dataset, or changed, are written below `made`."""
    metaqa = data / "metaqa"
    for name, split in (
        ("MetaQA 1 hop", "1-hop/dev"),
        ("MetaQA 1 hop, paraphrased", "1-hop/ntm/dev"),
        ("MetaQA 2 hops", "2-hop/dev"),
        ("MetaQA 3 hops", "3-hop/dev"),
    ):
        yield Row(name, "metaqa", metaqa, split)
    cup, graph = data / "worldcup", str(data / "worldcup" / "graph.txt")
    every = of_part(read_samples("jsonl", cup / "questions.jsonl"), "report")
    for name, wanted in (
        ("worldcup, 1 hop", ("path", 1)),
        ("worldcup, 2 hops", ("path", 2)),
        ("worldcup, conjunctions", ("conjunction", None)),
    ):
        chosen = [s for s in every if s.type == wanted[0] and wanted[1] in (None, s.hops)]
        file = write_questions(made / f"{name}.jsonl", chosen, marked=False)
        yield Row(name, "jsonl", file, kg=graph, part="all")
    for hops in (2, 3):
        name = f"PathQuestion-Large {hops} hops"
        yield Row(name, "pathquestion", data / "pathquestion", f"PQL-{hops}H")
    slices = data / "webqsp-slices"  # of Freebase, whose mediators are passed through
    yield Row("WebQSP slices", "rog", slices, "dev", part="all", reading=Reading("collapse"))
    for exam in (graph for graph in GRAPHS if graph != "world"):
        yield Row(f"{exam} exam, all kinds", "exam", split=exam, part="all")
    yield Row("world exam, sealed", "exam", split="world/sealed", part="all")
    yield from _without_relations(metaqa, made)


def _without_relations(metaqa: Path, made: Path) -> Iterator[Row]:
    """MetaQA's 1-hop questions over its graph without the relation that each asks for."""
    samples = of_part(read_samples("metaqa", metaqa, "1-hop/dev"), "report")
    lines = (metaqa / "kb.txt").read_text(encoding="utf-8").splitlines()
    for relation in sorted({sample.path[0][0] for sample in samples if sample.path}):
        chosen = [s for s in samples if s.path and s.path[0][0] == relation][:_GONE]
        graph = made / f"without {relation}.txt"
        kept = (line for line in lines if f"|{relation}|" not in line)
        graph.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        bare = [replace(sample, answers=()) for sample in chosen]
        name = f"MetaQA without {relation}"
        file = write_questions(made / f"without {relation}.jsonl", bare, marked=False)
        yield Row(name, "jsonl", file, kg=str(graph), part="all", is_answerable=False)


def asked(row: Row, methods: Sequence[str], out: Path, reader: str, limit: int) -> list[Record]:
    """The records of a row; every question is answered, however unsure."""
    setup = Setup(
        dataset=row.dataset,
        split=row.split,
        methods=tuple(methods),
        kg=row.kg,
        reading=row.reading,
        model=BUNDLED,
        reader=reader,
        options=Options(confidence=0.0, on_ambiguous="best", conversation=False),
        user_set=frozenset({"confidence", "on_ambiguous", "conversation"}),
    )
    folder = out / row.name.replace(" ", "-").replace(",", "")
    quiet = Console(stderr=True)
    evaluate(setup, folder, data=row.data, part=row.part, limit=limit, console=quiet)
    return list(read_records(folder))


def worth(records: Sequence[Record], threshold: float) -> Worth:
    """What the records of one method are worth."""
    sure = [r for r in records if r["answers"] and r["confidence"] >= threshold]
    hits, right = (sum(r["right"][:1] == [True] for r in group) for group in (records, sure))
    count = len(records)
    return Worth(count, hits / count, len(sure) / count, right / len(sure) if sure else 0.0)


def main(argv: Sequence[str] | None = None) -> None:
    """Ask all rows and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--reader", default=BUNDLED, help="the reader; unset: the bundled one")
    parser.add_argument("--limit", type=int, default=LIMIT, help="questions of a row")
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--alone", action="store_true", help="the reader without the baselines")
    options = parser.parse_args(argv)
    try:
        threshold = open_reader(options.reader).settings.threshold
        data = data_folder()
    except InputError as error:
        parser.error(str(error))
    made: Path = options.out / "made"
    made.mkdir(parents=True, exist_ok=True)
    methods = [READ] if options.alone else [READ, *ALIGNERS]
    for name in ALIGNERS:
        METHODS[name] = aligning(name, options.reader)
    table = Table("graph", "questions", *methods, f"answered at {threshold:.2f}", "right of these")
    unanswerable = list[Record]()
    for row in rows(data, made):
        if options.only not in row.name:
            continue
        records = asked(row, methods, options.out, options.reader, options.limit)
        by_method = [[r for r in records if r["method"] == method] for method in methods]
        if not row.is_answerable:
            unanswerable += by_method[0]
            continue
        worths = [worth(group, threshold) for group in by_method]
        hits = [f"{100 * w.hits:.1f}" for w in worths]
        read = worths[0]
        shares = (f"{100 * read.answered:.1f}", f"{100 * read.right:.1f}")
        table.add_row(row.name, str(read.questions), *hits, *shares)
    if unanswerable:
        read = worth(unanswerable, threshold)
        answered = f"{100 * read.answered:.1f}"
        table.add_row("unanswerable", str(read.questions), *[""] * len(methods), answered, "")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
