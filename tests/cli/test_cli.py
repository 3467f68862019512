"""The command line as a user meets it: real processes and files, exit codes, one-line errors."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .. import warm
from ..agent.decoding import worlds

COMMAND = [sys.executable, "-c", "from groundwalk.cli.main import main; main()"]
"""A process of its own; `warm.command` takes a quarter of the time."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    tokenizer = worlds.byte_level()
    tokenizer.save_pretrained(folder)
    worlds.random_model(len(tokenizer)).float().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def groundwalk(home: Path, *arguments: str, say: str = "") -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWALK_")}
    environment |= {"GROUNDWALK_CACHE": str(home / "cache"), "COLUMNS": "100"}
    return subprocess.run(
        [*warm.command(), *arguments],
        input=say,
        capture_output=True,
        text=True,
        env=environment,
        cwd=home,
        timeout=120,
    )


def assert_one_line_error(run: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert run.returncode == code, run.stderr
    assert "Traceback" not in run.stderr + run.stdout
    assert run.stderr.removesuffix("\n").isprintable(), run.stderr
    for word in words:
        assert word in run.stderr


@pytest.mark.slow
def test_what_others_wrote_steers_no_terminal(home: Path) -> None:
    wrote = "\x1b]0;owned\x07\x1b[2J\x9b31mRED\u200b\u202e"
    file = home / "esc.jsonl"
    file.write_text(json.dumps({"question": "q?", "answers": [{"term": wrote}]}), encoding="utf-8")
    (home / "set").mkdir()
    (home / "set" / f"{wrote}.json").touch()
    for data in ([str(file)], [str(home / "set"), "--split", "test"]):
        options = ("--kg", "world", "--method", "words", "--out", str(home / "rx"))
        run = groundwalk(home, "eval", "run", "--dataset", "jsonl", "--data", *data, *options)
        assert_one_line_error(run, 2, "RED")


def test_ask_prints_an_answer_and_its_proof(home: Path) -> None:
    run = groundwalk(home, "ask", "What is the capital of France?")
    assert run.returncode == 0, run.stderr
    assert "Paris" in run.stdout and "✓" in run.stdout and "verified" in run.stdout
    assert run.stderr == ""


def test_ask_json_keeps_the_contract(home: Path) -> None:
    run = groundwalk(home, "ask", "Which countries border Portugal?", "--json")
    result: Any = json.loads(run.stdout)
    assert list(result) == [
        "schema",
        *("question", "status", "answers", "unsupported", "topics", "method", "usage", "notes"),
        *("asked", "operation", "result", "query", "reading", "readings", "account", "sparql"),
        *("reasoner", "confidence"),
    ]
    assert (result["schema"], result["status"]) == (2, "answered")
    assert result["reasoner"] == "reader" and 0 < result["confidence"] <= 1
    (answer,) = result["answers"]
    assert set(answer) == {"label", "term", "score", "chains", "form"}
    assert (answer["label"], answer["form"]) == ("Spain", "path")
    for step in answer["chains"][0]:
        assert set(step) == {"head", "relation", "tail", "inverse", "verdict"}
        assert set(step["head"]) == {"term", "label"} and step["verdict"] == "supported"
    assert set(result["usage"]) == {
        "forward_passes",
        "tokens",
        "forced_tokens",
        "prompt_tokens",
        "llm_calls",
        "llm_failed",
        "llm_uncounted",
        "unread",
        "kg_requests",
        "seconds",
    }


def test_options_that_the_method_does_not_use_are_a_note(home: Path) -> None:
    settings = ("--beams", "7", "--set", "planning=random", "--set", "depth=3", "--json")
    run = groundwalk(home, "ask", "What is the capital of Peru?", "--method", "tot", *settings)
    assert json.loads(run.stdout)["notes"][0] == "tot does not use beams, planning", run.stderr


def test_paths_without_a_file_is_refused_before_anything_is_opened(home: Path) -> None:
    arguments = ("--method", "paths", "--kg", str(home / "absent.ttl"))
    run = groundwalk(home, "ask", "What is the capital of Peru?", *arguments)
    words = ("retriever", "--set retrieved=FILE", "eval run --dataset world")
    assert_one_line_error(run, 2, *words)
    assert "linked" not in run.stdout


@pytest.mark.parametrize(("name", "value"), [("beams", "33"), ("hops", "9")])
def test_limits_are_those_of_the_flags(home: Path, name: str, value: str) -> None:
    for setting in ((f"--{name}", value), ("--set", f"{name}={value}")):
        assert_one_line_error(groundwalk(home, "ask", "x", *setting), 2, name)


def test_quiet_prints_answers_only(home: Path) -> None:
    run = groundwalk(home, "ask", "Which countries border Portugal?", "--quiet")
    assert run.stdout == "Spain\n"


def test_what_is_not_understood(home: Path) -> None:
    run = groundwalk(home, "ask", "Who wrote Hamlet?")
    assert run.returncode == 0 and "I did not understand that." in run.stdout


def test_what_comes_to_nothing_is_an_answer(home: Path) -> None:
    run = groundwalk(home, "ask", "Which countries border Iceland?")
    assert run.returncode == 0 and "None in the graph." in run.stdout
    assert "does not say" not in run.stdout and "read as: borders of Iceland" in run.stdout


def test_what_is_not_sure_enough_can_be_answered_all_the_same(home: Path) -> None:
    words = ("ask", "Which countries border Portugal?")
    run = groundwalk(home, *words, "--set", "confidence=1")
    assert "I am not sure enough to answer." in run.stdout and "Spain" not in run.stdout
    hint = next(line for line in run.stdout.splitlines() if line.startswith("it is answered with"))
    again = groundwalk(home, *words, *hint.removeprefix("it is answered with ").split())
    assert "Spain" in again.stdout


def test_unknown_entity_is_a_note_and_no_error(home: Path) -> None:
    run = groundwalk(home, "ask", "Who is the king of Narnia?", "--json")
    assert run.returncode == 0 and json.loads(run.stdout)["status"] == "abstained"


def test_ambiguous_name_is_a_status_where_nobody_can_be_asked(home: Path) -> None:
    run = groundwalk(home, "ask", "Which countries border Congo?", "--json")
    result: Any = json.loads(run.stdout)
    assert run.returncode == 0 and result["status"] == "ambiguous"
    assert "Democratic" in result["notes"][0]


@pytest.mark.parametrize("question", ["", "  "])
def test_empty_question(home: Path, question: str) -> None:
    assert_one_line_error(groundwalk(home, "ask", question), 2, "empty", "groundwalk ask")


def test_several_questions_in_a_pipe_are_not_made_one(home: Path) -> None:
    run = groundwalk(home, "ask", "-", say="Which countries border Peru?\nAnd Chile?\n")
    assert_one_line_error(run, 2, "2 lines with several questions", "groundwalk chat")


@pytest.mark.parametrize("arguments", [("--quiet",), ("-", "--quiet")])
def test_a_question_may_come_in_a_pipe(home: Path, arguments: tuple[str, ...]) -> None:
    run = groundwalk(home, "ask", *arguments, say="Which countries\n  border Portugal?\n")
    assert run.stdout == "Spain\n", run.stderr
    assert_one_line_error(groundwalk(home, "ask", *arguments, say=" \n"), 2, "empty")


@pytest.mark.parametrize(
    ("question", "column", "value"),
    [
        ("How many countries border Portugal?", "count", "1"),
        ("What is the highest mountain in Austria?", "height in metres", "3798"),
    ],
)
def test_a_table_has_what_was_computed(home: Path, question: str, column: str, value: str) -> None:
    run = groundwalk(home, "ask", question, "--csv")
    header, row = run.stdout.splitlines()
    assert header == f"answer,term,{column}" and row.endswith(f">,{value}")


def test_every_value_that_was_compared_is_shown(home: Path) -> None:
    run = groundwalk(home, "ask", "Which is longer, the Danube or the Rhine?")
    assert "─ length in kilometres → 2850" in run.stdout
    assert "✓ Rhine ─ length in kilometres → 1230" in run.stdout


def test_words_without_quotes_are_told_how_to_be_put(home: Path) -> None:
    run = groundwalk(home, "ask", "who", "borders", "Peru?")
    assert_one_line_error(run, 2, "quotes", "type groundwalk ask 'who borders Peru?'")


def test_a_graph_without_its_option_is_told_how_to_be_put(home: Path) -> None:
    (home / "bells.ttl").write_text("", encoding="utf-8")
    run = groundwalk(home, "ask", "bells.ttl", "who rings?")
    assert_one_line_error(run, 2, "no question", "type groundwalk ask --kg bells.ttl 'who rings?'")


def test_question_of_a_megabyte(home: Path, model: Path) -> None:
    text = "why " * 25_000  # as long as one argument of a process may be
    assert_one_line_error(groundwalk(home, "ask", text), 2, "100,000 characters")


def test_errors_as_json(home: Path) -> None:
    run = groundwalk(home, "ask", "Where?", "--kg", "nowhere.ttl", "--json")
    error: Any = json.loads(run.stdout)
    assert run.returncode == 2 and error["status"] == "error" and error["code"] == "kg"
    assert set(error) == {"status", "code", "message", "hint"}


def test_kg_of_the_users_own(home: Path, model: Path) -> None:
    file = home / "family.kb"
    file.write_text("Ada|mother of|Ben\nBen|lives in|Oslo\n", encoding="utf-8")
    run = groundwalk(home, "ask", "Where is Ada?", "--kg", str(file), "--model", str(model))
    assert run.returncode == 0 and "✓" in run.stdout


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("missing.ttl", None, ("missing.ttl",)),
        ("empty.ttl", "", ("empty.ttl", "no triples")),
        ("broken.nt", "<http://a> <http://b> <http://c> .\n<http://a> oops\n", ("broken.nt", "2")),
        ("broken.kb", "a|b|c\na|b\n", ("broken.kb", "line 2")),
    ],
)
def test_bad_graphs(home: Path, name: str, text: str | None, words: tuple[str, ...]) -> None:
    if text is not None:
        (home / name).write_text(text, encoding="utf-8")
    assert_one_line_error(groundwalk(home, "ask", "Who?", "--kg", str(home / name)), 2, *words)


