"""Samples as tokens: each format says the walk as the decoder reads it."""

import pytest
from groundwalk.agent.decoding.wire import PATH, PLAN, TRIPLE, Wire
from groundwalk.agent.llm.prompt import Mention
from groundwalk.training.encoder import Encoder
from groundwalk.training.questions.questioner import Sample
from groundwalk.training.trainer.scratch import train_tokenizer

from .toy import toy_graph

GRAPH = toy_graph()
TOKENIZER = train_tokenizer([*(f" {n}" for n in (*GRAPH.names, *GRAPH.labels)), "where is"] * 3)
ENCODER = Encoder(GRAPH, TOKENIZER)


def walk() -> Sample:
    """A forward step, then a backward one where one leaves what it reached."""
    for first in sorted(move for move in GRAPH.edges if not move.inverse):
        for source, targets in GRAPH.edges[first].items():
            for move in GRAPH.leaving.get(targets[0], ()):
                if move.inverse:
                    end = GRAPH.edges[move][targets[0]][0]
                    mention = Mention(0, 1, GRAPH.names[source], GRAPH.kinds[source])
                    return Sample("x?", (mention,), (source, targets[0], end), (first, move))
    raise AssertionError("the toy graph has no such walk")


SAMPLE = walk()
A, B, C = (GRAPH.names[node] for node in SAMPLE.walk)
assert SAMPLE.moves
R, S = (GRAPH.spell(move) for move in SAMPLE.moves)
WORDS = {
    PATH: f"<PATH>{A} -> {R} -> {B} -> {S} -> {C}</PATH>",
    PLAN: f"<PLAN>{R} -> {S}</PLAN>",
    TRIPLE: f"<TRIPLE>{A} -> {R} -> {B}</TRIPLE><TRIPLE>{B} -> {S} -> {C}</TRIPLE>",
}


def said(sample: Sample, wire: Wire) -> str:
    """What follows the prompt."""
    encoded = ENCODER.encode(sample, wire)
    prompt = ENCODER.prompt(sample, wire)
    assert encoded.ids[: len(prompt)] == prompt
    assert not any(encoded.weights[: len(prompt)])
    return str(TOKENIZER.decode(encoded.ids[len(prompt) :]))


@pytest.mark.parametrize("wire", WORDS)
def test_a_walk_is_spelled_in_each_format(wire: Wire) -> None:
    assert said(SAMPLE, wire) == f"{WORDS[wire]}<eos>"


@pytest.mark.parametrize("wire", WORDS)
def test_no_walk_is_spelled_alike_in_all(wire: Wire) -> None:
    assert said(SAMPLE._replace(moves=None), wire) == "<NONE><eos>"


def test_the_formats_differ_in_their_headings_only() -> None:
    prompts = [TOKENIZER.decode(ENCODER.prompt(SAMPLE, wire)) for wire in WORDS]
    assert len(set(prompts)) == len(prompts)
    bodies = {str(prompt).rpartition("# ")[0] for prompt in prompts}
    assert len(bodies) == 1


@pytest.mark.parametrize("wire", WORDS)
def test_choices_weigh_most_and_what_is_forced_nothing(wire: Wire) -> None:
    encoded = ENCODER.encode(SAMPLE, wire)
    tokens = list(zip(encoded.ids, encoded.weights, strict=True))
    opening, closing = ENCODER.units.tags[wire]
    assert all(weight == 1.0 for token, weight in tokens if token == opening)
    closes = [weight for token, weight in tokens if token == closing]
    assert closes == ([0.0, 0.0] if wire == TRIPLE else [1.0])
    assert tokens[-1] == (ENCODER.units.eos, 1.0)
    if wire != PLAN:
        opened = [place for place, (token, _) in enumerate(tokens) if token == opening]
        assert [tokens[place + 1][1] for place in opened] == [0.0] * len(opened)
