"""Published question sets that come with their graph, one for all questions or one for each.

MetaQA (Zhang et al. 2018) has questions of one to three hops over its film KG; PathQuestion and
PathQuestion-Large (Zhou et al. 2018) have each question with its gold path. A graph each have
WebQSP and CWQ as RoG (Luo et al. 2024) publishes them, and 2WikiMultihopQA (Ho et al. 2020), whose
graphs are the Wikidata triples that answer a question.
"""

import json
import re
from collections import defaultdict
from collections.abc import Set
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...agent.errors import DatasetError, InputError
from ..samples import Gold, NamedStep, NamedTriple, Sample, pack
from .files import (
    OnBroken,
    Row,
    Samples,
    chain,
    collect,
    fields,
    graph,
    line_text,
    read_lines,
    read_rows,
    read_texts,
    sample_id,
    split_files,
    text,
    texts,
)

_METAQA_SPLIT = re.compile(r"([1-9])-hop/(?:(vanilla|ntm)/)?([a-z]+)")
_RELATIONS = {
    "actor": "starred_actors",
    "director": "directed_by",
    "genre": "has_genre",
    "imdbrating": "has_imdb_rating",
    "imdbvotes": "has_imdb_votes",
    "language": "in_language",
    "tag": "has_tags",
    "tags": "has_tags",
    "writer": "written_by",
    "year": "release_year",
}
"""The relation that leads from a movie to an entity of each kind that the types name."""


def metaqa(folder: Path, split: str, on_broken: OnBroken) -> Samples:
    """The questions of `<hops>-hop/vanilla/qa_<split>.txt`, as they stand there.

    A split is such as `1-hop/dev`, or `1-hop/ntm/dev` for the paraphrased questions. The topic
    stays in its [brackets] and is given by label, as are the answers. The number in an id is that
    of the line, from 1. The types come from `<hops>-hop/qa_<split>_qtype.txt` where it is there,
    and the gold relation paths from them; the dataset has no gold chains. Raises InputError and
    DatasetError.
    """
    match = _METAQA_SPLIT.fullmatch(split)
    if match is None:
        raise InputError(f"MetaQA has no split {split!r}", "give one such as 1-hop/dev")
    hops, wording, name = int(match[1]), match[2] or "vanilla", match[3]
    variant = "" if wording == "vanilla" else f"{wording}-"
    file = folder / f"{hops}-hop" / wording / f"qa_{name}.txt"
    rows = list(read_lines(file))
    types = _types(folder / f"{hops}-hop" / f"qa_{name}_qtype.txt", rows)
    read = _Split(f"metaqa-{hops}hop-{variant}{name}-", hops, types)
    return collect(file, rows, partial(_metaqa_sample, read), on_broken)


class _Split(NamedTuple):
    id: str
    hops: int
    types: dict[int, str]


def _types(file: Path, questions: list[Row]) -> dict[int, str]:
    """The question types by line; there is one for each question, or the file is another's."""
    if not file.exists():
        return {}
    types = {number: text.strip() for number, text in read_texts(file).items()}
    if types.keys() != {row.number for row in questions}:
        raise DatasetError(
            f"{file} has {len(types)} lines for {len(questions)} questions",
            "take the file that came with the questions, or remove it",
        )
    return types


def _path(kind: str) -> tuple[NamedStep, ...]:
    """The relation path of a type such as `actor_to_movie_to_year`; none of a type of others."""
    classes = kind.split("_to_")
    steps = [
        (_RELATIONS.get(source if target == "movie" else target, ""), target == "movie")
        for source, target in zip(classes, classes[1:], strict=False)
        if "movie" in (source, target)
    ]
    return tuple(steps) if len(steps) == len(classes) - 1 and all(r for r, _ in steps) else ()


def _metaqa_sample(read: _Split, row: Row) -> Sample:
    question, tab, answers = line_text(row).partition("\t")
    labels = [label.strip() for label in answers.split("|")]
    start, end = question.find("["), question.rfind("]")
    if not tab or "\t" in answers or not all(labels):
        raise ValueError("is not `question TAB answer|answer`")
    if not -1 < start < end - 1:
        raise ValueError("the question names no topic in [brackets]")
    return Sample(
        id=f"{read.id}{row.number:06}",
        question=question.strip(),
        answers=tuple(Gold(label=label) for label in dict.fromkeys(labels)),
        topics=(text(question[start + 1 : end], "topic"),),
        hops=read.hops,
        type=(kind := read.types.get(row.number, "")),
        path=_path(kind),
    )


_PATHQUESTION_SPLIT = re.compile(r"(PQL?)-([23])H(?:_more)?")
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
    return collect(
        file, rows, partial(_pathquestion_sample, split, held, _alternatives(rows)), on_broken
    )


def kb_file(folder: Path, split: str) -> Path:
    """The KG of a split. Raises InputError where there is no such split."""
    match = _PATHQUESTION_SPLIT.fullmatch(split)
    if match is None:
        raise InputError(f"PathQuestion has no split {split!r}", "give one such as PQL-2H")
    kind, hops = match[1], match[2]
    return folder / (f"PQL{hops}-KB.txt" if kind == "PQL" else f"{hops}H-kb.txt")


class _Line(NamedTuple):
    question: str
    answers: tuple[str, ...]
    path: tuple[str, ...]


def _pathquestion_sample(
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


def two_wiki(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The list of `train.json` or `dev.json`; `test.json` is published without answers.

    The gold chain is `evidences`, a list, or the JSON of one as in files of the hub. It is also the
    KG of the question: no more is asked of a method than to find its way in it, unless it is given
    another KG. Topic entities are the heads that are no tails. Raises InputError and DatasetError.
    """
    files = split_files(data, split)
    return collect(files[0], read_rows(files), _two_wiki_sample, on_broken)


def _two_wiki_sample(row: Row) -> Sample:
    known = fields(row)
    evidences = chain(_listed(known.get("evidences")), "evidences")
    heads = tuple(dict.fromkeys(head for head, _, _ in evidences))
    tails = {tail for _, _, tail in evidences}
    return Sample(
        id=sample_id(row, known.get("_id")),
        question=text(known.get("question"), "question"),
        answers=(Gold(label=text(known.get("answer"), "answer")),),
        topics=tuple(head for head in heads if head not in tails) or heads[:1],
        type=text(known.get("type"), "type", empty=True),
        chains=(evidences,) if evidences else (),
        graph=pack(evidences),
    )


def _listed(value: object) -> object:
    """What a JSON text holds; anything else as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("`evidences` is a text that is not JSON") from None


def rog(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The rows of JSON-lines or Parquet files: `id`, `question`, `answer`, `q_entity`, `graph`.

    The gold answers are the labels in `answer`, as the published scorer takes them, each once.
    `a_entity` are those of them that the graph holds: they are gold only where `answer` is
    empty. What the graph lacks stays in `topics` (`q_entity`) and in the answers. Raises
    InputError and DatasetError.
    """
    files = split_files(data, split)
    return collect(files[0], read_rows(files), _rog_sample, on_broken)


def _rog_sample(row: Row) -> Sample:
    known = fields(row)
    answers = texts(known.get("answer"), "answer")
    held = texts(known.get("a_entity"), "a_entity", optional=True)
    return Sample(
        id=sample_id(row, known.get("id")),
        question=text(known.get("question"), "question"),
        answers=tuple(Gold(label=label) for label in dict.fromkeys(answers or held)),
        topics=texts(known.get("q_entity"), "q_entity"),
        choices=texts(known.get("choices"), "choices", optional=True),
        graph=graph(known.get("graph"), "graph"),
    )
