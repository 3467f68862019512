"""The decoding benchmark: what it compares is equal, and it reports every measure.

Nothing here looks at the times.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from groundwalk.agent.decoding.plan import BeamPlan
from groundwalk.agent.kg import open_kg
from groundwalk.evaluation.benchmarks import decoding
from groundwalk.evaluation.benchmarks.decoding import MEASURES, reached
from groundwalk.evaluation.benchmarks.decoding_contest import (
    Breakdown,
    Figure,
    Mismatch,
    check,
    compared,
    contest,
    decode,
    figure,
    repaired_by_parts,
    total,
    where_ours_goes,
)
from groundwalk.evaluation.benchmarks.decoding_rivals import PathTrie, Published, repaired
from groundwalk.evaluation.benchmarks.decoding_scenes import (
    Scene,
    fitting,
    graph_tokenizer,
    scene_of,
    small_llama,
    spread,
)
from groundwalk.evaluation.benchmarks.harness import DATA
from groundwalk.evaluation.datasets.jsonl import read_world

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("marisa_trie"), reason="the extra `bench` is not installed"),
]

PLAN = BeamPlan(beams=4)


@pytest.fixture(name="world", scope="module")
def _world() -> Scene:
    kg = open_kg("world")
    return scene_of(kg, small_llama(graph_tokenizer([kg], 600)))


@pytest.fixture(name="one_thread")
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.mark.data("metaqa/kb.txt", "metaqa/3-hop")
@pytest.mark.usefixtures("one_thread")
def test_a_quick_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.json"
    assert decoding.main(["--quick", "--out", str(out)]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert list(report["measures"]) == list(MEASURES)
    assert report["equal"] > 0
    found = {name: one for name, one in report["measures"].items() if one}
    assert {name.rsplit("/", 1)[0] for name in found} >= {"published/small", "allowed/small"}
    assert all(one["low"] <= one["median"] <= one["high"] for one in found.values())
    printed = capsys.readouterr().out
    assert all(MEASURES[name].title in printed for name in found)
    missed = [name for name, one in found.items() if one["reached"] is False]
    assert all(report["reasons"][name] for name in missed if not name.startswith("state/"))
    assert all(line in printed for name in missed for line in report["reasons"].get(name, ()))


def test_without_the_data_folder_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(DATA, raising=False)
    assert decoding.main(["--quick", "--only", "small"]) == 2
    assert DATA in capsys.readouterr().err


@pytest.mark.parametrize("scores", ["full", "allowed"])
def test_the_others_find_what_ours_finds(world: Scene, scores: str) -> None:
    plan = replace(PLAN, scores=scores)
    for case in fitting(world, read_world(), 2, 2):
        round = contest(world, case, 2, plan, published=Published(world.kg))
        assert set(round.others) == {"published", "repaired", "unconstrained"}
        ours, theirs = round.breakdowns["ours"], round.breakdowns["repaired"]
        assert 0 < ours.passes < theirs.passes
        assert len(case.prompt) - case.shared < ours.tokens < theirs.tokens


def test_both_enumerations_give_the_same_paths(world: Scene) -> None:
    (case,) = fitting(world, read_world(), 2, 1)
    texts = Published(world.kg).path_texts(list(case.topics.values()), 2)
    tokens = world.local.tokenizer(texts, add_special_tokens=False)["input_ids"]
    words = world.words(case, 2)
    assert len(words) == len(set(words)) == world.count(case, 2)
    assert {tuple(word) for word in tokens} == set(words)


def test_a_difference_is_found(world: Scene) -> None:
    (case,) = fitting(world, read_world(), 2, 1)
    words = world.words(case, 2)
    (found,) = decode(world, [case], 2, PLAN)
    best = repaired(world, case, words, PLAN)
    check(world, case, found, best, words, PLAN)
    others = sorted(set(words) - set(best), key=len)
    with pytest.raises(Mismatch, match="scores"):
        check(world, case, found, [*best[:-1], others[-1]], words, PLAN)
    with pytest.raises(Mismatch, match="against"):
        check(world, case, found, best[:-1], words, PLAN)


def test_a_trie_lists_what_may_follow() -> None:
    trie = PathTrie([(1, 0xD7FF, 5), (1, 0xD7FF, 0xD800), (1, 0xD7FF, 0xDFFF, 7), (1, 150_000)])
    assert trie.followers([]) == [1]
    assert trie.followers([1]) == [0xD7FF, 150_000]
    assert trie.followers([1, 0xD7FF]) == [5, 0xD800, 0xDFFF]
    assert trie.followers([1, 0xD7FF, 0xDFFF]) == [7]
    assert trie.followers([1, 9]) == trie.followers([1, 150_000]) == []


def test_the_parts_of_a_search(world: Scene) -> None:
    (case,) = fitting(world, read_world(), 2, 1)
    ours = where_ours_goes(world, [case], 2, PLAN)
    assert set(ours.parts) == {"layers", "state", "constraint", "head", "masks"}
    assert min(ours.every.values()) > 0
    assert sum(ours.every.values()) == pytest.approx(ours.whole)
    words = world.words(case, 2)
    best, theirs = repaired_by_parts(world, case, words, PLAN)
    assert best == repaired(world, case, words, PLAN)
    assert min(theirs.every.values()) > 0


def test_a_breakdown_says_what_is_left_where_the_rest_takes_no_time() -> None:
    ours = Breakdown(0.1, {"layers": 0.05, "head": 0.02}, passes=4, tokens=100)
    theirs = Breakdown(1.0, {"layers": 0.5, "trie": 0.3}, passes=20, tokens=200)
    own, other, most = compared("R", [(ours, theirs)])
    assert own.endswith(
        "100 ms, of which layers 50.0, the rest 30.0, head 20.0 (4 passes over 100 tokens)"
    )
    assert other.startswith("R: 1000 ms, of which layers 500.0, trie 300.0, the rest 200.0")
    assert "20 x" in most and "5 times" in most
    assert total([theirs, theirs]) == Breakdown(2.0, {"layers": 1.0, "trie": 0.6}, 40, 400)


def test_a_spread_has_no_ends() -> None:
    assert spread(60, 2) == [15, 45]
    assert spread(3, 3) == spread(3, 5) == [0, 1, 2]
    assert spread(9, 1) == [4]


def test_figures_and_aims() -> None:
    assert figure([3.0]) == Figure(3.0, 3.0, 3.0, 1)
    assert figure([1.0, 2.0, 3.0], [1.0], [9.0]) == Figure(2.0, 1.5, 2.5, 3, 1.0, 9.0)
    assert reached(MEASURES["batch"], figure([21.0]))
    assert reached(MEASURES["state/2"], figure([2.0])) is False
    assert reached(MEASURES["repaired/hubs/2"], figure([2.0])) is None
