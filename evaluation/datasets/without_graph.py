"""Published question sets over graphs that do not come with them, or over none.

FreebaseQA (Jiang et al. 2019) has trivia questions over the whole of Freebase, QALD (Usbeck et al.)
questions over DBpedia or Wikidata in several languages; CommonsenseQA (Talmor et al. 2019) and
MedQA (Jin et al. 2021) are of multiple choice.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph as ox

from ...agent.errors import DatasetError
from ..samples import Gold, Sample
from .files import (
    OnBroken,
    Row,
    Samples,
    collect,
    fields,
    items,
    read_items,
    read_rows,
    record,
    sample_id,
    split_files,
    text,
    texts,
)

_MID = re.compile(r"[mg]\.[0-9a-z_]+")
_NAMESPACE = "http://rdf.freebase.com/ns/"


def freebaseqa(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The questions of `FreebaseQA-train.json`, `-dev.json` or `-eval.json`.

    Topics and answers are terms of Freebase's RDF dump; `AnswersName` are labels of the answer.
    Hops and type are those of the shortest `InferentialChain`. Raises InputError and DatasetError.
    """
    (file,) = split_files(data, split, ("FreebaseQA-{split}", "{split}"))
    return collect(file, read_items(file, "Questions"), _freebaseqa_sample, on_broken)


def _freebaseqa_sample(row: Row) -> Sample:
    known = fields(row)
    parses = [record(parse, "Parses") for parse in items(known.get("Parses"), "Parses")]
    topics = [text(parse.get("TopicEntityMid"), "TopicEntityMid") for parse in parses]
    chains = [_relations(parse.get("InferentialChain")) for parse in parses]
    shortest = min(chains, key=len, default=())
    return Sample(
        id=sample_id(row, known.get("Question-ID")),
        question=text(known.get("RawQuestion"), "RawQuestion"),
        answers=_freebase_answers(parses),
        topics=tuple(dict.fromkeys(_term(topic) or topic for topic in topics)),
        hops=len(shortest) or None,
        type="..".join(shortest),
    )


def _relations(value: object) -> tuple[str, ...]:
    """The relations of a chain; `..` stands where it goes through a mediator."""
    return tuple(text(value, "InferentialChain").split(".."))


def _freebase_answers(parses: Iterable[dict[str, object]]) -> tuple[Gold, ...]:
    """Each answer of any parse once, with all of its names."""
    labels: dict[str, dict[str, None]] = {}
    for parse in parses:
        for item in items(parse.get("Answers"), "Answers"):
            answer = record(item, "Answers")
            mid = text(answer.get("AnswersMid"), "AnswersMid")
            labels.setdefault(mid, {}).update(
                dict.fromkeys(texts(answer.get("AnswersName"), "AnswersName"))
            )
    return tuple(
        Gold(_term(mid), next(iter(names), "" if _term(mid) else mid), tuple(names)[1:])
        for mid, names in labels.items()
    )


def _term(mid: str) -> str:
    return f"<{_NAMESPACE}{mid}>" if _MID.fullmatch(mid) else ""


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
    return collect(file, rows, lambda row: _qald_sample(row, language), on_broken)


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


def _qald_sample(row: Row, language: str) -> Sample:
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


def commonsenseqa(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The lines of `dev_rand_split.jsonl`, or the rows that the hub has.

    The gold answer is the text of the right choice, the topic `question_concept`. A file without
    `answerKey`, such as the published test questions, cannot be scored. Raises InputError and
    DatasetError.
    """
    files = split_files(data, split, ("{split}_rand_split", "{split}"))
    return collect(files[0], read_rows(files), _commonsense, on_broken)


def medqa(data: Path, split: str, on_broken: OnBroken) -> Samples:
    """The lines of `test.jsonl` or `phrases_no_exclude_test.jsonl`, of four or five options.

    The gold answer is the text of the option `answer_idx`; the dataset names no topics. Raises
    InputError and DatasetError.
    """
    files = split_files(data, split, ("{split}", "phrases_no_exclude_{split}"))
    return collect(files[0], read_rows(files), _medical, on_broken)


def _commonsense(row: Row) -> Sample:
    known = fields(row)
    asked = known.get("question")
    inner = record(asked, "question") if isinstance(asked, dict) else known
    listed, concept = inner.get("choices"), inner.get("question_concept")
    if isinstance(listed, dict):
        table = record(listed, "choices")
        labels, named = texts(table.get("label"), "label"), texts(table.get("text"), "text")
        if len(labels) != len(named):
            raise ValueError(f"`choices` has {len(labels)} labels for {len(named)} texts")
        pairs = list(zip(labels, named, strict=True))
    else:
        choices = [record(choice, "choices") for choice in items(listed, "choices")]
        pairs = [(text(c.get("label"), "label"), text(c.get("text"), "text")) for c in choices]
    return Sample(
        id=sample_id(row, known.get("id")),
        question=text(inner.get("stem") if inner is not known else asked, "question"),
        answers=(_right(dict(pairs), known.get("answerKey"), "answerKey"),),
        topics=() if concept is None else (text(concept, "question_concept"),),
        choices=tuple(choice for _, choice in pairs),
    )


def _medical(row: Row) -> Sample:
    known = fields(row)
    options = {
        key: text(option, "options")
        for key, option in record(known.get("options"), "options").items()
        if option is not None
    }
    return Sample(
        id=sample_id(row, known.get("id")),
        question=text(known.get("question"), "question"),
        answers=(_right(options, known.get("answer_idx"), "answer_idx"),),
        type=text(known.get("meta_info"), "meta_info", empty=True),
        choices=tuple(options.values()),
    )


def _right(choices: dict[str, str], key: object, name: str) -> Gold:
    wanted = text(key, name)
    if wanted not in choices:
        raise ValueError(f"`{name}` is none of the choices")
    return Gold(label=choices[wanted])
