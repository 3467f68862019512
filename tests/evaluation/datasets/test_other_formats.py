"""2WikiMultihopQA, FreebaseQA, CommonsenseQA, MedQA and QALD, in the shape they are published."""

import json
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError
from groundwalk.evaluation.datasets import PER_QUESTION, read_dataset, read_samples
from groundwalk.evaluation.samples import Gold

from .files import json_file, json_lines, parquet

WIKI: dict[str, Any] = {
    "_id": "ab12",
    "type": "compositional",
    "question": "Who is the mother of the director of film Salt Road?",
    "context": [["Salt Road", ["Salt Road is a film.", "Ann Lee directed it."]]],
    "supporting_facts": [["Salt Road", 1]],
    "evidences": [["Salt Road", "director", "Ann Lee"], ["Ann Lee", "mother", "Joy Lee"]],
    "answer": "Joy Lee",
}


def test_2wiki(tmp_path: Path) -> None:
    compared = WIKI | {
        "_id": "cd34",
        "type": "comparison",
        "evidences": [["X", "born", "1901"], ["Y", "born", "1902"]],
        "answer": "yes",
    }
    json_file(tmp_path / "dev.json", [WIKI, compared])
    read = read_dataset("2wiki", tmp_path, "dev")
    first, second = read.samples
    assert read.kg == PER_QUESTION
    assert (first.id, first.type, first.hops) == ("ab12", "compositional", None)
    assert first.answers == (Gold(label="Joy Lee"),)
    assert first.topics == ("Salt Road",)
    assert first.chains == (tuple(map(tuple, WIKI["evidences"])),)
    assert list(first.graph or ()) == list(first.chains[0])
    assert second.topics == ("X", "Y")
    assert second.answers == (Gold(label="yes"),)


def test_2wiki_with_evidences_as_text(tmp_path: Path) -> None:
    lists = ("context", "supporting_facts", "evidences")
    row = WIKI | {name: json.dumps(WIKI[name]) for name in lists}
    read = read_samples("2wiki", parquet(tmp_path / "dev.parquet", [row]))
    assert read == read_samples("2wiki", json_file(tmp_path / "dev.json", [WIKI]))
    for text, why in (("[[", "not JSON"), ('"a"', "not a list")):
        broken = json_file(tmp_path / "b.json", [WIKI | {"evidences": text}])
        with pytest.raises(DatasetError, match=rf"item 1: `evidences` is .*{why}"):
            read_samples("2wiki", broken)


def test_2wiki_round_in_a_circle(tmp_path: Path) -> None:
    row = WIKI | {"evidences": [["A", "spouse", "B"], ["B", "spouse", "A"]]}
    assert read_samples("2wiki", json_file(tmp_path / "dev.json", [row]))[0].topics == ("A",)


def test_2wiki_without_answers(tmp_path: Path) -> None:
    row = {key: value for key, value in WIKI.items() if key not in ("answer", "evidences")}
    with pytest.raises(DatasetError, match=r"test\.json, item 1: `evidences` is missing"):
        read_samples("2wiki", json_file(tmp_path / "test.json", [row]))


def trivia(**others: object) -> dict[str, Any]:
    parse = {
        "Parse-Id": "E-1.P0",
        "PotentialTopicEntityMention": "salt road",
        "TopicEntityName": "Salt Road",
        "TopicEntityMid": "m.0abc",
        "InferentialChain": "film.film.starring..film.performance.actor",
        "Answers": [{"AnswersMid": "m.0def", "AnswersName": ["ann lee"]}],
    }
    short = parse | {
        "InferentialChain": "film.film.directed_by",
        "Answers": [
            {"AnswersMid": "m.0def", "AnswersName": ["ann lee", "anne lee"]},
            {"AnswersMid": "1969", "AnswersName": ["1969"]},
        ],
    }
    question = {
        "Question-ID": "E-1",
        "RawQuestion": "Who made Salt Road?",
        "ProcessedQuestion": "who made salt road",
        "Parses": [parse, short],
    }
    return {"Dataset": "FreebaseQA-eval", "Version": "1.0", "Questions": [question | others]}


def test_freebaseqa(tmp_path: Path) -> None:
    json_file(tmp_path / "FreebaseQA-eval.json", trivia())
    read = read_dataset("freebaseqa", tmp_path, "eval")
    (sample,) = read.samples
    assert read.kg is None
    assert (sample.id, sample.question) == ("E-1", "Who made Salt Road?")
    assert sample.answers == (
        Gold("<http://rdf.freebase.com/ns/m.0def>", "ann lee", ("anne lee",)),
        Gold("", "1969"),
    )
    assert sample.topics == ("<http://rdf.freebase.com/ns/m.0abc>",)
    assert (sample.hops, sample.type) == (1, "film.film.directed_by")


@pytest.mark.parametrize(
    "content", [[], {}, {"Questions": {}}, {"questions": []}, {"Questions": []}, 1]
)
def test_no_freebaseqa(tmp_path: Path, content: object) -> None:
    with pytest.raises(DatasetError, match=r"eval\.json"):
        read_samples("freebaseqa", json_file(tmp_path / "eval.json", content))


def test_a_broken_question_of_freebaseqa(tmp_path: Path) -> None:
    file = json_file(tmp_path / "eval.json", trivia(Parses="P"))
    with pytest.raises(DatasetError, match=r"eval\.json, question 1: `Parses` is not a list"):
        read_samples("freebaseqa", file)


