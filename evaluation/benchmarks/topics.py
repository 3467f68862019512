"""Questions whose topic entities are known by name, each with the graph that it is asked over."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import NamedTuple

from ...agent.errors import DatasetError
from ..datasets import read_samples
from ..samples import Part, of_part, part_of
from .harness import mistyped

_SHORTEST_MISTYPED = 8

_Names = tuple[str, str, str]


class Asked(NamedTuple):
    """A question and the names of the entities that it is about."""

    question: str
    topics: tuple[str, ...]


class Group(NamedTuple):
    """A file of triples, or none where there are no triples, and the questions about it."""

    graph: Path | None
    asked: tuple[Asked, ...]


def question_sets(folder: Path, scratch: Path, part: Part) -> dict[str, list[Group]]:
    """Every set by its title: MetaQA, PathQuestion-Large and the WebQSP slices of a data folder.

    `part` chooses from the sets that have one; of the slices, test questions all, every one is
    taken. Their graphs are written to `scratch`. Raises DatasetError.
    """
    films = folder / "metaqa" / "kb.txt"
    one, reworded, two = (
        _metaqa(folder, split, part) for split in ("1-hop/dev", "1-hop/ntm/dev", "2-hop/dev")
    )
    over_films = {
        "MetaQA 1 hop, [marked]": one,
        "MetaQA 1 hop": _unmarked(one),
        "MetaQA 1 hop, reworded": _unmarked(reworded),
        "MetaQA 1 hop, mistyped": _mistyped(one),
        "MetaQA 2 hops": _unmarked(two),
    }
    sets = {title: [Group(films, asked)] for title, asked in over_films.items()}
    for hops in (2, 3):
        graph = folder / "pathquestion" / f"PQL{hops}-KB.txt"
        sets[f"PathQuestion {hops} hops"] = [Group(graph, _pathquestion(folder, hops, part))]
    slices = list(_webqsp(folder / "webqsp-slices" / "dev.jsonl"))
    sets["WebQSP, own graphs"] = [
        Group(_written(triples, scratch / f"{number}.tsv"), (asked,))
        for number, (asked, triples) in enumerate(slices)
    ]
    union = _written(chain.from_iterable(triples for _, triples in slices), scratch / "union.tsv")
    sets["WebQSP, one graph"] = [Group(union, tuple(asked for asked, _ in slices))]
    return sets


def _metaqa(folder: Path, split: str, part: Part) -> tuple[Asked, ...]:
    samples = of_part(read_samples("metaqa", folder / "metaqa", split), part)
    return tuple(Asked(sample.question, sample.topics) for sample in samples)


def _unmarked(questions: Iterable[Asked]) -> tuple[Asked, ...]:
    return tuple(asked._replace(question=_plain(asked.question)) for asked in questions)


def _mistyped(questions: Iterable[Asked]) -> tuple[Asked, ...]:
    """Those with a long name, a slip in it, and no brackets."""
    dice = Random(0)
    return tuple(
        asked._replace(question=_plain(asked.question.replace(name, mistyped(name, dice))))
        for asked in questions
        if len(name := asked.topics[0]) >= _SHORTEST_MISTYPED
    )


def _plain(question: str) -> str:
    return question.replace("[", "").replace("]", "")


def _pathquestion(folder: Path, hops: int, part: Part) -> tuple[Asked, ...]:
    """The topic is where the gold path begins; a question that is there twice counts once."""
    file = folder / "pathquestion" / f"PQL-{hops}H.txt"
    rows = [line.split("\t") for line in _lines(file)]
    if any(len(row) != 3 for row in rows):
        raise DatasetError(f"{file} is not of lines of three columns", "check the file")
    questions = (Asked(question.strip(), (path.partition("#")[0],)) for question, _, path in rows)
    return tuple(
        asked for asked in dict.fromkeys(questions) if part in ("all", part_of(asked.question))
    )


def _webqsp(file: Path) -> Iterator[tuple[Asked, list[_Names]]]:
    """The questions that say what they are about, with the triples found for each."""
    for line in _lines(file):
        try:
            fields = json.loads(line)
            asked = Asked(fields["question"], tuple(fields["q_entity"]))
            triples = [(head, relation, tail) for head, relation, tail in fields["graph"]]
        except (ValueError, KeyError, TypeError) as error:
            raise DatasetError(f"{file} is not in RoG's form: {error}", "check it") from error
        if asked.topics:
            yield asked, triples


def _written(triples: Iterable[_Names], file: Path) -> Path | None:
    lines = ["\t".join(triple) + "\n" for triple in triples]
    file.write_text("".join(lines), encoding="utf-8")
    return file if lines else None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{file} cannot be read: {error}", "check the data folder") from error
