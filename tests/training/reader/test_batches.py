"""What the general reader learns from: real formats as lessons, and a network that learns them."""

import gzip
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from groundwalk.agent.query.actions import LITERAL
from groundwalk.agent.reader.inputs import FORWARD, INVERSE, KIND_NUMBERS, NONE, Size, kind_of
from groundwalk.agent.reader.lexicon import Lexicon
from groundwalk.training.reader import learning
from groundwalk.training.reader.batches import Batcher
from groundwalk.training.reader.examples import Example, examples_of
from groundwalk.training.reader.learning import Plan, measured, stream_of, train
from groundwalk.training.reader.module import ReaderModule
from groundwalk.training.reader.pools import Drawing, pools_of
from groundwalk.training.reader.siblings import siblings_of
from groundwalk.training.reader.sources import Hop, SchemaLabels, read_source
from torch import Tensor

RECORDS: list[dict[str, Any]] = [
    {
        "question": "which rivers are longer than 300 km",
        "mentions": [{"start": 29, "end": 32, "text": "300"}],
        "query": {
            "start": {"class": "river"},
            "filters": [{"relation": "length", "op": ">", "value": "300", "mention": 0}],
            "answer": "list",
        },
    },
    {
        "question": "how many lakes lie in Peru",
        "mentions": [{"start": 22, "end": 26, "text": "Peru", "class": "country"}],
        "query": {
            "start": [0],
            "steps": [{"relation": "lake in", "inverse": True}],
            "answer": "count",
        },
    },
    {
        "question": "what is the capital of Chad",
        "mentions": [{"start": 23, "end": 27, "text": "Chad"}],
        "query": {"start": [0], "steps": [{"relation": "capital", "inverse": False}]},
    },
    {
        "question": "the 3 highest hills of Mali",
        "mentions": [{"start": 23, "end": 27, "text": "Mali"}],
        "query": {
            "start": [0],
            "steps": [{"relation": "hill in", "inverse": True}],
            "extreme": {"relation": "height", "most": True, "n": 3},
            "limit": 3,
        },
    },
    {
        "question": "hills above the height of Mount Nowhere",
        "mentions": [],
        "query": {
            "start": {"class": "hill"},
            "filters": [{"relation": "height", "op": ">", "value": "7"}],
        },
    },
]
SCHEMA = SchemaLabels(
    (
        Hop("length", "river", "number"),
        Hop("mouth", "river", "sea"),
        Hop("capital", "country", "city"),
    ),
    ("river", "lake", "hill"),
)


NOTHING = Lexicon()
MEANT = ("capital", "mouth", "length", "river", "city", "sea")


@pytest.fixture
def examples(tmp_path: Path) -> list[Example]:
    file = tmp_path / "questions.jsonl.gz"
    rest = {"source": "made up", "split": "train", "schema": "earth"}
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({**rest, **own}) + "\n" for own in RECORDS)
    return examples_of(read_source(file))


def batcher(examples: list[Example], lexicon: Lexicon = NOTHING, /, **drawn: float) -> Batcher:
    several: dict[str, Any] = {"none": 0.0, "unknown": 0.0, "renamed": 0.0, **drawn}
    pools = pools_of(examples, {"earth": SCHEMA})
    return Batcher(lexicon, pools, Drawing(fewest=3, most=6, **several))


def test_a_value_that_no_mention_names_is_left_out(examples: list[Example]) -> None:
    assert len(examples) == len(RECORDS) - 1


def test_the_grammar_allows_what_is_right(examples: list[Example]) -> None:
    for own in examples:
        for action, legal in zip(own.actions, own.legal, strict=True):
            assert kind_of(action) in legal
        assert own.may_end[-1] and not own.may_end[0]


def test_numbers_of_the_question_are_values(examples: list[Example]) -> None:
    (three,) = (word for word in examples[3].words if word.text == "3")
    assert three.what == "number"
    places = [own.kind in LITERAL for own in examples[3].actions]
    assert examples[3].actions[places.index(True) + 1].number == 3


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_has_what_is_right_among_others(examples: list[Example], seed: int) -> None:
    rng = Random(seed)
    made = batcher(examples)
    batch, targets = made.batch(examples, rng)
    for row, own in enumerate(examples):
        for place, action in enumerate(own.actions):
            kind = int(targets.kinds[row, place])
            assert kind == KIND_NUMBERS[kind_of(action)] and targets.legal[row, place, kind]
            assert (targets.labels[row, place] >= 0) == bool(action.name)
            if action.name:
                way = int(batch.ways[row, targets.labels[row, place]])
                assert way == (2 if action.kind == "class" else int(action.inverse))
        assert bool((targets.kinds[row, len(own.actions) :] == -1).all())
    labels = made.labels(examples[0], rng)
    assert len({own.key for own in labels}) == len(labels) > len(examples[0].names)


