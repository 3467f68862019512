"""QALD (Usbeck et al.): questions over DBpedia or Wikidata, in several languages."""

from pathlib import Path

import pyoxigraph as ox

from ...agent.errors import DatasetError
from ..samples import Gold, Sample
from .files import fields, read_items, split_files
from .parsing import OnBroken, Row, Samples, collect, items, record, sample_id, text


def qald(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The questions of a QALD JSON file in one language: English, or that after @ in `split`.

    `test@de` is the German of `test.json`; with a file instead of a folder, `@de` is enough. Of
    several wordings the first is taken; questions that have none in the language are not asked.
    Gold answers are what the file lists, terms of the KG or `true` and `false`; where it lists
    none the question cannot be answered. Its SPARQL is not looked at. Raises InputError and
    DatasetError.
    """
    name, _, tag = split.partition("@")
    language = tag or "en"
    (file,) = split_files(data, name)
    rows = [row for row in read_items(file, "questions") if _is_worded(row, language)]
    if not rows:
        raise DatasetError(
            f"{file} has no questions in the language {language!r}", "name another, such as test@de"
        )
    return collect(file, rows, lambda row: _sample(row, language), on_broken)


def _is_worded(row: Row, language: str) -> bool:
    """Whether it has a wording in the language; what is broken is found later."""
    try:
        return _wording(row, language) is not None
    except ValueError:
        return True


def _wording(row: Row, language: str) -> str | None:
    wordings = items(fields(row).get("question"), "question")
    for wording in (record(one, "question") for one in wordings):
        string = wording.get("string")
        if wording.get("language") == language and string not in (None, ""):
            return text(string, "string")
    return None


def _sample(row: Row, language: str) -> Sample:
    known = fields(row)
    listed = [record(answer, "answers") for answer in items(known.get("answers"), "answers")]
    return Sample(
        id=sample_id(row, known.get("id")),
        question=text(_wording(row, language), "question"),
        answers=tuple(dict.fromkeys(gold for answer in listed for gold in _golds(answer))),
    )


def _golds(answer: dict[str, object]) -> list[Gold]:
    boolean = answer.get("boolean")
    if isinstance(boolean, bool):
        return [Gold(label=str(boolean).lower())]
    variables = items(
        record(answer.get("head"), "head", optional=True).get("vars"), "vars", optional=True
    )
    results = record(answer.get("results"), "results", optional=True)
    golds: list[Gold] = []
    for item in items(results.get("bindings"), "bindings", optional=True):
        binding = record(item, "bindings")
        values = [binding[str(name)] for name in variables if str(name) in binding]
        value = next(iter(values or binding.values()), None)
        if value is not None:
            golds.append(_gold(record(value, "bindings")))
    return golds


def _gold(value: dict[str, object]) -> Gold:
    content = value.get("value")
    if not isinstance(content, str) or not text(content, "value"):
        raise ValueError("`value` is not a text")
    if value.get("type") == "uri":
        return Gold(term=str(ox.NamedNode(content)))
    language, datatype = value.get("xml:lang"), value.get("datatype")
    if language:
        literal = ox.Literal(content, language=text(language, "xml:lang"))
    elif datatype:
        literal = ox.Literal(content, datatype=ox.NamedNode(text(datatype, "datatype")))
    else:
        literal = ox.Literal(content)
    return Gold(term=str(literal), label=content)
