"""Whether two searches found the same: without that a ratio of their times says nothing."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, cast

import torch

from ...agent.decoding.paths import PathState
from ...agent.decoding.search import BeamPlan, Found
from ...agent.decoding.units import Tokens
from .questions import Case, Scene

TOLERANCE = 1e-3
"""How far scores may lie apart in float32, and still be the same."""


class Mismatch(Exception):
    """Two searches over the same paths did not find the same."""


def check(
    scene: Scene,
    case: Case,
    found: Found[PathState],
    theirs: Sequence[Tokens],
    words: Sequence[Tokens],
    plan: BeamPlan,
) -> None:
    """Compare the top K, ties allowed. Raises Mismatch.

    The other side's words are scored here, each by one forward pass under the mask of all legal
    `words`, so our scores are held against the model itself.
    """
    length = plan.length_penalty
    ours = [(h.tokens, h.score / len(h.tokens) ** length) for h in found.hypotheses]
    scores = word_scores(scene, case, theirs, words, plan)
    other = {w: s / len(w) ** length for w, s in zip(theirs, scores, strict=True)}
    if len(ours) != len(other):
        raise Mismatch(f"{case.question}: {len(ours)} words against {len(other)}")
    if not ours:
        return
    ranked = sorted(other.values(), reverse=True)
    for place, ((word, score), same) in enumerate(zip(ours, ranked, strict=True), 1):
        if abs(score - same) > TOLERANCE:
            raise Mismatch(f"{case.question}: word {place} scores {score:.6f}, not {same:.6f}")
        if abs(other.get(word, ranked[-1]) - score) > 2 * TOLERANCE:
            raise Mismatch(f"{case.question}: word {place} is not among the other side's words")


def word_scores(
    scene: Scene,
    case: Case,
    theirs: Sequence[Tokens],
    words: Sequence[Tokens],
    plan: BeamPlan,
) -> list[float]:
    """The log-probability of each word after the prompt: one forward pass a word, no tree."""
    model = cast(Any, scene.local.model)
    with torch.inference_mode():
        prompt = model(input_ids=torch.tensor([case.prompt]), use_cache=True, logits_to_keep=1)
    scores = list[float]()
    for word in theirs:
        with torch.inference_mode():
            cache = deepcopy(prompt.past_key_values)
            rest = model(input_ids=torch.tensor([word[:-1]]), past_key_values=cache)
        logits = torch.cat([prompt.logits[0], rest.logits[0]]).double()
        scores.append(_word_score(logits, word, words, plan))
    return scores


def _word_score(
    logits: torch.Tensor, word: Tokens, words: Sequence[Tokens], plan: BeamPlan
) -> float:
    if plan.scores == "full":
        logprobs = logits.log_softmax(-1)
        return sum(float(logprobs[i, token]) for i, token in enumerate(word))
    score, alive = 0.0, list(words)
    for i, token in enumerate(word):
        legal = sorted({other[i] for other in alive})
        score += float(logits[i, token] - logits[i, legal].logsumexp(0))
        alive = [other for other in alive if other[i] == token]
    return score
