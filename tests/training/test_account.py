"""How the account of words is trained: what is right for each word, and that it is learnt."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import pytest
from groundwalk.agent.query.account import (
    MOST_PARTS,
    SPECIAL,
    LearntAccount,
    names_of,
    question_words,
)
from groundwalk.agent.query.actions import LITERAL, Action, pointed_at
from groundwalk.training.fitting import account
from groundwalk.training.fitting.account import (
    Lesson,
    action_name,
    lesson_of,
    pair_of,
    shares_of_whole,
    train_account,
)
from groundwalk.training.fitting.alignment import Misread, align
from groundwalk.training.fitting.pointer import Pointer
from groundwalk.training.fitting.thresholds import share_above
from groundwalk.training.queries.questions import Shares
from groundwalk.training.queries.typed import Span, TypedQuestion, typed_question
from groundwalk.training.trainer.watched import Watcher

from .asking import WORLD, asking

UNREAD, FILLER = 0, 1


class Taught(NamedTuple):
    """A question, and the lesson that it is."""

    asked: TypedQuestion
    lesson: Lesson

    def words(self) -> list[tuple[str, int | None]]:
        """Each word with what is right for it."""
        places = question_words(self.asked.question, self.asked.mentions)
        texts = [self.asked.question[own.start : own.end].lower() for own in places]
        return list(zip(texts, self.lesson.targets, strict=True))


@pytest.fixture(scope="module")
def taught() -> list[Taught]:
    world = asking(WORLD, skeletons=True)
    label = names_of(world.kg)
    found = (own for own in map(typed_question, world.questioner.stream(0)) if own and own.actions)
    asked = list(islice(found, 2500))
    aligned = align(pair_of(own, label) for own in asked)
    lessons = [(own, lesson_of(own, aligned, label)) for own in asked]
    return [Taught(own, lesson) for own, lesson in lessons if lesson is not None]


def test_names_tell_actions_apart() -> None:
    own = (Action("step", "r"), Action("count"), Action("pointer", number=1), Action("end"))
    assert [action_name(one, {"r": "borders"}.__getitem__) for one in own] == [
        "borders",
        "count",
        "",
        "",
    ]


def test_what_no_query_says_is_unread_and_what_asks_nothing_is_filler(taught: list[Taught]) -> None:
    checked = Counter[str]()
    for own in taught:
        places = question_words(own.asked.question, own.asked.mentions)
        pointed = pointed_at(own.asked.actions or ())
        for place, target in zip(places, own.lesson.targets, strict=True):
            spans = [s for s in own.asked.spans if s.start < place.end and place.start < s.end]
            use = spans[0].use
            if use == "unread":
                assert target == UNREAD
            elif place.mention in pointed:
                assert target is None
            else:
                assert target != UNREAD
                assert use != "filler" or target == FILLER
            checked[use] += 1
    assert min(checked[use] for use in ("unread", "filler", "used", "mention")) > 300


def test_words_are_aligned_with_what_they_made(taught: list[Taught]) -> None:
    label = names_of(asking(WORLD).kg)
    made = {word: Counter[str]() for word in ("currency", "borders", "longest", "many", "speak")}
    for own in taught:
        actions = own.asked.actions or ()
        for text, target in own.words():
            if text in made and target is not None and target >= SPECIAL:
                action = actions[target - SPECIAL]
                made[text][label(action.name) or action.kind] += 1
    most = {word: found.most_common(1)[0][0] for word, found in made.items()}
    assert most == {
        "currency": "currency",
        "borders": "borders",
        "longest": "length in kilometres",
        "many": "count",
        "speak": "official language",
    }


def test_what_a_wrong_query_leaves_out_is_unread(taught: list[Taught]) -> None:
    label = names_of(asking(WORLD).kg)
    aligned = align(pair_of(own.asked, label) for own in taught)
    lost = {word: Counter[int | None]() for word in ("not", "longest", "currency", "which", "of")}
    for own in taught:
        actions = own.asked.actions or ()
        for place, action in enumerate(actions[:-1]):
            name = action_name(action, label)
            if not name or [action_name(own, label) for own in actions].count(name) > 1:
                continue
            if action.kind in LITERAL:  # the number after it would be a mention
                continue
            kept = [n for n in range(len(actions)) if n != place]
            wrong = Misread(tuple(actions[n] for n in kept), tuple(kept))
            lesson = lesson_of(own.asked, aligned, label, wrong)
            assert lesson is not None and len(lesson.targets) == len(own.lesson.targets)
            for (word, right), target in zip(own.words(), lesson.targets, strict=True):
                if right == SPECIAL + place and word in lost:
                    lost[word][target] += 1
                elif right is not None and right >= SPECIAL and right != SPECIAL + place:
                    assert target == right - (right > SPECIAL + place)
    for word in ("not", "longest", "currency"):
        assert lost[word][UNREAD] > 0.6 * sum(lost[word].values()) > 0, word
    for word in ("which", "of"):
        assert not lost[word][UNREAD], word


def test_what_is_too_long_or_asks_nothing_is_no_lesson(taught: list[Taught]) -> None:
    label, aligned = names_of(asking(WORLD).kg), align([])
    own = taught[0].asked
    assert lesson_of(own, aligned, label) is not None
    assert lesson_of(own._replace(actions=None), aligned, label) is None
    long = own._replace(question="why " * MOST_PARTS, mentions=(), spans=(Span(0, 3, "used"),))
    assert lesson_of(long, aligned, label) is None


@pytest.mark.slow
def test_the_account_learns_which_words_are_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "_ALIGNED", 800)
    monkeypatch.setattr(account, "_JUDGED", 200)
    world = asking(WORLD, skeletons=True)
    label, own = names_of(world.kg), world.questioner
    shares = Shares(
        skeletons=1, operators=0, joint=0, unanswerable=0, unread=0.5, filler=0, noise=0
    )
    few = replace(own, skeletons=own.skeletons[::80], shares=shares)
    model, threshold = train_account(few, label, Watcher(), steps=150, seed=0)
    assert 0.05 <= threshold <= 0.95
    learnt = LearntAccount(model.arrays(), threshold, label)
    found = (own for own in map(typed_question, few.stream(99)) if own and own.actions)
    found_in: dict[bool, list[float]] = {True: [], False: []}
    for own in islice(found, 250):
        places = question_words(own.question, own.mentions)
        told = learnt.shares(own.question, places, own.mentions, own.actions or ())
        for place, share in zip(places, told, strict=True):
            spans = (s for s in own.spans if s.start < place.end and place.start < s.end)
            found_in[next(spans).use == "unread"].append(share[UNREAD])
    means = {key: sum(own) / len(own) for key, own in found_in.items()}
    assert means[True] > 2.5 * means[False], means


def test_the_threshold_flags_a_part_of_what_is_read_whole(taught: list[Taught]) -> None:
    shares = [place / 100 for place in range(100)]
    assert share_above(shares, 0.03) == pytest.approx(0.95)  # no surer than sense
    assert share_above(shares, 0.2) == pytest.approx(0.79)
    assert sum(own > share_above(shares, 0.2) for own in shares) == 20
    assert (share_above([0.0] * 50, 0.03), share_above([], 0.03)) == (0.05, 0.5)
    whole = [own.lesson for own in taught[:40]]
    kept = [own for own in whole if UNREAD not in own.targets]
    assert 0 < len(kept) < 40
    assert len(shares_of_whole(Pointer().eval(), whole)) == len(kept)
