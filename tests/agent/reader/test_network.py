"""The network looks at no action that is to come, and not at what only pads a batch."""

from random import Random

import numpy as np
import pytest
import torch
from groundwalk.agent.query.actions import LITERAL, Action
from groundwalk.agent.query.prompt import EarlierQuestion, Numbered
from groundwalk.agent.reader.inputs import (
    CLASS,
    KIND_NUMBERS,
    KINDS,
    NONE,
    Inputs,
    Label,
    PartialReading,
    Size,
    number_actions,
)
from groundwalk.agent.reader.lexicon import Lexicon, words_of
from groundwalk.agent.reader.network import (
    CLASS_KIND,
    HOP_KINDS,
    POINTER_KIND,
    Network,
    Scores,
    logs_of,
    shapes_of,
)
from groundwalk.training.reader.module import ReaderModule, as_tensors, is_joint_after

QUESTION = "which films of Ada Lind are longer than 90 minutes"
MENTIONS = (Numbered(15, 23, "person"), Numbered(40, 42, "number"))
LABELS = (
    Label("directed", 0, "directed by", "person"),
    Label("directed", 1, "directed by", "film"),
    Label("length", 0, "length in minutes", "number"),
    Label("film", CLASS, "film"),
)
ACTIONS = (
    Action("pointer", number=0),
    Action("step", "directed", inverse=True),
    Action("class", "film"),
    Action("where", "length"),
    Action("greater"),
    Action("pointer", number=1),
    Action("end"),
)


@pytest.fixture(scope="module", params=[0, 1, 2])
def module(request: pytest.FixtureRequest) -> ReaderModule:
    """Without and with layers in which words and labels see each other."""
    torch.manual_seed(0)
    made = ReaderModule(Size(width=32, table=16, layers=2, heads=2, joint=request.param)).eval()
    for name, own in made.named_parameters():
        if is_joint_after(name, 0):
            torch.nn.init.normal_(own, std=0.3)
    return made


@pytest.fixture(scope="module")
def network(module: ReaderModule) -> Network:
    return module.network()


def test_torch_and_numpy_give_the_same(module: ReaderModule, network: Network) -> None:
    lexicon = Lexicon(meanings={})
    batch = Inputs(lexicon).batch([posed(ACTIONS), posed(ACTIONS[:2], LABELS[:2]), posed(())])
    with torch.inference_mode():
        theirs = module(as_tensors(batch))
    ours = network(batch)
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other.numpy(), atol=2e-5, rtol=2e-5)
    places = batch.kinds.shape[1] + 1
    legal = np.random.default_rng(0).random((3, places, len(KINDS))) < 0.5
    literal = np.random.default_rng(1).random((3, places)) < 0.5
    masks = [np.random.default_rng(n).random(x.shape) < 0.7 for n, x in enumerate(ours[1:3])]
    some = logs_of(ours, batch.ways, legal, literal, *masks)
    tensors = map(torch.from_numpy, (batch.ways, legal, literal, *masks))
    for one, other in zip(some, logs_of(theirs, *tensors), strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other.numpy(), atol=1e-3, rtol=1e-5)


def test_the_shapes_are_those_that_training_makes(module: ReaderModule) -> None:
    made = {name: tuple(own.shape) for name, own in module.state_dict().items()}
    assert shapes_of(module.size) == made


@pytest.mark.parametrize("layers", [0, 1])
def test_what_is_joint_changes_nothing_before_it_is_learnt(layers: int) -> None:
    """So that it can be added to a network that was trained without."""
    torch.manual_seed(0)
    before = ReaderModule(Size(width=32, table=16, layers=2, heads=2, joint=layers)).eval()
    after = ReaderModule(Size(width=32, table=16, layers=2, heads=2, joint=2)).eval()
    known = before.state_dict()
    missing = after.load_state_dict(known, strict=False).missing_keys
    names = [name for name, _ in after.named_parameters()]
    assert {*missing} == {name for name in names if is_joint_after(name, layers)}
    one, other = (scored(made.network(), posed(ACTIONS)) for made in (before, after))
    for first, second in zip(one, other, strict=True):
        assert np.allclose(first, second, atol=1e-5)


def posed(actions: tuple[Action, ...], labels: tuple[Label, ...] = LABELS) -> PartialReading:
    words = words_of(QUESTION, MENTIONS)
    return PartialReading(words, labels, number_actions(actions, words, labels))


def scored(network: Network, *several: PartialReading) -> Scores:
    return network(Inputs(Lexicon()).batch(several))


def test_mentions_are_words_and_the_rest_is_split() -> None:
    words = words_of(QUESTION, MENTIONS)
    assert [own.text for own in words][3:5] == ["ada lind", "are"]
    assert [own.mention for own in words if own.mention is not None] == [0, 1]


def test_words_of_labels_are_read_by_their_meaning_alone() -> None:
    lexicon = Lexicon(meanings={"films": 1, "length": 2, "directed": 3})
    words = words_of("which films did the one who directed it like", ())
    batch = Inputs(lexicon).batch([PartialReading(words, LABELS)])
    rows = {word.text: int(batch.words[0, place]) for place, word in enumerate(words)}
    assert batch.pieces[rows["films"]].any() and batch.meant[rows["films"]] == 1
    assert not batch.pieces[rows["directed"]].any() and batch.meant[rows["directed"]] == 3
    assert rows["directed"] == batch.labels[0, 0, 0]
    assert not batch.pieces[batch.labels[0].flatten()].any()


