"""PathQuestion and PathQuestion-Large (Zhou et al. 2018): each question with its gold path."""

import re
from collections import defaultdict
from collections.abc import Set
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...agent.errors import InputError
from ..samples import Gold, NamedTriple, Sample
from .files import line_text, read_lines, read_texts
from .parsing import OnBroken, Row, Samples, collect, text

_SPLIT = re.compile(r"(PQL?)-([23])H(?:_more)?")
_END = "<end>"


def pathquestion(folder: Path, split: str, on_broken: OnBroken) -> Samples:
    """The questions of `PQ-2H.txt`, `PQ-3H.txt`, `PQL-2H.txt` or `PQL-3H.txt`, named without .txt.

    Gold answers are the answer set. `chains` has the question's own path first, then the paths
    that the same question has in other lines; a triple stands as the KG holds it, whichever way
    the path takes it. The topic entity is where the path begins, the type its relations, the gold
    relation path its relations with their directions. Raises InputError and DatasetError.
    """
    kb = kb_file(folder, split)
    file = folder / f"{split}.txt"
    rows = list(read_lines(file))
    held = {tuple(line.split("\t")) for line in read_texts(kb).values()}
    return collect(file, rows, partial(_sample, split, held, _alternatives(rows)), on_broken)


def kb_file(folder: Path, split: str) -> Path:
    """The KG of a split. Raises InputError where there is no such split."""
    match = _SPLIT.fullmatch(split)
    if match is None:
        raise InputError(f"PathQuestion has no split {split!r}", "give one such as PQL-2H")
    kind, hops = match[1], match[2]
    return folder / (f"PQL{hops}-KB.txt" if kind == "PQL" else f"{hops}H-kb.txt")


class _Line(NamedTuple):
    question: str
    answers: tuple[str, ...]
    path: tuple[str, ...]


def _sample(
    split: str, held: Set[tuple[str, ...]], paths: dict[str, list[tuple[str, ...]]], row: Row
) -> Sample:
    line = _parsed(row)
    alternatives = dict.fromkeys([line.path, *paths[line.question]])
    chain = _chain(line.path, held)
    return Sample(
        id=f"{split}-{row.number:06}",
        question=line.question,
        answers=tuple(Gold(label=label) for label in line.answers),
        topics=line.path[:1],
        hops=len(line.path) // 2,
        type="#".join(line.path[1::2]),
        chains=tuple(_chain(path, held) for path in alternatives),
        path=tuple(
            (relation, head != start)
            for (head, relation, _), start in zip(chain, line.path[::2], strict=False)
        ),
    )


def _alternatives(rows: list[Row]) -> dict[str, list[tuple[str, ...]]]:
    paths: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in rows:
        try:
            line = _parsed(row)
        except ValueError:
            continue
        paths[line.question].append(line.path)
    return paths


def _parsed(row: Row) -> _Line:
    columns = line_text(row).split("\t")
    if len(columns) != 3:
        raise ValueError("is not `question TAB answer(answer/...) TAB path`")
    question, answers, path = columns
    names = path.strip().split("#")
    if names[-2:-1] == [_END]:
        names = names[:-2]
    if len(names) < 3 or len(names) % 2 == 0 or not all(names):
        raise ValueError("the path is not `entity#relation#entity...`")
    return _Line(text(question, "question"), _answers(answers.strip()), tuple(names))


def _answers(column: str) -> tuple[str, ...]:
    """The set of `one(one/other/)`; names hold brackets too, but the set holds the one."""
    for index, character in enumerate(column):
        if character == "(" and column.endswith("/)"):
            answers = column[index + 1 : -2].split("/")
            if column[:index] in answers and all(answers):
                return tuple(dict.fromkeys(answers))
    raise ValueError("the answers are not `answer(answer/...)`")


def _chain(path: tuple[str, ...], held: Set[tuple[str, ...]]) -> tuple[NamedTriple, ...]:
    steps = zip(path[:-2:2], path[1::2], path[2::2], strict=True)
    return tuple(
        (tail, relation, head)
        if (tail, relation, head) in held and (head, relation, tail) not in held
        else (head, relation, tail)
        for head, relation, tail in steps
    )