def test_labels_that_nothing_of_a_class_has_are_barred_and_never_what_is_right(
    examples: list[Example],
) -> None:
    batch, targets = batcher(examples, barred=1.0).batch(examples, Random(1))
    _, open_to_all = batcher(examples, barred=0.0).batch(examples, Random(1))
    assert bool(open_to_all.offered.all()) and not bool(targets.offered.all())
    right = targets.labels.clamp(min=0)[..., None]
    assert bool((targets.offered.gather(-1, right)[..., 0] | (targets.labels < 0)).all())
    first = bool(targets.offered[:, 0].all())
    assert first, "nothing is known before the first action"
    assert batch.ways.shape[1] == targets.offered.shape[2]


def test_rare_kinds_of_action_are_drawn_more_often(examples: list[Example]) -> None:
    common, rare = examples[0], examples[3]
    assert {own.kind for own in rare.actions} - {own.kind for own in common.actions}
    several = {"one": [common] * 99 + [rare]}

    def drawn(rarity: float) -> int:
        stream = stream_of(several, {}, 0, rarity)
        return sum(next(stream) is rare for _ in range(2_000))

    assert 5 < drawn(0.0) < 50 < drawn(1.0) < 300


def test_where_its_label_is_missing_nothing_fits(examples: list[Example]) -> None:
    _, targets = batcher(examples, none=1.0).batch(examples, Random(0))
    for row in range(len(examples)):
        asked = [int(own) for own in targets.kinds[row] if own >= 0]
        assert asked[-1] == KIND_NUMBERS[NONE]
        assert bool((targets.unread[row] == -1).all())


SIBLINGS = siblings_of(
    ("capital", "capital gain", "length", "height", "lake in", "hill in"),
    dict(zip(("lake", "hill", "gain"), np.eye(3, dtype=np.float32), strict=True)),
    {"capital": {"money"}, "length": {"height"}},
)


def test_where_a_label_does_not_fit_by_one_word_nothing_does(examples: list[Example]) -> None:
    drawing = Drawing(none=0.0, unknown=0.0, renamed=0.0, mistaken=1.0, fewest=3, most=6)
    pools = pools_of(examples, {"earth": SCHEMA})
    of_capital = [one for one in examples if "capital" in {name for name, _, _ in one.names}]
    for seed in range(20):
        drawn = Batcher(NOTHING, pools, drawing, siblings=SIBLINGS)
        _, targets = drawn.batch(of_capital, Random(seed))
        for row in range(len(of_capital)):
            asked = [int(kind) for kind in targets.kinds[row] if kind >= 0]
            assert asked[-1] == KIND_NUMBERS[NONE]


def test_a_label_that_differs_by_one_word_stands_beside_what_is_right(
    examples: list[Example],
) -> None:
    pools = pools_of(examples, {})
    for siblings, beside in ((None, 0), (SIBLINGS, 1)):
        drawing = Drawing(none=0.0, unknown=0.0, turned=0.0, siblings=1.0, fewest=0, most=0)
        drawn = Batcher(NOTHING, pools, drawing, siblings=siblings)
        (lake,) = (one for one in examples if "lake in" in {name for name, _, _ in one.names})
        made, targets = drawn.batch([lake], Random(1))
        assert KIND_NUMBERS[NONE] not in targets.kinds
        assert int(((made.ways == FORWARD) | (made.ways == INVERSE)).sum()) == 1 + beside


@pytest.mark.parametrize("hidden", ["bare", "untold"])
def test_what_has_no_answer_is_drawn_as_all_else(examples: list[Example], hidden: str) -> None:
    answered, tails, more = examples[0], list[bool](), 0
    silent = replace(answered, actions=(), legal=answered.legal[:1], may_end=answered.may_end[:1])
    plain, hiding = batcher(examples), batcher(examples, **{hidden: 1.0, "affixed": 1.0})
    for seed in range(20):
        known, _ = plain.batch([silent], Random(seed))
        made, targets = hiding.batch([silent], Random(seed))
        assert int(targets.kinds[0, 0]) == KIND_NUMBERS[NONE]
        assert not (made.classes > 0).any()
        tails.append(bool((made.tails > 0).any()))
        more += int((made.labels > 0).sum(-1).max() > (known.labels > 0).sum(-1).max())
    assert more, "labels are affixed here, too"
    assert any(tails) == (hidden == "bare") and not all(tails)


