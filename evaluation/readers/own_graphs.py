"""Questions with a graph each: WebQSP and CWQ as RoG publishes them, and 2WikiMultihopQA.

RoG is Luo et al. 2024, 2WikiMultihopQA Ho et al. 2020: its graphs are the Wikidata triples that
answer a question.
"""

import json
from pathlib import Path

from ..samples import Gold, Sample, pack
from .files import fields, read_rows, split_files
from .parsing import OnBroken, Row, Samples, chain, collect, graph, sample_id, text, texts


def two_wiki(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The list of `train.json` or `dev.json`; `test.json` is published without answers.

    The gold chain is `evidences`, a list, or the JSON of one as in files of the hub. It is also the
    KG of the question: no more is asked of a method than to find its way in it, unless it is given
    another KG. Topic entities are the heads that are no tails. Raises InputError and DatasetError.
    """
    files = split_files(data, split)
    return collect(files[0], read_rows(files), _sample, on_broken)


def _sample(row: Row) -> Sample:
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
