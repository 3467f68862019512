"""From scores to likelihoods: a kind among those that are legal, and a label within the kind."""

from typing import TYPE_CHECKING, NamedTuple

from .inputs import CLASS, KIND_NUMBERS
from .network import Scores

if TYPE_CHECKING:
    from torch import Tensor

CLASS_KIND = KIND_NUMBERS["class*"]
POINTER_KIND = KIND_NUMBERS["pointer"]
HOP_KINDS = [
    number for name, number in KIND_NUMBERS.items() if name.endswith("*") and name != "class*"
]
_NEVER = -1e4


class Logs(NamedTuple):
    """Log-probabilities at each place: of kinds, and of what there is within a kind."""

    kinds: "Tensor"
    hops: "Tensor"
    classes: "Tensor"
    words: "Tensor"
    literals: "Tensor"


def logs_of(
    scores: Scores,
    ways: "Tensor",
    legal: "Tensor",
    is_literal: "Tensor",
    offered: "Tensor | None" = None,
    pointable: "Tensor | None" = None,
) -> Logs:
    """Log-probabilities at each place.

    `ways (B, L)` are those of the labels, `legal (B, T, kinds)` the kinds that may come,
    `is_literal (B, T)` whether a pointer there is a number itself. `offered (B, T, L)` and
    `pointable (B, T, N)` bar labels and words; all may be chosen without.
    """
    labels = scores.labels if offered is None else scores.labels.masked_fill(~offered, _NEVER)
    words = scores.words if pointable is None else scores.words.masked_fill(~pointable, _NEVER)
    hops = labels.masked_fill((ways == CLASS)[:, None], _NEVER)
    classes = labels.masked_fill((ways != CLASS)[:, None], _NEVER)
    kinds = scores.kinds.clone()
    kinds[..., HOP_KINDS] = kinds[..., HOP_KINDS] + hops.logsumexp(-1, keepdim=True)
    kinds[..., CLASS_KIND] = kinds[..., CLASS_KIND] + classes.logsumexp(-1)
    points = words.logsumexp(-1).masked_fill(is_literal, 0.0)
    kinds[..., POINTER_KIND] = kinds[..., POINTER_KIND] + points.clamp(min=-1e3)
    kinds = kinds.masked_fill(~legal, _NEVER).log_softmax(-1)
    return Logs(
        kinds,
        hops.log_softmax(-1),
        classes.log_softmax(-1),
        words.log_softmax(-1),
        scores.literals.log_softmax(-1),
    )
