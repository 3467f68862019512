"""`groundwalk verify` as a user meets it: files and pipes in, JSON lines and exit codes out."""

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.agent.kg import OxigraphStore
from groundwalk.cli.main import app

from .test_cli import COMMAND, assert_one_line_error, groundwalk

GRAPH = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:fr rdfs:label "France" ; :capital :paris ; :motto "Liberté"@fr . :capital rdfs:label "capital" .
:paris rdfs:label "Paris" . :texas rdfs:label "Paris" ; :in :us .
"""
PARIS = "<http://example.org/paris>"
GOOD: dict[str, Any] = {"topics": ["France"], "chain": [["France", "capital", PARIS]]}
BAD: dict[str, Any] = {"topics": ["France"], "chain": [[PARIS, "capital", "France"]]}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    (folder / "kg.ttl").write_text(GRAPH, encoding="utf-8")
    return folder


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def verify(
    home: Path, text: str, *options: str, kg: str = "kg.ttl"
) -> subprocess.CompletedProcess[str]:
    (home / "claims.jsonl").write_text(text, encoding="utf-8")
    return groundwalk(home, "verify", "claims.jsonl", "--kg", kg, *options)


def records(run: subprocess.CompletedProcess[str]) -> list[Any]:
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.slow
def test_what_is_true(home: Path) -> None:
    run = verify(home, lines(GOOD | {"answers": [PARIS], "id": 1}, GOOD))
    assert run.returncode == 0
    assert run.stderr == (
        "2 chains: 2 supported, 0 unsupported, 0 unknown; "
        "1 answer: 1 supported, 0 unsupported, 0 unknown; 1 triple asked in 1 request\n"
    )
    first, second = records(run)
    assert first["id"] == 1 and first["verdict"] == second["verdict"] == "supported"


@pytest.mark.parametrize("wrong", [BAD, GOOD | {"answers": ["France"]}], ids=["chain", "answer"])
def test_what_is_not(home: Path, wrong: dict[str, Any]) -> None:
    run = verify(home, lines(GOOD, wrong), "--quiet")
    assert (run.returncode, run.stderr) == (1, "")
    assert [record["topics"] for record in records(run)] == [["France"]] * 2


def test_from_a_pipe_and_a_variable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = groundwalk(home, "verify", "-", "--kg", "kg.ttl", say=lines(BAD))
    assert run.returncode == 1 and records(run)[0]["flags"] == ["reversed"]
    (home / ".env").write_text("GROUNDWALK_KG=kg.ttl\n", encoding="utf-8")
    try:
        assert groundwalk(home, "verify", "-", say=lines(GOOD)).returncode == 0
    finally:
        (home / ".env").unlink()
    world = {"topics": ["France"], "chain": [["France", "capital", "Paris"]], "answers": ["Paris"]}
    bundled = groundwalk(home, "verify", "-", say=lines(world))
    assert bundled.returncode == 0, "without either it is the graph that comes with it"


@pytest.mark.parametrize(("claims", "code"), [([GOOD], 3), ([GOOD, GOOD | {"topics": []}], 1)])
def test_a_store_that_does_not_answer(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    claims: list[object],
    code: int,
) -> None:
    """Unknown ends in 3, but what no store could support in 1."""

    def fail(*_: object) -> list[bool]:
        raise ServiceError("no answer")

    monkeypatch.setenv("GROUNDWALK_CACHE", str(home / "cache"))
    monkeypatch.setattr(OxigraphStore, "holds", fail)
    file = home / "silent.jsonl"
    file.write_text(lines(*claims), encoding="utf-8")
    arguments = ["verify", str(file), "--kg", str(home / "kg.ttl")]
    assert app(arguments, standalone_mode=False) == code
    said = capsys.readouterr()
    first, *_ = said.out.splitlines()
    assert said.err.endswith("; not answered: no answer\n") and said.err.count("\n") == 1
    assert json.loads(first)["verdict"] == "unknown" and json.loads(first)["well_formed"] is None


def test_only_the_chosen_graph_counts(home: Path) -> None:
    graphs = "".join(f"<urn:g{n}> {{ <urn:a> <urn:p> <urn:{n}> . }}\n" for n in (1, 2))
    (home / "two.trig").write_text(graphs, encoding="utf-8")
    claims = [
        {"topics": ["<urn:a>"], "chain": [["<urn:a>", "<urn:p>", f"<urn:{n}>"]]} for n in (1, 2)
    ]
    both = verify(home, lines(*claims), kg="two.trig")
    assert [record["verdict"] for record in records(both)] == ["supported"] * 2
    one = verify(home, lines(*claims), "--graph", "urn:g2", kg="two.trig")
    assert [record["verdict"] for record in records(one)] == ["unsupported", "supported"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("claims.jsonl", "no claims")),
        ("\n \n", ("claims.jsonl", "no claims")),
        (lines(GOOD) + '{"topics": [\n', ("claims.jsonl, line 2", "not JSON")),
        (lines({"chain": []}), ("claims.jsonl, line 1", "topics")),
    ],
)
def test_bad_files(home: Path, text: str, words: tuple[str, ...]) -> None:
    assert_one_line_error(verify(home, text), 2, *words)


def test_files_and_graphs_that_are_not_there(home: Path) -> None:
    missing = groundwalk(home, "verify", "nowhere.jsonl", "--kg", "kg.ttl")
    assert_one_line_error(missing, 2, "nowhere.jsonl", "No such file")
    assert_one_line_error(groundwalk(home, "verify", ".", "--kg", "kg.ttl"), 2, "directory")
    assert_one_line_error(verify(home, lines(GOOD), kg="nowhere.ttl"), 2, "nowhere.ttl")


def test_errors_as_json(home: Path) -> None:
    run = verify(home, lines(GOOD, []), "--json")
    assert run.returncode == 2 and run.stderr == ""
    *_, error = records(run)
    assert error["status"] == "error" and "line 2" in error["message"]


def test_lines_before_a_wrong_one_are_checked(home: Path) -> None:
    run = verify(home, lines(GOOD, GOOD, [], GOOD))
    assert_one_line_error(run, 2, "line 3")
    assert [record["verdict"] for record in records(run)] == ["supported"] * 2


@pytest.mark.parametrize(
    "others", [[], [BAD], [GOOD | {"answers": ["Paris"], "topics": ["Paris"]}]]
)
def test_a_label_of_several_entities_costs_its_own_line_only(
    home: Path, others: list[dict[str, Any]]
) -> None:
    wrong = GOOD | {"answers": ["Paris"]}
    run = verify(home, lines(GOOD, wrong, GOOD, *others), "--quiet")
    more = ", and 1 line more" if others and "answers" in others[0] else ""
    assert_one_line_error(run, 2, "line 2", PARIS, f"<http://example.org/texas>{more} (write the")
    found = records(run)
    assert [record["verdict"] for record in found[:3]] == ["supported", None, "supported"]
    assert ["error" in record for record in found[:3]] == [False, True, False]
    assert "line 2: 'Paris' may mean" in found[1]["error"]
    assert len(found) == 3 + len(others)
    summary, error = verify(home, lines(GOOD, wrong)).stderr.splitlines()
    assert summary.startswith("1 chain: 1 supported") and "line 2" in error


def test_a_reader_that_stops_reading_ends_it_quietly(home: Path) -> None:
    """As SIGPIPE ends other tools, and not as if a check had failed or all was well."""
    (home / "many.jsonl").write_text(lines(*[GOOD] * 3_000), encoding="utf-8")
    command = [*COMMAND, "verify", "many.jsonl", "--kg", "kg.ttl"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, cwd=home) as run:  # pyright: ignore[reportCallIssue, reportArgumentType]
        assert run.stdout is not None and run.stderr is not None
        assert json.loads(run.stdout.readline())["verdict"] == "supported"
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 141


def test_an_empty_name_of_a_graph_is_no_graph(home: Path) -> None:
    assert_one_line_error(verify(home, lines(GOOD), kg=""), 2, "no knowledge graph was named")


def test_it_needs_no_heavy_library(home: Path) -> None:
    (home / "one.jsonl").write_text(lines(GOOD), encoding="utf-8")
    code = (
        "import sys\nsys.argv = ['groundwalk', 'verify', 'one.jsonl', '--kg', 'kg.ttl']\n"
        "from groundwalk.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'torch', 'transformers', 'langgraph', 'langchain_core', 'numpy'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=home
    )
    assert "HEAVY []" in run.stdout, run.stdout + run.stderr


def test_a_file_of_many_random_chains(home: Path) -> None:
    """Against the facts themselves, through names of a table, in full requests."""
    chance = random.Random(7)
    facts = {
        (f"e{chance.randrange(40)}", f"r{chance.randrange(3)}", f"e{chance.randrange(40)}")
        for _ in range(300)
    }
    table = "".join("|".join(fact) + "\n" for fact in sorted(facts))
    (home / "random.kb").write_text(table, encoding="utf-8")
    claims, expected = list[object](), list[str]()
    for number in range(2_000):
        chain = chance.sample(sorted(facts), 2)
        if chance.random() < 0.7:
            near = [f for f in sorted(facts) if {f[0], f[2]} & {chain[0][0], chain[0][2]}]
            chain[1] = chance.choice(near)
        if chance.random() < 0.3:
            chain[1] = (chain[1][2], chain[1][1], chain[1][0])
        claims.append({"id": number, "topics": [chain[0][0]], "chain": chain})
        connected = {chain[0][0], chain[0][2]} & {chain[1][0], chain[1][2]}
        expected.append("supported" if connected and {*chain} <= facts else "unsupported")
    run = verify(home, lines(*claims), kg="random.kb")
    found = records(run)
    assert [record["id"] for record in found] == list(range(2_000))
    assert [record["verdict"] for record in found] == expected
    assert run.returncode == 1 and {"supported", "unsupported"} == {*expected}
    asked = run.stderr.rpartition("; ")[2].replace(",", "").split()
    assert int(asked[0]) < 4_000 and int(asked[4]) < 50, run.stderr


@pytest.fixture(scope="module")
def asked(home: Path) -> Any:
    question = "Which countries border the country whose capital is Vienna?"
    run = groundwalk(home, "ask", question, "--kg", "world", "--json")
    (home / "asked.json").write_text(run.stdout, encoding="utf-8")
    return json.loads(run.stdout)


def test_what_ask_prints_is_supported(home: Path, asked: Any) -> None:
    run = groundwalk(home, "verify", "asked.json", "--kg", "world")
    assert run.returncode == 0, run.stderr
    (document,) = records(run)
    assert {key: document[key] for key in asked} == asked
    verdicts = [
        verdict
        for answer in document["answer_verdicts"]
        for verdict in (answer["verdict"], *(chain["verdict"] for chain in answer["chains"]))
    ]
    assert len(verdicts) > 8 and {*verdicts} == {"supported"}


def mutants(asked: Any) -> Iterator[Any]:
    """The same result with one step of one chain made wrong, or with another answer."""
    head, tail = "head", "tail"
    for place, answer in enumerate(asked["answers"]):
        for number in range(len(answer["chains"][0])):
            for change in ("swap", "other", "drop", "relation"):
                mutant = copy.deepcopy(asked)
                chain = mutant["answers"][place]["chains"][0]
                step = chain[number]
                if change == "swap" and step["relation"]["label"] != "borders":  # goes both ways
                    step[head], step[tail] = step[tail], step[head]
                elif change == "other":
                    step[tail] = asked["topics"][0] if number else asked["answers"][0]
                elif change == "relation":
                    step["relation"] = step[head]
                elif change == "drop" and number == 0:
                    del chain[0]
                else:
                    continue
                yield mutant
        mutant = copy.deepcopy(asked)
        mutant["answers"][place]["term"] = "<https://groundwalk.example/world/country/japan>"
        yield mutant


def test_what_was_changed_is_not(home: Path, asked: Any) -> None:
    """As the lines of one file; the document itself stands first and stays supported."""
    changed = list(mutants(asked))
    run = verify(home, lines(asked, *changed), kg="world")
    verdicts = [record["verdict"] for record in records(run)]
    assert len(changed) > 40
    assert verdicts == ["supported", *["unsupported"] * len(changed)]
