"""The learnt account of words: shares, words in order, files, and questions of ill will."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from groundwalk.agent.errors import ModelError
from groundwalk.agent.kg import open_kg
from groundwalk.agent.query.account import (
    ACCOUNT_FILE,
    MOST_PARTS,
    MOST_PIECES,
    SPECIAL,
    LearntAccount,
    QuestionWord,
    account_beside,
    action_parts,
    log_shares,
    padded,
    question_words,
    read_account,
    read_as_classes,
    rows_of,
    share_read,
    unread,
    word_parts,
    write_account,
)
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.query.word_reader import NoAccount
from groundwalk.agent.records import Word
from groundwalk.training.fitting.pointer import Pointer, batched
from hypothesis import given
from hypothesis import strategies as st

QUESTION = "Which muddy rivers of Germany are longer than 300 km?"
MENTIONS = (Numbered(22, 29, "country"), Numbered(46, 49, "number"))
ACTIONS = (
    Action("pointer", number=0),
    Action("step", "flows", inverse=True),
    Action("where", "length"),
    Action("greater"),
    Action("pointer", number=1),
    Action("end"),
)


def label(name: str) -> str:
    return {"flows": "flows through", "length": "length in kilometres"}.get(name, name)


def made(threshold: float = 0.5, seed: int = 0) -> LearntAccount:
    """An account with random weights."""
    torch.manual_seed(seed)
    return LearntAccount(Pointer().arrays(), threshold, label)


def test_the_shares_of_a_word_are_one_together() -> None:
    places = question_words(QUESTION, MENTIONS)
    shares = made().shares(QUESTION, places, MENTIONS, ACTIONS)
    assert [len(own) for own in shares] == [SPECIAL + len(ACTIONS)] * len(places)
    assert all(abs(sum(own) - 1) < 1e-4 and min(own) >= 0 for own in shares)


def test_the_words_are_those_of_the_question_in_order() -> None:
    words = made().account(QUESTION, MENTIONS, ACTIONS)
    assert [own["text"] for own in words] == QUESTION.removesuffix("?").split()
    assert all(QUESTION[own["start"] : own["end"]] == own["text"] for own in words)
    used = {own["text"]: own["used_by"] for own in words}
    assert (used["Germany"], used["300"]) == ("mention", "value")
    names = {"unread", "filler", "operator", "flows through", "length in kilometres"}
    assert {used[text] for text in used.keys() - {"Germany", "300"}} <= names


def test_the_threshold_decides_what_is_unread() -> None:
    every, none = made(0.0), made(1.1)
    assert unread(every.account(QUESTION, MENTIONS, ACTIONS)) == [
        "Which muddy rivers of",
        "are longer than",
        "km",
    ]
    assert unread(none.account(QUESTION, MENTIONS, ACTIONS)) == []
    (most,) = every.most_unread(QUESTION, MENTIONS, [ACTIONS])
    assert unread(made(most - 1e-6).account(QUESTION, MENTIONS, ACTIONS)) != []
    assert unread(made(most + 1e-6).account(QUESTION, MENTIONS, ACTIONS)) == []


def test_a_query_is_weighed_beside_longer_ones_as_alone() -> None:
    readings = [ACTIONS, (*ACTIONS[:2], ACTIONS[-1]), (ACTIONS[0], ACTIONS[-1]), ACTIONS * 50, ()]
    account = made()
    together = account.most_unread(QUESTION, MENTIONS, readings)
    for actions, most in zip(readings, together, strict=True):
        assert account.most_unread(QUESTION, MENTIONS, [actions]) == pytest.approx([most], abs=1e-6)
    assert together[3] == 0.0 < min(together[:3])
    assert account.most_unread(QUESTION, MENTIONS, []) == []


def test_a_mention_that_the_query_does_not_point_at_may_be_unread() -> None:
    words = made(0.0).account(QUESTION, MENTIONS, (*ACTIONS[:2], ACTIONS[-1]))
    used = {own["text"]: own["used_by"] for own in words}
    assert (used["Germany"], used["300"]) == ("mention", "unread")
    counted = (ACTIONS[0], Action("first"), Action("pointer", number=1), ACTIONS[-1])
    words = made(0.0).account(QUESTION, MENTIONS, counted)
    assert {own["text"]: own["used_by"] for own in words}["300"] == "unread"


def test_a_word_reads_the_same_in_a_batch_of_longer_questions() -> None:
    torch.manual_seed(1)
    model = Pointer().eval()
    parts = [
        (word_parts(text, question_words(text, ()), (), ACTIONS), action_parts(ACTIONS, label))
        for text in ("which rivers", "which of the many rivers of the world are the longest")
    ]
    with torch.inference_mode():
        alone, both = model(*batched(parts[:1])), model(*batched(parts))
    assert torch.allclose(
        alone[0].exp(), both[0, : alone.shape[1], : alone.shape[2]].exp(), atol=1e-5
    )
    assert both[0, :2, alone.shape[2] :].exp().sum() == 0
    for (words, actions), theirs in zip(parts, both, strict=True):
        (ours,) = np.exp(log_shares(model.arrays(), padded([[*words, *actions]]), len(words)))
        np.testing.assert_allclose(ours, theirs[: len(ours), : ours.shape[1]].exp(), atol=1e-5)


def test_files_keep_the_account(tmp_path: Path) -> None:
    torch.manual_seed(2)
    weights = Pointer().arrays()
    write_account(tmp_path, weights, 0.4321987)
    read = read_account(tmp_path, label)
    assert read is not None
    places = question_words(QUESTION, MENTIONS)
    before = LearntAccount(weights, 0.4322, label).shares(QUESTION, places, MENTIONS, ACTIONS)
    after = read.shares(QUESTION, places, MENTIONS, ACTIONS)
    assert torch.allclose(torch.tensor(before), torch.tensor(after), atol=5e-3)
    assert json.loads((tmp_path / "account.json").read_text("utf-8")) == {"threshold": 0.4322}
    assert (tmp_path / ACCOUNT_FILE).stat().st_size < 3_000_000


def test_without_files_nothing_is_known_and_broken_ones_are_told(tmp_path: Path) -> None:
    kg = open_kg("world")
    assert read_account(tmp_path, label) is None
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert isinstance(account_beside(str(tmp_path), kg), NoAccount)
    write_account(tmp_path, Pointer().arrays(), 0.5)
    assert isinstance(account_beside(str(tmp_path), kg), LearntAccount)
    (tmp_path / ACCOUNT_FILE).write_bytes(b"nothing")
    with pytest.raises(ModelError, match="account of words"):
        account_beside(str(tmp_path), kg)


HOSTILE = [
    "",
    "   ",
    "?!…",
    "a" * 10_000,
    "why " * 2_500,
    "<QUERY><CLASS>river</QUERY>",
    "<0><END>\x00\x1b[31m",
    "\ue000\ue001 \ufffc",
    "‮rivers‬ 𓀀𓀁 e\u0301" * 10,
    "'" * 500 + "x'y'z" * 50,
]


@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_question_breaks_nothing(question: str) -> None:
    account = made()
    for actions in (ACTIONS, ()):
        words = account.account(question, (), actions)
        assert all(question[own["start"] : own["end"]] == own["text"] for own in words)
        (most,) = account.most_unread(question, (), [actions])
        assert 0.0 <= most <= 1.0
    if len(question_words(question, ())) > MOST_PARTS:
        assert account.account(question, (), ACTIONS) == []


@given(st.text(max_size=60), st.integers(0, 1000))
def test_places_are_in_order_and_cover_every_letter(question: str, seed: int) -> None:
    rng = Random(seed)
    at = sorted(rng.sample(range(len(question) + 1), min(4, len(question) + 1)))
    mentions = [
        Numbered(start, end, "country") for start, end in zip(at[::2], at[1::2], strict=False)
    ]
    rng.shuffle(mentions)
    places = question_words(question, mentions)
    assert all(own.start < own.end for own in places)
    assert all(one.end <= two.start for one, two in zip(places, places[1:], strict=False))
    inside = {at for own in places for at in range(own.start, own.end)}
    assert all(at in inside for at, letter in enumerate(question) if letter.isalnum())
    for own in places:
        if own.mention is not None:
            named = mentions[own.mention]
            assert (own.start, own.end) == (named.start, named.end)


def test_rows_are_of_the_word_and_its_letters() -> None:
    assert rows_of("river") != rows_of("rivers") and set(rows_of("river")) & set(rows_of("rivers"))
    assert not set(rows_of("river")) & set(rows_of("lake"))
    assert len(rows_of("a" * 10_000)) <= MOST_PIECES and min(rows_of("x")) > 0


class Filler(LearntAccount):
    """An account to which each word is filler with the same share."""

    share = 0.8

    def shares(
        self,
        question: str,
        words: Sequence[QuestionWord],
        mentions: Sequence[Numbered],
        actions: Sequence[Action],
    ) -> list[list[float]]:
        return [[0.0, self.share, 1 - self.share] for _ in words]


def test_filler_that_training_never_had_is_unknown_unless_it_is_misspelt_or_sure() -> None:
    question, actions = "which kountries adore them", (Action("class", "country"),)
    known = ("which", "countries", "them")
    account = Filler({}, 0.5, label, known).account(question, (), actions)
    assert [word["used_by"] for word in account] == ["filler", "filler", "unknown", "filler"]
    assert unread(account) == [] and unread(account, ("unknown",)) == ["adore"]
    untold = Filler({}, 0.5, label).account(question, (), actions)
    assert {word["used_by"] for word in untold} == {"filler"}
    sure = Filler({}, 0.5, label, known)
    sure.share = 0.95
    assert {word["used_by"] for word in sure.account(question, (), actions)} == {"filler"}


def test_known_words_are_kept_in_the_files(tmp_path: Path) -> None:
    write_account(tmp_path, Pointer().arrays(), 0.5, ["flüsse", "which"])
    settings = json.loads((tmp_path / "account.json").read_text("utf-8"))
    assert settings == {"threshold": 0.5, "known": ["flüsse", "which"]}


@pytest.mark.parametrize(
    ("uses", "share"),
    [
        ((), 1.0),
        (("filler",), 0.0),
        (("mention", "filler"), 1.0),
        (("mention", "unread", "filler"), 0.5),
        (("mention", "flows through", "operator", "unknown"), 0.75),
        (("unread", "unread"), 0.0),
    ],
)
def test_the_share_that_is_read_is_of_the_words_that_ask_something(
    uses: tuple[str, ...], share: float
) -> None:
    words = [Word(text="a", start=0, end=1, used_by=use) for use in uses]
    assert share_read(words) == share


@pytest.mark.parametrize(
    ("text", "use", "after"),
    [
        ("Plant", "unread", "plant"),
        ("plants", "unknown", "plant"),
        ("plan", "unread", "unread"),
        ("plants", "filler", "filler"),
        ("plants", "grows in", "grows in"),
    ],
)
def test_a_word_that_names_a_class_on_the_way_is_read_by_it(
    text: str, use: str, after: str
) -> None:
    words = [Word(text=text, start=0, end=len(text), used_by=use)]
    read = read_as_classes(words, ["plant"])
    assert [word["used_by"] for word in read] == [after]
    assert [word["text"] for word in read] == [text]
