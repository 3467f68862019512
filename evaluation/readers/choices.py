"""Multiple choice: CommonsenseQA (Talmor et al. 2019) and MedQA (Jin et al. 2021)."""

from pathlib import Path

from ..samples import Gold, Sample
from .files import fields, read_rows, split_files
from .parsing import OnBroken, Row, Samples, collect, items, record, sample_id, text, texts


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
        own = [record(choice, "choices") for choice in items(listed, "choices")]
        pairs = [(text(c.get("label"), "label"), text(c.get("text"), "text")) for c in own]
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
