"""WebQSP and CWQ as Reasoning on Graphs (Luo et al. 2024) publishes them: with a graph each."""

from pathlib import Path

from ..samples import Gold, Sample
from .fields import graph, sample_id, text, texts
from .files import split_files
from .reading import OnBroken, Row, Samples, collect
from .rows import fields, read_rows


def rog(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The rows of JSON-lines or Parquet files: `id`, `question`, `answer`, `q_entity`, `graph`.

    The gold answers are the labels in `answer`, as the published scorer takes them, each once.
    `a_entity` are those of them that the graph holds: they are gold only where `answer` is
    empty. What the graph lacks stays in `topics` (`q_entity`) and in the answers. Raises
    InputError and DatasetError.
    """
    files = split_files(data, split)
    return collect(files[0], read_rows(files), _sample, on_broken)


def _sample(row: Row) -> Sample:
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