def test_model_folder_without_weights(home: Path, model: Path) -> None:
    folder = home / "half"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_bytes((model / "config.json").read_bytes())
    run = groundwalk(home, "ask", "What is the capital of France?", "--model", str(folder))
    assert_one_line_error(run, 2, "tokenizer", "model.safetensors")


def test_model_folder_with_broken_weights(home: Path, model: Path) -> None:
    folder = home / "broken"
    folder.mkdir(exist_ok=True)
    for file in model.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "model.safetensors").write_bytes(b"no weights")
    run = groundwalk(home, "ask", "What is the capital of France?", "--model", str(folder))
    assert_one_line_error(run, 2, "does not load")


@pytest.mark.parametrize("spec", ["gpt", "openai:", "http://127.0.0.1:9/v1", "ftp://x#y"])
def test_bad_llm(home: Path, spec: str) -> None:
    assert_one_line_error(groundwalk(home, "ask", "Who?", "--llm", spec), 2, "--llm")


def test_an_endpoint_that_is_not_there_is_one_line(home: Path) -> None:
    run = groundwalk(home, "ask", "Who?", "--kg", "http://127.0.0.1:9/sparql")
    assert_one_line_error(run, 3, "http://127.0.0.1:9/sparql did not answer")


def test_help_needs_no_heavy_library(home: Path) -> None:
    code = (
        "import sys\nsys.argv = ['groundwalk', '--help']\n"
        "from groundwalk.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'torch', 'transformers', 'langgraph', 'langchain_openai', 'numpy'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=home
    )
    assert "HEAVY []" in run.stdout, run.stdout + run.stderr


