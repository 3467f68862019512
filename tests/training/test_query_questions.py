"""The stream of questions with queries: the same by its seed, and true to what it says of words."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, replace
from itertools import islice

import pytest
from groundwalk.agent.answers.topics import linked
from groundwalk.agent.conversation.before import before_of
from groundwalk.agent.conversation.turns import last_about
from groundwalk.agent.linking import LabelLinker
from groundwalk.agent.llm.local import LocalModel
from groundwalk.agent.llm.model_folder import ModelSettings
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.constraint import ActionTokens
from groundwalk.agent.query.prompt import asked_tokens
from groundwalk.agent.query.question import mentions_of
from groundwalk.agent.records import Entity, Turn
from groundwalk.training.encoder import QueryEncoder
from groundwalk.training.queries.question import (
    Named,
    QueryQuestion,
    earlier_class,
    sign,
    text_of,
    words_of,
)
from groundwalk.training.queries.questions import Shares
from groundwalk.training.queries.typed import TypedQuestion, typed_question
from groundwalk.training.trainer.scratch import train_tokenizer

from .asking import CONCERTS, WORLD, asking, fault

COUNT = 400


def drawn(source: str, seed: int, count: int = COUNT) -> list[QueryQuestion]:
    """The beginning of the stream."""
    questioner = asking(source, skeletons=True).questioner
    return list(islice(questioner.stream(seed), count))


def typed(source: str, seed: int = 0) -> list[TypedQuestion]:
    """The same as somebody would type it."""
    return list(filter(None, map(typed_question, drawn(source, seed))))


def test_the_same_seed_gives_the_same_stream() -> None:
    assert drawn(WORLD, 1, 60) == drawn(WORLD, 1, 60)
    assert drawn(WORLD, 1, 60) != drawn(WORLD, 2, 60)


def test_all_that_is_mixed_is_there() -> None:
    questions = drawn(WORLD, 0)
    uses = Counter(word.use for own in questions for word in own.words)
    assert min(uses[use] for use in ("used", "mention", "filler", "unread")) > 50
    assert any(own.actions is None for own in questions)
    assert any(own.earlier and own.actions for own in questions)


@pytest.mark.parametrize("source", [WORLD, CONCERTS], ids=["world", "concerts"])
def test_nearly_every_question_can_be_typed_and_every_query_is_legal(source: str) -> None:
    own = asking(source, skeletons=True)
    told = [found for question in drawn(source, 3) if (found := own.asked(question))]
    assert len(told) > 0.95 * COUNT
    wrong = [
        f"{asked.question}: {found}"
        for asked, schema in told
        if asked.actions is not None and (found := fault(asked.actions, schema))
    ]
    # A name may be drawn that has none of the class that is asked for, or of what that leads to.
    absent = [own for own in wrong if re.search(r"<(STEP|CLASS)>\S+ ?\S*$", own)]
    assert wrong == absent and len(wrong) <= 0.01 * COUNT, wrong


def test_each_word_stands_where_its_span_says() -> None:
    for own in typed(WORLD):
        ends = [-1, *(span.end for span in own.spans)]
        assert [span.start for span in own.spans] == [end + 1 for end in ends[:-1]]
        assert ends[-1] == len(own.question)
        mentions = [span for span in own.spans if span.use == "mention"]
        assert all(any(m.start < s.end and s.start < m.end for m in own.mentions) for s in mentions)


def test_words_that_no_query_says_are_told() -> None:
    questioner = asking(WORLD, skeletons=True).questioner
    all_unread = Shares(unread=1.0, unanswerable=0.0, unknown_names=0.0, filler=0.0, noise=0.0)
    none = replace(all_unread, unread=0.0)
    for shares, wanted in ((all_unread, True), (none, False)):
        stream = replace(questioner, shares=shares).stream(4)
        for own in islice(stream, 100):
            assert any(word.use == "unread" for word in own.words) == wanted, text_of(own.words)


def test_a_mention_that_the_agent_would_not_find_is_no_lesson() -> None:
    words = words_of(f"rivers over {sign(0)} km")
    assert typed_question(QueryQuestion(words, (Named("some", "number"),), ())) is None
    found = typed_question(QueryQuestion(words, (Named("300", "number"),), ()))
    assert found is not None and found.values


def test_pointers_are_the_places_of_mentions() -> None:
    world = asking(WORLD, skeletons=True)
    questions = [own for own in drawn(WORLD, 5) if own.actions and len(own.named) > 1]
    moved = 0
    for question in questions:
        asked = typed_question(question)
        if asked is None or asked.actions is None:
            continue
        texts = [asked.question[own.start : own.end] for own in asked.mentions]
        if asked.earlier:
            before = asked.earlier
            texts += [before.question[own.start : own.end] for own in before.mentions]
        wanted = sorted(question.named[n].text for n in pointed(question.actions or ()))
        assert sorted(texts[n] for n in pointed(asked.actions)) == wanted
        moved += asked.actions != question.actions
    assert moved > 5 and world.graph.terms


def pointed(actions: Sequence[Action]) -> list[int]:
    """The mentions that actions point at."""
    return [
        own.number
        for place, own in enumerate(actions)
        if own.number is not None
        and not (place and actions[place - 1].kind in ("place", "first", "part"))
    ]


@pytest.mark.parametrize(("is_masked", "instruct"), [(True, False), (False, True)])
def test_the_prompt_of_training_is_that_of_the_agent(is_masked: bool, instruct: bool) -> None:
    world = asking(WORLD, skeletons=True)
    tokenizer = train_tokenizer(
        [text_of(own.words) for own in drawn(WORLD, 6, 100)], kinds=world.graph.kinds, queries=True
    )
    encoder = QueryEncoder(world.kg, tokenizer, masked=is_masked, instruct=instruct)
    settings = ModelSettings(masked=is_masked, instruct=instruct)
    local = LocalModel("none", None, tokenizer, settings)  # pyright: ignore[reportArgumentType]
    asked = typed(WORLD)
    assert any(own.earlier for own in asked) and len(asked) > 300
    prompts = [encoder.prompt(own) for own in asked]
    assert prompts == [
        asked_tokens(local, own.question, own.mentions, own.earlier)[0] for own in asked
    ]
    assert len({tuple(own) for own in prompts}) > 300


def test_a_query_is_encoded_as_the_agent_decodes_it() -> None:
    world = asking(WORLD, skeletons=True)
    tokenizer = train_tokenizer(
        [f" {own}" for own in (*world.graph.labels, *world.graph.kinds)], queries=True
    )
    encoder, tokens = (
        QueryEncoder(world.kg, tokenizer),
        ActionTokens(tokenizer, world.kg.walk_labels),
    )
    own = next(own for own in typed(WORLD) if own.actions and len(own.actions) > 4)
    assert own.actions is not None
    ids = encoder.query(own.actions)
    inner = [token for word in tokens.words(own.actions[:-1]) for token in word]
    assert ids == [tokens.tags[0], *inner, tokens.tags[1], tokenizer.eos_token_id]
    question = next(q for q in drawn(WORLD, 0) if typed_question(q) == own)
    encoded = encoder.encode(question)
    assert encoded is not None and encoded.ids == [*encoder.prompt(own), *ids]
    assert [weight for weight in encoded.weights if weight] == [1.0] * len(ids)


def test_classes_before_are_those_that_the_agent_tells() -> None:
    for source in (WORLD, CONCERTS):
        own = asking(source)
        for nodes in own.graph.nodes.values():
            told = earlier_class(own.graph, nodes[0])
            assert before_of(own.kg, [turn(own.graph.terms[nodes[0]])]).asked.topics == told


def turn(topic: str) -> Turn:
    """A turn about a topic."""
    entity = Entity(term=topic, label="", kind="", description="", score=1.0)
    made = Turn(
        number=1,
        question="what is it",
        asked="what is it",
        alone=True,
        status="answered",
        mentions=[],
        topics=[entity],
        answers=[],
        cut=False,
        confidence=1.0,
        notes=[],
        text="",
    )
    assert last_about([made]) is made
    return made


@pytest.mark.parametrize(("source", "least"), [(WORLD, 0.95), (CONCERTS, 0.85)])
def test_the_agent_finds_the_same_mentions(source: str, least: float) -> None:
    """But for names that it finds in a shorter form: `Oratorio No. 1 (work)`."""
    own = asking(source)
    linker, same = LabelLinker(own.kg.labels), 0
    questions = typed(source, 7)
    for asked in questions:
        found = linked(linker, own.kg, asked.question).mentions
        numbered = mentions_of(asked.question, found).numbered
        same += numbered == asked.mentions
        if [one[:2] for one in map(astuple, numbered)] == [
            one[:2] for one in map(astuple, asked.mentions)
        ]:
            known = {own["start"]: {one["kind"] for one in own["candidates"]} for own in found}
            for one, other in zip(numbered, asked.mentions, strict=True):
                assert other.kind in known.get(one.start, {one.kind}) | {one.kind}
    assert same > least * len(questions)