@pytest.mark.parametrize(("tail", "near"), [("mountain", 1), ("film", 0), ("", 0)])
def test_a_word_is_near_the_class_that_a_label_leads_to(tail: str, near: int) -> None:
    made = ReaderModule(Size(width=32, table=16, layers=1, heads=2, meanings=3, meaning=2)).eval()
    with torch.no_grad():
        made.meanings.weight[1:] = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        made.matched.weight.zero_()
        made.weighs.weight.zero_()
        made.weighs.bias.fill_(-1e3)
    inputs = Inputs(Lexicon(meanings={"peaks": 1, "mountain": 2, "film": 3}))
    batch = inputs.batch([PartialReading(words_of("peaks", ()), [Label("in", 1, "lies in", tail)])])
    scores = [made.network().read(batch).word_label_scores]
    with torch.no_grad():
        made.weighs.bias[-1] = 5.0
    scores.append(made.network().read(batch).word_label_scores)
    np.testing.assert_allclose(scores[1] - scores[0], np.full((1, 1, 1), near * np.log1p(np.e**5)))


def test_what_came_before_follows_with_its_mentions_numbered_on() -> None:
    before = EarlierQuestion("film", "person", True, QUESTION, MENTIONS)
    words = words_of("and of Bo Ek", [Numbered(7, 12, "person")], before)
    assert [own.mention for own in words if own.mention is not None] == [0, 1, 2]
    assert [own.what for own in words[-2:]] == ["topics", "answers"]
    assert [own.is_earlier for own in words[:4]] == [False, False, False, True]


def test_a_question_is_read_once_for_all_its_queries(network: Network) -> None:
    others = (*ACTIONS[:-1], Action("end"))
    inputs = Inputs(Lexicon())
    whole = network(inputs.batch([posed(ACTIONS), posed(others)]))
    batch = inputs.batch([posed(())])
    words = words_of(QUESTION, MENTIONS)
    queries = [number_actions(actions, words, LABELS) for actions in (ACTIONS, others)]
    read = network.read(batch)
    every = network.scored(batch.of_actions(queries), read)
    last = network.scored(batch.of_actions(queries), read, last=True)
    for field in ("kinds", "labels", "words", "literals", "unread"):
        known = getattr(whole, field)
        np.testing.assert_allclose(getattr(every, field), known, atol=2e-5)
        np.testing.assert_allclose(getattr(last, field), known[:, -1:], atol=2e-5)


def test_what_comes_later_says_nothing(network: Network) -> None:
    whole = scored(network, posed(ACTIONS))
    for size in range(len(ACTIONS)):
        part = scored(network, posed(ACTIONS[:size]))
        for one, other in zip(whole[:-1], part[:-1], strict=True):
            assert np.allclose(one[:, : size + 1], other, atol=1e-5)


def test_what_pads_a_batch_says_nothing(network: Network) -> None:
    question = "who made it"
    short = PartialReading(words_of(question, ()), LABELS[:1])
    alone, beside = scored(network, short), scored(network, short, posed(ACTIONS))
    assert np.allclose(alone.kinds, beside.kinds[:1, :1], atol=1e-5)
    assert np.allclose(alone.labels, beside.labels[:1, :1, :1], atol=1e-5)
    assert np.allclose(alone.unread, beside.unread[:1, :1, :3], atol=1e-5)


def test_the_order_of_labels_does_not_matter(network: Network) -> None:
    order = list(range(len(LABELS)))
    Random(1).shuffle(order)
    one = scored(network, posed(ACTIONS))
    other = scored(network, posed(ACTIONS, tuple(LABELS[own] for own in order)))
    assert np.allclose(one.labels[:, :, order], other.labels, atol=1e-5)
    assert np.allclose(one.kinds, other.kinds, atol=1e-5)


def test_all_that_is_legal_is_certain_together(network: Network) -> None:
    batch = Inputs(Lexicon()).batch([posed(ACTIONS)])
    scores = network(batch)
    places = len(ACTIONS) + 1
    legal = np.ones((1, places, len(KINDS)), bool)
    literal = np.zeros((1, places), bool)
    logs = logs_of(scores, batch.ways, legal, literal)
    shares = np.exp(logs.kinds)
    assert np.allclose(shares.sum(-1), 1, atol=1e-5)
    for part in (logs.hops, logs.classes, logs.words):
        assert np.allclose(np.exp(part).sum(-1), 1, atol=1e-4)
    assert np.exp(logs.hops[..., 3]).max() < 1e-6 < np.exp(logs.classes[..., 3]).min()
    one = np.zeros_like(legal)
    one[..., KIND_NUMBERS[NONE]] = True
    only = logs_of(scores, batch.ways, one, literal)
    assert np.allclose(np.exp(only.kinds[..., KIND_NUMBERS[NONE]]), 1)
    named = {KIND_NUMBERS[own] for own in KINDS if own.endswith("*")} - {CLASS_KIND}
    assert set(HOP_KINDS) == named
    assert {CLASS_KIND, POINTER_KIND}.isdisjoint(HOP_KINDS) and "place" in LITERAL
