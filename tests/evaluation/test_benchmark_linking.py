"""The linking benchmark: what it asks, what it counts, and a small run of it."""

import json
from pathlib import Path
from random import Random

import pytest
from groundwalk.agent.errors import DatasetError
from groundwalk.agent.kg import normalise
from groundwalk.evaluation.benchmarks.harness import mistyped, names, write_named_graph
from groundwalk.evaluation.benchmarks.linking import Share, main, recall
from groundwalk.evaluation.benchmarks.topics import Asked, Group, question_sets
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA


def test_names_are_many_and_the_same_every_time() -> None:
    some = list(names(2_000))
    assert len({normalise(name) for name in some}) == 2_000
    assert list(names(2_000)) == some
    assert list(names(10, seed=1)) != some[:10]
    assert {len(name.split()) for name in some} == {2, 3}


def test_a_graph_holds_each_name_once(tmp_path: Path) -> None:
    write_named_graph(tmp_path / "kb.txt", 40)
    lines = [line.split("|") for line in (tmp_path / "kb.txt").read_text().splitlines()]
    assert sorted(name for head, _, tail in lines for name in (head, tail)) == sorted(names(40))


@given(st.sampled_from(list(names(50))), st.randoms(use_true_random=False))
def test_a_slip_is_one_edit_inside_the_name(name: str, dice: Random) -> None:
    typed = mistyped(name, dice)
    assert OSA.distance(typed, name) == 1
    assert (typed[:2], typed[-1]) == (name[:2], name[-1])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of all sets, with questions enough for every part of the split."""
    people = ["Ann Lee", "Bo Derrick", "Carl Cox"]
    films = [f"The {word} Days" for word in ("Green", "Windy", "Longest", "Fateful", "Rainy")]
    graph = "".join(f"{film}|directed_by|{person}\n" for film in films for person in people)
    kb = tmp_path / "data" / "metaqa"
    for split, hops in (("vanilla", 1), ("ntm", 1), ("vanilla", 2)):
        folder = kb / f"{hops}-hop" / split
        folder.mkdir(parents=True)
        lines = [f"who {n} directed [{film}]\tAnn Lee\n" for film in films for n in range(8)]
        (folder / "qa_dev.txt").write_text("".join(lines))
    (kb / "kb.txt").write_text(graph)
    path = tmp_path / "data" / "pathquestion"
    path.mkdir()
    for hops in (2, 3):
        (path / f"PQL{hops}-KB.txt").write_text("Ann_Lee\t__knows\tBo_Derrick\n")
        asked = [f"what {n} does Ann_Lee know ?\tx(x/)\tAnn_Lee#__knows#x\n" for n in range(20)]
        (path / f"PQL-{hops}H.txt").write_text("".join(asked * 2))
    slices = tmp_path / "data" / "webqsp-slices"
    slices.mkdir()
    rows = [
        ("where is greenland", ["Greenland"], [["Greenland", "in", "Denmark"]]),
        ("what does cox do", ["Carl Cox"], [["Carl Cox", "is", "DJ"]]),
        ("who is she", ["Ann Lee"], [["Ann Lee", "is", "Poet"]]),
        ("where is greenland now", ["Greenland"], []),
        ("what now", [], []),
    ]
    fields = ("question", "q_entity", "graph")
    text = "".join(json.dumps(dict(zip(fields, row, strict=True))) + "\n" for row in rows)
    (slices / "dev.jsonl").write_text(text)
    return tmp_path / "data"


def test_sets_are_read_by_their_parts(data: Path, tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    sizes = dict[str, dict[str, int]]()
    for part in ("train", "tune", "report", "all"):
        sets = question_sets(data, tmp_path / "all", part)
        sizes[part] = {title: sum(len(g.asked) for g in several) for title, several in sets.items()}
    for title, size in sizes["all"].items():
        parts = [sizes[part][title] for part in ("train", "tune", "report")]
        assert sum(parts) == size if "WebQSP" not in title else parts == [4, 4, 4]
    assert sizes["all"]["PathQuestion 2 hops"] == 20
    assert sizes["all"]["MetaQA 1 hop"] == 40


def test_recall_counts_topics_by_what_is_said_of_them(data: Path, tmp_path: Path) -> None:
    sets = question_sets(data, tmp_path, "report")
    own = recall(sets["WebQSP, own graphs"], tmp_path / "cache")
    assert (own.questions, own.mentions, own.all) == (4, 2, Share(4, 2, 2))
    assert (own.whole, own.part) == (Share(1, 1, 1), Share(1, 1, 1))
    assert (own.nothing, own.absent) == (Share(1, 0, 0), Share(1, 0, 0))
    one = recall(sets["WebQSP, one graph"], tmp_path / "cache")
    assert (one.all, one.whole, one.absent) == (Share(4, 3, 3), Share(2, 2, 2), Share(0, 0, 0))
    marked = recall(sets["MetaQA 1 hop, [marked]"], tmp_path / "cache")
    assert marked.all == marked.whole == Share(*3 * [marked.questions])
    slips = recall(sets["MetaQA 1 hop, mistyped"], tmp_path / "cache")
    assert slips.whole.topics == 0
    assert slips.all == Share(*3 * [slips.questions])


def test_a_namesake_that_is_less_likely_is_found_but_not_first(tmp_path: Path) -> None:
    graph = tmp_path / "kb.ttl"
    graph.write_text(
        "@prefix : <urn:x:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':a rdfs:label "Springfield" ; :in :c . :b rdfs:label "Springfield Hill" ; :in :c .\n'
        ':d rdfs:label "springfield" ; :in :c , :e , :f . :c rdfs:label "Ohio" .\n'
    )
    asked = Asked("where is [springfield hil]", ("Springfield Hill",)), Asked("ohio", ("Utah",))
    found = recall([Group(graph, asked)], tmp_path / "cache")
    assert (found.all, found.absent) == (Share(2, 1, 1), Share(1, 0, 0))
    both = recall([Group(graph, (Asked("where is springfield", ("Springfield",)),))], tmp_path)
    assert both.whole == Share(1, 0, 1)


@pytest.mark.slow
def test_a_run_prints_one_table_and_writes_json(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.json"
    monkeypatch.setenv("GROUNDWALK_DATA", str(data))
    assert main(["--labels", "200", "--questions", "30", "--out", str(out)]) == 0
    report = json.loads(out.read_text())
    assert [found["found"] for found in report["times"].values()] == [30, 30, 30]
    assert all(0 < found["p50"] <= found["p95"] for found in report["times"].values())
    printed = capsys.readouterr().out
    assert all(title in printed for title in [*report["times"], *report["recall"]])
    monkeypatch.delenv("GROUNDWALK_DATA")
    assert main(["--labels", "20", "--questions", "4"]) == 0
    assert "MetaQA" not in capsys.readouterr().out


@pytest.mark.parametrize("broken", ["{", "[]", '{"question": "x", "q_entity": ["x"]}'])
def test_broken_data_is_named(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    (data / "webqsp-slices" / "dev.jsonl").write_text(broken)
    with pytest.raises(DatasetError, match=r"dev\.jsonl"):
        question_sets(data, tmp_path, "report")
    monkeypatch.setenv("GROUNDWALK_DATA", str(data / "nowhere"))
    assert main(["--labels", "20"]) == 2


@pytest.mark.parametrize("labels", ["0", "7", "x", "-2"])
def test_an_odd_number_of_labels_is_refused(labels: str) -> None:
    with pytest.raises(SystemExit):
        main(["--labels", labels])
