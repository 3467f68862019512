"""2WikiMultihopQA (Ho et al. 2020): each question with the Wikidata triples that answer it."""

import json
from pathlib import Path

from ..packed import pack
from ..samples import Gold, Sample
from .fields import chain, sample_id, text
from .files import split_files
from .reading import OnBroken, Row, Samples, collect
from .rows import fields, read_rows


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