def test_words_of_unknown_meaning_are_matched_all_the_same(examples: list[Example]) -> None:
    lexicon = Lexicon(meanings={name: row for row, name in enumerate(MEANT, start=1)})
    meant = list[tuple[int, int]]()
    for seed in range(5):
        known, _ = batcher(examples, lexicon).batch(examples[2:3], Random(seed))
        unknown, _ = batcher(examples, lexicon, unknown=1.0).batch(examples[2:3], Random(seed))
        assert known.matches.sum() > 0 and np.array_equal(known.matches, unknown.matches)
        meant.append((int((known.meant > 0).sum()), int((unknown.meant > 0).sum())))
    assert all(one >= other for one, other in meant)
    assert any(one > other for one, other in meant)


def test_labels_have_words_that_say_nothing_and_the_account_leaves_these_out(
    examples: list[Example],
) -> None:
    own, more = examples[2], 0
    for seed in range(20):
        plain, before = batcher([own]).batch([own], Random(seed))
        affixed, after = batcher([own], affixed=1.0).batch([own], Random(seed))
        words = [(batch.labels > 0).sum(-1)[0, :1] for batch in (plain, affixed)]
        more += int((words[1] > words[0]).sum())
        assert np.array_equal(before.labels, after.labels)
        assert np.array_equal(before.unread, after.unread)
    assert more


def test_a_mention_that_is_pointed_at_later_is_left_out_so_far(examples: list[Example]) -> None:
    own = examples[0]
    _, targets = batcher(examples).batch([own], Random(0))
    place = next(place for place, ends in enumerate(own.may_end) if ends)
    number = next(at for at, word in enumerate(own.words) if word.mention == 0)
    assert targets.unread[0, place, number] == 1
    assert targets.unread[0, len(own.actions) - 1, number] == 0


@pytest.mark.slow
def test_it_learns_a_few_questions_and_goes_on_from_a_checkpoint(
    examples: list[Example], tmp_path: Path
) -> None:
    names = sorted({word for own in examples for name, _, _ in own.names for word in name.split()})
    known = {name: row for row, name in enumerate(dict.fromkeys([*names, *MEANT]), start=1)}
    size = Size(width=32, table=16, layers=1, heads=2, meanings=len(known), meaning=8)
    plan = Plan(steps=600, batch=4, rate=3e-3, size=size)
    several, heard = {"one": examples}, list[int]()
    made = batcher(examples, Lexicon(meanings=known))

    def told(step: int, loss: float, network: ReaderModule) -> None:
        heard.append(step)

    file = tmp_path / "checkpoint"
    network = train(made, lambda first: stream_of(several, {}, first), plan, told, file)
    assert measured(network, made, examples).whole == 1
    heard.clear()
    again = train(made, lambda first: stream_of(several, {}, first), plan, told, file)
    assert heard == [550, 600], "the last 100 steps, from the checkpoint at 500"
    assert measured(again, made, examples).actions > 0.9


def test_the_last_weights_are_averaged(
    examples: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "KEPT_EVERY", 100)
    size = Size(width=32, table=16, layers=1, heads=2, meanings=0, meaning=8)
    plan = Plan(steps=110, batch=4, rate=3e-3, size=size, averaged=5)
    seen = dict[int, Tensor]()

    def told(step: int, loss: float, network: ReaderModule) -> None:
        seen[step] = network.kinds.weight.detach().clone()

    def trained(plan: Plan) -> ReaderModule:
        stream = partial(stream_of, {"one": examples}, {})
        return train(batcher(examples), stream, plan, told, tmp_path / "checkpoint")

    last = trained(replace(plan, averaged=0, heard=10)).kinds.weight
    (tmp_path / "checkpoint").unlink()
    network = trained(replace(plan, heard=10))
    mean = seen[10]
    for count, step in enumerate(range(20, 120, 10), start=1):
        mean = mean + (seen[step] - mean) / (1 + min(count, 5))
    assert torch.allclose(network.kinds.weight, mean, atol=1e-5)
    assert not torch.allclose(network.kinds.weight, last, atol=1e-3)
    again = trained(plan)
    assert torch.allclose(again.kinds.weight, network.kinds.weight, atol=1e-2)