def test_kg_info(home: Path) -> None:
    run = groundwalk(home, "kg", "info")
    assert run.returncode == 0 and "official language" in run.stdout
    record: Any = json.loads(groundwalk(home, "kg", "info", "world", "--json").stdout)
    assert record["facts"] > 2_000 and len(record["digest"]) == 64


def test_graph_is_mermaid(home: Path) -> None:
    run = groundwalk(home, "graph", "gcr")
    assert run.returncode == 0 and "ask_user" in run.stdout and "graph TD" in run.stdout


def test_chat_answers_line_after_line(home: Path) -> None:
    said = "Who is the king of Narnia?\nWhat is the capital of Kenya?\n"
    said += "/why\n/nonsense\n\n/help\n/quit\n"
    run = groundwalk(home, "chat", say=said)
    assert run.returncode == 0, run.stderr
    silent, kenya = run.stdout.split("did not understand")
    assert "Nairobi" not in silent and "Nairobi [1]" in kenya
    assert "[1] ✓ Kenya ─ capital → Nairobi" in kenya.splitlines()
    assert "/nonsense is no command" in kenya


def test_chat_asks_back(home: Path) -> None:
    run = groundwalk(home, "chat", say="Which countries border Congo?\n9\n1\n")
    assert run.returncode == 0, run.stderr
    assert "Which Congo do you mean?" in run.stdout and "none of them: type 1 to 2" in run.stdout
    assert "verified" in run.stdout