CHOICES = [
    {"label": label, "text": text} for label, text in (("A", "run"), ("B", "sit"), ("C", "go"))
]
COMMON: dict[str, Any] = {
    "id": "0f",
    "question": {"question_concept": "chair", "choices": CHOICES, "stem": "What is a chair for?"},
    "answerKey": "B",
}


def test_commonsenseqa(tmp_path: Path) -> None:
    json_lines(tmp_path / "dev_rand_split.jsonl", [COMMON])
    (sample,) = read_samples("commonsenseqa", tmp_path, "dev")
    assert (sample.id, sample.question) == ("0f", "What is a chair for?")
    assert (sample.topics, sample.choices) == (("chair",), ("run", "sit", "go"))
    assert sample.answers == (Gold(label="sit"),)


def test_commonsenseqa_as_on_the_hub(tmp_path: Path) -> None:
    row = {
        "id": "0f",
        "question": "What is a chair for?",
        "question_concept": "chair",
        "choices": {"label": ["A", "B", "C"], "text": ["run", "sit", "go"]},
        "answerKey": "B",
    }
    parquet(tmp_path / "hub" / "data" / "validation-00000-of-00001.parquet", [row])
    json_lines(tmp_path / "dev.jsonl", [COMMON])
    assert read_samples("commonsenseqa", tmp_path / "hub", "validation") == read_samples(
        "commonsenseqa", tmp_path, "dev"
    )


def test_commonsenseqa_with_uneven_choices(tmp_path: Path) -> None:
    uneven = {"label": ["A", "B", "C"], "text": ["run", "sit"]}
    row = COMMON["question"] | {"choices": uneven}
    file = json_lines(tmp_path / "dev.jsonl", [COMMON | {"question": row}])
    with pytest.raises(DatasetError, match="line 1: `choices` has 3 labels for 2 texts"):
        read_samples("commonsenseqa", file)


@pytest.mark.parametrize("key", [None, "", "E", 1])
def test_without_the_right_choice_there_is_nothing_to_score(tmp_path: Path, key: object) -> None:
    file = json_lines(tmp_path / "test.jsonl", [COMMON | {"answerKey": key}])
    with pytest.raises(DatasetError, match=r"test\.jsonl, line 1: `answerKey`"):
        read_samples("commonsenseqa", file)


def test_medqa(tmp_path: Path) -> None:
    row = {
        "question": "Which of these is a bone?",
        "answer": "Femur",
        "options": {"A": "Liver", "B": "Femur", "C": None},
        "meta_info": "step1",
        "answer_idx": "B",
    }
    json_lines(tmp_path / "phrases_no_exclude_test.jsonl", [row, row])
    first, second = read_samples("medqa", tmp_path, "test")
    assert first.choices == ("Liver", "Femur")
    assert first.answers == (Gold(label="Femur"),)
    assert (first.type, first.topics) == ("step1", ())
    assert first.id.endswith("-000001") and second.id.endswith("-000002")


def asked(number: object, answers: object, *wordings: tuple[str, str]) -> dict[str, Any]:
    return {
        "id": number,
        "question": [{"language": tag, "string": string} for tag, string in wordings],
        "query": {"sparql": "DROP ALL"},
        "answers": answers,
    }


def bound(*values: dict[str, str]) -> list[dict[str, Any]]:
    return [{"head": {"vars": ["uri"]}, "results": {"bindings": [{"uri": v} for v in values]}}]


def test_qald(tmp_path: Path) -> None:
    year = "http://www.w3.org/2001/XMLSchema#gYear"
    uri = {"type": "uri", "value": "http://example.org/Ann"}
    questions = [
        asked("1", bound(uri, uri), ("en", "Who?"), ("de", "Wer?"), ("de", "Wer denn?")),
        asked(2, bound({"type": "literal", "value": "1969", "datatype": year}), ("en", "When?")),
        asked(3, bound({"type": "literal", "value": ' "x"', "xml:lang": "en"}), ("en", "What?")),
        asked(4, [{"head": {}, "boolean": False}], ("en", "Is it?"), ("de", "")),
        asked(5, bound(), ("en", "Nobody?")),
    ]
    json_file(tmp_path / "test.json", {"dataset": {"id": "q"}, "questions": questions})
    read = read_dataset("qald", tmp_path, "test")
    assert read.kg is None
    assert [sample.id for sample in read.samples] == ["1", "2", "3", "4", "5"]
    assert [sample.answers for sample in read.samples] == [
        (Gold("<http://example.org/Ann>"),),
        (Gold(f'"1969"^^<{year}>', "1969"),),
        (Gold('" \\"x\\""@en', ' "x"'),),
        (Gold(label="false"),),
        (),
    ]
    (german,) = read_samples("qald", tmp_path, "test@de")
    assert german.question == "Wer?"
    assert read_samples("qald", tmp_path / "test.json", "@de") == (german,)
    with pytest.raises(DatasetError, match="no questions in the language 'fr'"):
        read_samples("qald", tmp_path, "test@fr")
    with pytest.raises(InputError, match="is a folder"):
        read_samples("qald", tmp_path, "@de")


@pytest.mark.parametrize(
    "answers",
    [
        None,
        [1],
        bound({"type": "uri", "value": "no iri"}),
        bound({"type": "uri", "value": ""}),
        [{"head": {"vars": ["x"]}, "results": []}],
        [{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": "y"}]}}],
    ],
)
def test_a_broken_question_of_qald(tmp_path: Path, answers: object) -> None:
    file = json_file(tmp_path / "q.json", {"questions": [asked(1, answers, ("en", "Who?"))]})
    with pytest.raises(DatasetError, match=r"q\.json, question 1: "):
        read_samples("qald", file)
