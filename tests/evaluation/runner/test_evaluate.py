"""An evaluation from plain arguments to a run directory: a real store and a real, random model."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import DatasetError, InputError, KGError, ModelError
from groundwalk.agent.kg import Reading
from groundwalk.agent.llm.model_folder import ModelSettings, write_settings
from groundwalk.agent.options import Options
from groundwalk.evaluation.analysis.comparison import compare_runs
from groundwalk.evaluation.analysis.summary import RunSummary, Summary
from groundwalk.evaluation.runner.asking import Setup
from groundwalk.evaluation.runner.config import folder_digest
from groundwalk.evaluation.runner.evaluate import Speed, evaluate
from groundwalk.evaluation.samples import Part
from groundwalk.graphs import METHODS
from rich.console import Console

from ...agent.decoding import worlds

FAMILY = "Ada|mother of|Ben\nBen|lives in|Oslo\n"
QUESTIONS = (
    {"question": "Who is a child of [Ada]?", "answers": ["Ben"], "hops": 1},
    {"question": "Where is Ada's child?", "answers": ["Oslo"], "hops": 2},
    {"question": "Who is Nobody?", "answers": []},
    {"question": "?" * 5_000, "answers": ["Ben"]},
)


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("evaluate"))


def make_folder(folder: Path) -> Path:
    """Write a small graph, questions about it and a random model into a folder."""
    (folder / "family.kb").write_text(FAMILY, encoding="utf-8")
    lines = (json.dumps(question) + "\n" for question in QUESTIONS)
    (folder / "q.jsonl").write_text("".join(lines), encoding="utf-8")
    tokenizer = worlds.byte_level()
    worlds.random_model(len(tokenizer)).float().save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    write_settings(folder / "model", ModelSettings(hops=2, instruct=False))
    return folder


@pytest.fixture(autouse=True)
def _cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWALK_CACHE", str(folder / "cache"))


def ask(
    folder: Path,
    out: Path,
    *,
    data: str = "q.jsonl",
    part: Part = "all",
    kg: str = "family.kb",
    model: str = "model",
    method: str = "gcr",
    options: Options | None = None,
) -> Summary:
    return run(folder, out, data, part, setup(folder, kg, model, (method,), options)).methods[
        method
    ]


def setup(
    folder: Path,
    kg: str = "family.kb",
    model: str = "model",
    methods: tuple[str, ...] = ("gcr",),
    options: Options | None = None,
) -> Setup:
    return Setup(
        dataset="jsonl",
        split="",
        methods=methods,
        kg=str(folder / kg),
        model=str(folder / model),
        options=options or Options(on_ambiguous="best"),
    )


def run(
    folder: Path,
    out: Path,
    data: str,
    part: Part,
    wanted: Setup,
    *,
    limit: int | None = None,
    first: int | None = None,
    speed: Speed | None = None,
) -> RunSummary:
    return evaluate(
        wanted,
        out,
        data=folder / data,
        part=part,
        limit=limit,
        first=first,
        seed=5,
        speed=speed or Speed(),
        console=Console(quiet=True),
    )


def test_options_that_a_method_does_not_use_are_told_once(folder: Path, tmp_path: Path) -> None:
    printed = Console(file=StringIO(), width=200)
    wanted = setup(folder, methods=("gcr", "plan"), options=Options(on_ambiguous="best", groups=2))
    evaluate(wanted, tmp_path / "run", data=folder / "q.jsonl", limit=1, console=printed)
    assert isinstance(printed.file, StringIO)
    assert printed.file.getvalue().count("does not use") == 1
    assert "plan does not use groups\n" in printed.file.getvalue()


def test_a_whole_run(folder: Path, tmp_path: Path) -> None:
    summary = ask(folder, tmp_path / "out")
    assert summary.questions == 4
    assert summary.statuses == {"abstained": 1, "answered": 2, "error": 1}
    assert summary.accuracy is not None
    assert summary.accuracy.questions == 3
    assert summary.unanswerable.silent == 1
    assert summary.faithfulness.share == 1
    assert summary.costs.forward_passes > 0
    lines = (tmp_path / "out" / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert records[0]["topics"][0]["label"] == "Ada"
    assert records[3]["error"].startswith("question: the question has 5,000 characters")


def test_the_settings_are_all_there(folder: Path, tmp_path: Path) -> None:
    ask(folder, tmp_path, options=Options(beams=3, on_ambiguous="best"))
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["methods"] == ["gcr"]
    assert config["options"]["beams"] == 3
    assert config["questions"]["count"] == 4
    assert len(config["questions"]["digest"]) == 64
    assert len(config["kg"]["digest"]) == 64
    assert config["kg"]["counts"]["triples"] >= 2
    assert config["model"]["digest"] == folder_digest(folder / "model")
    assert config["model"]["settings"]["hops"] == 2
    assert {"groundwalk", "python", "torch", "transformers"} <= config["versions"].keys()
    assert config["seed"] == 5


def test_the_same_run_twice_says_the_same(folder: Path, tmp_path: Path) -> None:
    first, second = (ask(folder, tmp_path / name) for name in ("a", "b"))
    assert (first.accuracy, first.statuses) == (second.accuracy, second.statuses)
    files = [(tmp_path / name / "config.json").read_text(encoding="utf-8") for name in ("a", "b")]
    one, other = ({**json.loads(text), "begun": ""} for text in files)
    assert json.dumps(one) == json.dumps(other)


def test_what_cannot_be_run_is_said_before_anything_is_asked(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(KGError):
        ask(folder, tmp_path, kg="none.ttl")
    with pytest.raises(ModelError):
        ask(folder, tmp_path, model="none")
    with pytest.raises(DatasetError):
        ask(folder, tmp_path, data="none.jsonl")
    with pytest.raises(InputError, match="method"):
        ask(folder, tmp_path, method="none")
    with pytest.raises(InputError, match="paths needs a file"):
        run(folder, tmp_path, "q.jsonl", "all", setup(folder, methods=("gcr", "paths")))
    broken = Options(retrieved=str(folder / "q.jsonl"))
    with pytest.raises(DatasetError, match="line 1"):
        ask(folder, tmp_path, method="paths", options=broken)
    with pytest.raises(DatasetError, match="line 1"):
        ask(folder, tmp_path, method="rog", options=Options(plans=str(folder / "q.jsonl")))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "something").touch()
    with pytest.raises(InputError, match="not empty"):
        ask(folder, tmp_path)


def timeless(out: Path) -> list[dict[str, Any]]:
    """The lines of a run but for the time, and what a process computes at its first question."""
    lines = (out / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for record in records:
        record["seconds"] = 0
        for cost in ("seconds", "forward_passes"):
            del record["usage"][cost]
    return records


@pytest.fixture(scope="module", name="methods")
def _methods() -> tuple[str, ...]:
    return ("gcr", "plan")


@pytest.fixture(scope="module", name="alone")
def _alone(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, methods: tuple[str, ...]
) -> list[dict[str, Any]]:
    """The lines of a run of several methods in this process, without a stop."""
    out = tmp_path_factory.mktemp("alone") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWALK_CACHE", str(folder / "cache"))
        run(folder, out, "q.jsonl", "all", setup(folder, methods=methods))
    return timeless(out)


def test_several_methods_answer_every_question(
    alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    asked = [(record["question"], record["method"]) for record in alone]
    assert asked == [(q["question"], method) for q in QUESTIONS for method in methods]
    assert any(record["answers"] for record in alone)


@pytest.mark.slow
def test_workers_say_the_same_and_a_run_may_be_taken_up_by_them(
    folder: Path, tmp_path: Path, alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    wanted = setup(folder, methods=methods)
    run(folder, tmp_path, "q.jsonl", "all", wanted, first=1)
    assert timeless(tmp_path) == alone[:2]
    run(folder, tmp_path, "q.jsonl", "all", wanted, speed=Speed(workers=2))
    assert timeless(tmp_path) == alone


@pytest.mark.slow
def test_ray_says_the_same(
    folder: Path, tmp_path: Path, alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    pytest.importorskip("ray")
    wanted = setup(folder, methods=methods)
    run(folder, tmp_path, "q.jsonl", "all", wanted, speed=Speed(workers=1, ray=True))
    assert timeless(tmp_path) == alone


def test_questions_that_are_decoded_together_say_the_same(
    folder: Path, tmp_path: Path, alone: list[dict[str, Any]], methods: tuple[str, ...]
) -> None:
    run(folder, tmp_path, "q.jsonl", "all", setup(folder, methods=methods), speed=Speed(batch=3))
    for ours, theirs in zip(timeless(tmp_path), alone, strict=True):
        assert [a["term"] for a in ours["answers"]] == [a["term"] for a in theirs["answers"]]
        scores = [a["score"] for a in ours["answers"]]
        assert scores == pytest.approx([a["score"] for a in theirs["answers"]], abs=2e-6)
        same = ("id", "method", "status", "metrics", "topics", "notes", "error")
        assert [ours[name] for name in same] == [theirs[name] for name in same]


def test_topics_that_no_question_gives_are_an_error(folder: Path, tmp_path: Path) -> None:
    (folder / "plain.jsonl").write_text('{"question": "Who is it?", "answers": []}\n', "utf-8")
    with pytest.raises(InputError, match="no question of the dataset gives its topics"):
        run(folder, tmp_path, "plain.jsonl", "all", replace(setup(folder), topics="given"))


def test_given_topics_take_the_place_of_linked_ones(folder: Path, tmp_path: Path) -> None:
    questions = (
        {"id": "known", "question": "Where is Ada's child?", "topics": ["Ben"], "answers": []},
        {"id": "unknown", "question": "Where is Ada?", "topics": ["Eve"], "answers": ["Oslo"]},
        {"id": "none", "question": "Where is Ada?", "answers": ["Oslo"]},
    )
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    (folder / "given.jsonl").write_text(lines, encoding="utf-8")
    wanted = replace(setup(folder), topics="given")
    summary = run(folder, tmp_path, "given.jsonl", "all", wanted)
    known, unknown, none = timeless(tmp_path)
    assert [topic["label"] for topic in known["topics"]] == ["Ben"]
    assert unknown["topics"] == none["topics"] == []
    assert unknown["metrics"]["hit"] == 0
    assert "the given topic Eve is not in the graph" in unknown["notes"]
    assert summary.methods["gcr"].troubles.no_topic == 2


def test_what_was_retrieved_is_found_by_a_questions_id(folder: Path, tmp_path: Path) -> None:
    question = {"id": "q7", "question": "Where is Ada's child?", "answers": ["Oslo"]}
    (folder / "ids.jsonl").write_text(json.dumps(question), encoding="utf-8")
    walk = [["Ada", "mother of", "Ben"], ["Ben", "lives in", "Oslo"]]
    found = tmp_path / "retrieved.jsonl"
    found.write_text(json.dumps({"id": "q7", "paths": [walk]}), encoding="utf-8")
    options = Options(retrieved=str(found), confidence=0.0, on_ambiguous="best")
    summary = ask(folder, tmp_path / "r", data="ids.jsonl", method="paths", options=options)
    assert summary.accuracy is not None
    assert summary.accuracy.hits_at_1.mean == 1


def test_the_world_questions_come_with_what_was_retrieved(folder: Path, tmp_path: Path) -> None:
    wanted = replace(setup(folder, methods=("paths",)), dataset="world", kg=None)
    summary = evaluate(wanted, tmp_path / "out", first=5, console=Console(quiet=True))
    assert summary.methods["paths"].statuses == {"answered": 5}
    config = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert config["options"]["retrieved"].endswith("retrieved.jsonl")


ALIASES = """
@prefix : <http://example.org/> .
@prefix o: <http://other.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:ada rdfs:label "Ada" ; :knows :ben . :knows rdfs:label "knows" .
:ben rdfs:label "Ben" ; :plays :chess . o:ben rdfs:label "B. Hill" ; owl:sameAs :ben .
o:eve rdfs:label "Eve" .
"""


@pytest.mark.parametrize(
    ("reading", "right"), [(Reading(same_as=True), [1, 1, 0]), (Reading(), [1, 0, 0])]
)
def test_a_gold_term_may_be_another_name_of_the_answer(
    folder: Path, tmp_path: Path, reading: Reading, right: list[int]
) -> None:
    (tmp_path / "aliases.ttl").write_text(ALIASES, encoding="utf-8")
    gold = (
        ["<http://example.org/ben>"],
        ["<http://other.example/ben>"],
        ["<http://other.example/eve>"],
    )
    lines = [
        {"id": str(n), "question": "Whom does Ada know?", "answers": terms}
        for n, terms in enumerate(gold)
    ]
    (folder / "same.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    options = Options(beams=4, hops=1, confidence=0.0, on_ambiguous="best", queries=False)
    wanted = replace(setup(folder, options=options), kg=str(tmp_path / "aliases.ttl"))
    run(folder, tmp_path / "out", "same.jsonl", "all", replace(wanted, reading=reading))
    records = timeless(tmp_path / "out")
    assert [r["metrics"]["hits_at_1"] for r in records] == right
    assert [any(r["right"]) for r in records] == list(map(bool, right))
    assert [[g["term"] for g in r["gold"]] for r in records] == [*gold], "as the dataset has it"


def test_questions_bring_their_own_graph(folder: Path, tmp_path: Path) -> None:
    questions = (
        {"id": "a", "question": "Where is [Ada]?", "graph": [["Ada", "is in", "Rome"]]},
        {"id": "b", "question": "Where is [Ada]?", "graph": [["Ada", "is in", "Pisa"]]},
        {"id": "c", "question": "Where is [Ada]?", "graph": []},
    )
    lines = "".join(json.dumps({**question, "answers": ["Rome"]}) + "\n" for question in questions)
    (folder / "own.jsonl").write_text(lines, encoding="utf-8")
    wanted = replace(setup(folder, methods=("gcr", "plan")), kg=None)
    run(folder, tmp_path, "own.jsonl", "all", wanted)
    records = timeless(tmp_path)
    found = [[answer["label"] for answer in record["answers"]] for record in records]
    assert found == [["Rome"], ["Rome"], ["Pisa"], ["Pisa"], [], []]
    assert [r["metrics"]["hits_at_1"] for r in records] == [1, 1, 0, 0, 0, 0]
    with pytest.raises(InputError, match="no knowledge graph of its own"):
        run(folder, tmp_path / "none", "q.jsonl", "all", wanted)


def test_a_paper_sets_what_the_user_does_not(folder: Path, tmp_path: Path) -> None:
    wanted = setup(folder, options=Options(beams=2, on_ambiguous="best"))
    run(folder, tmp_path / "own", "q.jsonl", "all", replace(wanted, paper=True))
    config = json.loads((tmp_path / "own" / "config.json").read_text(encoding="utf-8"))
    assert config["options"]["paper"] is True
    with pytest.raises(InputError, match="options.paper was True, is False"):
        run(folder, tmp_path / "own", "q.jsonl", "all", wanted)


def test_choices_are_asked_with_their_question(folder: Path, tmp_path: Path) -> None:
    asked = {"question": "Where is [Ada]?", "answers": ["Oslo"]}
    lines = [{**asked, "id": name, "choices": ["Rome", name]} for name in ("Oslo", "Ben")]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "choices.jsonl").write_text(text, encoding="utf-8")
    options = Options(on_ambiguous="best", confidence=0.0)
    run(folder, tmp_path, "choices.jsonl", "all", setup(folder, options=options))
    found = [[answer["label"] for answer in record["answers"]] for record in timeless(tmp_path)]
    assert found == [["Oslo"], ["Ben"]]


def test_what_the_user_sets_to_the_default_is_no_papers(folder: Path, tmp_path: Path) -> None:
    options = Options(beams=2, hops=2, on_ambiguous="best")
    papers = replace(setup(folder, options=options), paper=True)
    own = replace(papers, user_set=frozenset({*METHODS["gcr"].paper, "queries"}))
    run(folder, tmp_path / "paper", "q.jsonl", "all", papers)
    run(folder, tmp_path / "own", "q.jsonl", "all", own)
    run(folder, tmp_path / "none", "q.jsonl", "all", replace(own, paper=False))
    assert timeless(tmp_path / "own") == timeless(tmp_path / "none") != timeless(tmp_path / "paper")
    with pytest.raises(InputError, match="options.set was"):
        run(folder, tmp_path / "own", "q.jsonl", "all", papers)


def questions(out: Path) -> tuple[list[str], dict[str, Any]]:
    """What a run has asked, in its order, and what its settings say of that."""
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    return [record["question"] for record in timeless(out)], config["questions"]


def test_a_smaller_sample_goes_on_as_a_larger_one(folder: Path, tmp_path: Path) -> None:
    wanted, asked = setup(folder), list[str]()
    for limit in (1, 3, 3, 4, None):
        summary = run(folder, tmp_path, "q.jsonl", "all", wanted, limit=limit)
        now, said = questions(tmp_path)
        assert now[: len(asked)] == asked and len(now) == (limit or 4)
        assert (said["limit"], said["sampled_of"]) == (limit, 4)
        assert summary.sampled_of == (4 if len(now) < 4 else None)
        asked = now
    assert sorted(asked) == sorted(str(question["question"]) for question in QUESTIONS)
    with pytest.raises(InputError, match="questions.sampled_of was 4, is None"):
        run(folder, tmp_path, "q.jsonl", "all", wanted, first=4)


def test_a_run_of_the_first_questions_goes_on_with_the_next_ones(
    folder: Path, tmp_path: Path, alone: list[dict[str, Any]]
) -> None:
    wanted, order = setup(folder), [str(question["question"]) for question in QUESTIONS]
    run(folder, tmp_path, "q.jsonl", "all", wanted, first=2)
    file = tmp_path / "config.json"
    older = json.loads(file.read_text(encoding="utf-8"))
    assert older["questions"].pop("sampled_of") is None, "versions without it took the first"
    file.write_text(json.dumps(older), encoding="utf-8")
    before = (tmp_path / "samples.jsonl").read_bytes()
    summary = run(folder, tmp_path, "q.jsonl", "all", wanted, limit=2)
    assert (tmp_path / "samples.jsonl").read_bytes() == before and summary.sampled_of is None
    told = Console(file=StringIO(), width=200)
    with pytest.raises(InputError, match="the run has 2 questions, more than the 1 that"):
        evaluate(wanted, tmp_path, data=folder / "q.jsonl", limit=1, seed=5, console=told)
    assert isinstance(told.file, StringIO) and told.file.getvalue() == ""
    evaluate(wanted, tmp_path, data=folder / "q.jsonl", limit=3, seed=5, console=told)
    assert "goes on with the next ones\n" in told.file.getvalue()
    assert questions(tmp_path)[0] == order[:3]
    run(folder, tmp_path, "q.jsonl", "all", wanted)
    assert questions(tmp_path)[0] == order


def test_a_run_goes_on_where_a_packaged_profile_knows_more_vocabulary(
    folder: Path, tmp_path: Path
) -> None:
    run(folder, tmp_path, "q.jsonl", "all", setup(folder), first=1)
    file = tmp_path / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    config["kg"]["profile_digest"] = "of an earlier version"
    file.write_text(json.dumps(config), encoding="utf-8")
    run(folder, tmp_path, "q.jsonl", "all", setup(folder), first=2)
    config["kg"]["counts"]["facts"] -= 1
    file.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(InputError, match="other settings"):
        run(folder, tmp_path, "q.jsonl", "all", setup(folder), first=3)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [({"limit": 2, "first": 2}, "--limit and --first"), ({"limit": 0}, "no question")],
)
def test_a_number_of_questions_that_is_none(
    folder: Path, tmp_path: Path, numbers: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        run(folder, tmp_path / "out", "q.jsonl", "all", setup(folder), **numbers)
    assert not (tmp_path / "out").exists()


def test_another_file_behind_an_option_is_refused(folder: Path, tmp_path: Path) -> None:
    found = {"question": QUESTIONS[0]["question"], "candidates": ["Ben"]}
    file, moved = tmp_path / "found.jsonl", tmp_path / "moved.jsonl"
    file.write_text(json.dumps(found) + "\n", encoding="utf-8")
    moved.write_bytes(file.read_bytes())
    wanted = setup(
        folder, methods=("paths",), options=Options(on_ambiguous="best", retrieved=str(file))
    )
    run(folder, tmp_path / "out", "q.jsonl", "all", wanted, limit=1)
    elsewhere = replace(wanted, options=replace(wanted.options, retrieved=str(moved)))
    run(folder, tmp_path / "out", "q.jsonl", "all", elsewhere, limit=2)
    file.write_text(json.dumps(found | {"candidates": ["Oslo"]}) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="contents.retrieved was"):
        run(folder, tmp_path / "out", "q.jsonl", "all", wanted)


def test_what_is_left_out_is_said_and_kept(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (folder / "q.jsonl").read_text(encoding="utf-8").splitlines()
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join([lines[0], "oops", *lines[1:], "{}"]), encoding="utf-8")
    evaluate(
        setup(folder),
        tmp_path / "out",
        data=broken,
        limit=1,
        on_broken="skip",
        console=Console(quiet=True),
    )
    said = capsys.readouterr().err
    assert said.startswith("2 questions are left out:\n")
    assert "line 2: is not JSON" in said.replace("\n", " ")
    config = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert (config["questions"]["skipped"], config["questions"]["count"]) == (2, 1)


def test_all_ways_to_write_a_split_are_one(folder: Path, tmp_path: Path) -> None:
    outs = tmp_path / "plain", tmp_path / "named"
    for out, split in zip(outs, ("", "test"), strict=True):
        wanted = replace(setup(folder), dataset="world", split=split, kg=None)
        evaluate(wanted, out, limit=2, console=Console(quiet=True))
    (found,) = compare_runs(*outs)
    assert (found.common, found.only_first, found.only_second) == (2, 0, 0)
    configs = [json.loads((out / "config.json").read_text(encoding="utf-8")) for out in outs]
    assert [config["questions"]["split"] for config in configs] == ["test", "test"]