def test_names_cannot_steer_the_terminal(home: Path, model: Path) -> None:
    file = home / "hostile.kb"
    file.write_text("Ada|\x1b[2Jowns|[red]it\x1b]0;x\x07[/red]\n", encoding="utf-8")
    run = groundwalk(home, "ask", "What of Ada?", "--kg", str(file), "--model", str(model))
    assert run.returncode == 0, run.stderr
    assert "\x1b" not in run.stdout and "\x07" not in run.stdout and "[red]it" in run.stdout


def test_chat_goes_on_when_the_choice_is_left_open(home: Path) -> None:
    said = "Which countries border Congo?\nWhat is the capital of Peru?\nCongo?\n/quit\n"
    run = groundwalk(home, "chat", say=said)
    assert run.returncode == 0 and "Lima" in run.stdout, run.stderr


def test_chat_takes_a_name_for_a_choice(home: Path) -> None:
    said = "What is the capital of Congo?\nrepublic of the congo\n"
    assert "Brazzaville" in groundwalk(home, "chat", say=said).stdout.split("do you mean?")[1]


def test_quiet_says_why_there_is_no_answer(home: Path) -> None:
    run = groundwalk(home, "ask", "What is the population of Japan?", "--quiet")
    assert run.returncode == 0 and run.stdout == "" and "did not understand" in run.stderr


@pytest.mark.parametrize(("option", "value"), [("--dtype", "foo"), ("--device", "foo")])
def test_bad_device_or_number_format(home: Path, option: str, value: str) -> None:
    run = groundwalk(home, "ask", "What is the capital of France?", "--quiet", option, value)
    assert_one_line_error(run, 2, "foo")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ask", "x", "--beams", "0"), ("--beams", "groundwalk ask --help")),
        (("ask",), ("question",)),
        (("ask", "x", "--nonsense"), ("--nonsense",)),
        (("nonsense",), ("nonsense", "groundwalk --help")),
        (("ask", "x", "--kg", "no\nsuch\nfile"), ("no such file",)),
    ],
)
def test_errors_of_the_command_line_take_one_line(
    home: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert_one_line_error(groundwalk(home, *arguments), 2, *words)
    run = groundwalk(home, *arguments, "--json")
    assert run.returncode == 2 and run.stderr == ""
    assert set(json.loads(run.stdout)) == {"status", "code", "message", "hint"}


def test_no_arguments_print_the_help(home: Path) -> None:
    run = groundwalk(home)
    assert run.returncode == 2 and "Usage: groundwalk" in run.stdout and run.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_told_in_one_line(home: Path) -> None:
    environment = os.environ | {"GROUNDWALK_CACHE": str(home / "cache")}
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [*COMMAND, "kg", "info"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
    assert run.returncode == 3
    assert run.stderr == "groundwalk: the disk that the output goes to is full (make room)\n"
