"""How well a model chooses relations: greedily, among those that the graph allows.

This stands in for the agent's search where training only wants a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from .encode import Encoder
from .graph import Move, Node, execute, follow
from .questions import Sample

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM


class Choice(NamedTuple):
    """What a model chose for a question, and how sure it was.

    `answered` is the probability that there is an answer; `confidence` that times the
    probabilities of all choices of relations and of the end, over the full vocabulary.
    """

    moves: tuple[Move, ...]
    answered: float
    confidence: float


@dataclass
class _Walker:
    """A path that is being chosen."""

    sample: Sample
    ids: list[int]
    moves: tuple[Move, ...]
    reached: frozenset[Node]
    confidence: float
    spelled: tuple[int, ...] | None = None
    """The tokens of a relation so far; None before an arrow or the end."""
    done: bool = False


def choose_paths(
    model: "LlamaForCausalLM",
    encoder: Encoder,
    samples: Sequence[Sample],
    *,
    hops: int,
    batch: int = 128,
    seed: int = 0,
) -> list[Choice]:
    """The greedy relation path of each sample, entities on the way chosen at random."""
    rng = Random(f"measure {seed}")
    order = sorted(range(len(samples)), key=lambda place: len(samples[place].question))
    choices = list[Choice | None]([None] * len(samples))
    for start in range(0, len(order), batch):
        places = order[start : start + batch]
        found = _choose(model, encoder, [samples[place] for place in places], hops, rng)
        for place, choice in zip(places, found, strict=True):
            choices[place] = choice
    return [choice for choice in choices if choice is not None]


def is_right(encoder: Encoder, sample: Sample, choice: Choice) -> bool:
    """Whether the chosen relations reach what the sample's do."""
    if sample.moves is None:
        return False
    topic = sample.walk[0]
    wanted = execute(encoder.graph, topic, sample.moves)
    return execute(encoder.graph, topic, choice.moves) == wanted


def _choose(
    model: "LlamaForCausalLM", encoder: Encoder, samples: Sequence[Sample], hops: int, rng: Random
) -> list[Choice]:
    graph, units = encoder.graph, encoder.units
    walkers = list[_Walker]()
    answered = list[float]()
    prompts = [encoder.prompt(sample) for sample in samples]
    for sample, prompt, first in zip(samples, prompts, _last(model, prompts), strict=True):
        answered.append(first[units.open] / (first[units.open] + first[units.none] + 1e-12))
        topic = sample.walk[0]
        ids = [*prompt, units.open, *units.of(graph.names[topic])]
        walkers.append(_Walker(sample, ids, (), frozenset((topic,)), answered[-1]))
    while active := [walker for walker in walkers if not walker.done]:
        for walker, chances in zip(active, _last(model, [w.ids for w in active]), strict=True):
            if walker.spelled is None:
                _end_or_go_on(walker, chances, encoder, hops)
            else:
                _spell(walker, chances, encoder, rng)
    return [
        Choice(walker.moves, chance, walker.confidence)
        for walker, chance in zip(walkers, answered, strict=True)
    ]


def _end_or_go_on(walker: _Walker, chances: list[float], encoder: Encoder, hops: int) -> None:
    arrow, close = encoder.units.arrow[0], encoder.units.close
    may_go_on = len(walker.moves) < hops and bool(_legal(walker, encoder))
    if walker.moves and not (may_go_on and chances[arrow] > chances[close]):
        walker.confidence *= chances[close]
        walker.done = True
    elif not may_go_on:
        walker.confidence = 0.0
        walker.done = True
    else:
        walker.confidence *= chances[arrow]
        walker.ids += encoder.units.arrow
        walker.spelled = ()


def _spell(walker: _Walker, chances: list[float], encoder: Encoder, rng: Random) -> None:
    """Choose the next token of a relation; at its end go to an entity that it reaches."""
    graph, spelled = encoder.graph, walker.spelled or ()
    units = {
        (*encoder.relation(move), *encoder.units.arrow): move for move in _legal(walker, encoder)
    }
    depth = len(spelled)
    options = {unit[depth] for unit in units if unit[:depth] == spelled}
    token = max(sorted(options), key=lambda option: chances[option])
    walker.confidence *= chances[token]
    walker.ids.append(token)
    walker.spelled = (*spelled, token)
    move = units.get(walker.spelled)
    if move is None:
        return
    topic = walker.sample.walk[0]
    walker.reached = follow(graph, walker.reached, move) - {topic}
    walker.moves = (*walker.moves, move)
    walker.ids += encoder.entity(rng.choice(sorted(walker.reached)))
    walker.spelled = None


def _legal(walker: _Walker, encoder: Encoder) -> list[Move]:
    """The moves that lead on from what is reached, but not back to the topic alone."""
    topic = frozenset((walker.sample.walk[0],))
    moves = {m for node in walker.reached for m in encoder.graph.leaving.get(node, ())}
    return [m for m in sorted(moves) if follow(encoder.graph, walker.reached, m) - topic]


def _last(model: "LlamaForCausalLM", rows: Sequence[list[int]]) -> list[list[float]]:
    """The next-token probabilities after each row."""
    import torch

    lengths = [len(row) for row in rows]
    longest = max(lengths)
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    with torch.inference_mode():
        hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
        last = hidden[torch.arange(len(rows)), torch.tensor(lengths) - 1]
        return torch.softmax(model.lm_head(last).float(), -1).tolist()
