"""Where the time of a search goes, and what follows for how much faster it can become."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Breakdown:
    """Where the seconds of a search went; `the rest` is what is in none of the `parts`.

    Of ours the rest is the beam update that is replayed over the tree, and the tree itself; of the
    rivals it is the loop of `generate`, with the head of the model and its copies of the cache.
    """

    whole: float
    parts: Mapping[str, float]
    passes: int
    tokens: int

    @property
    def every(self) -> dict[str, float]:
        """The seconds of each part, and of the rest."""
        return {**self.parts, "the rest": self.whole - sum(self.parts.values())}


def total(searches: Sequence[Breakdown]) -> Breakdown:
    """Searches one after the other, as one; there is one at least."""
    return Breakdown(
        sum(search.whole for search in searches),
        {part: sum(search.parts[part] for search in searches) for part in searches[0].parts},
        sum(search.passes for search in searches),
        sum(search.tokens for search in searches),
    )


def spelled(name: str, searches: Sequence[Breakdown]) -> str:
    """Medians of some searches in a line: milliseconds of each part, the longest first."""
    means = {part: 1e3 * median(s.every[part] for s in searches) for part in searches[0].every}
    parts = sorted(means.items(), key=lambda part: -part[1])
    passes, tokens = median(s.passes for s in searches), median(s.tokens for s in searches)
    whole = 1e3 * median(search.whole for search in searches)
    return (
        f"{name}: {whole:.0f} ms, of which {', '.join(f'{part} {ms:.1f}' for part, ms in parts)} "
        f"({passes:g} passes over {tokens:g} tokens)"
    )


def compared(name: str, pairs: Sequence[tuple[Breakdown, Breakdown]]) -> list[str]:
    """Where ours and another's time goes, in pairs; and what is left if the rest took no time."""
    ours, others = [own for own, _ in pairs], [other for _, other in pairs]
    most = median(other.whole / own.parts["layers"] for own, other in pairs)
    each = median(
        (other.parts["layers"] / other.tokens) / (own.parts["layers"] / own.tokens)
        for own, other in pairs
    )
    return [
        spelled("ours", ours),
        spelled(name, others),
        f"if ours took nothing but its layers: {most:.3g} x; a token in its layers takes the other "
        f"{each:.2g} times as long",
    ]
