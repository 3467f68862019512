"""What tuning a reader to a graph did, and the card that says so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...agent.reader.weights import ReaderSettings

CARD, EARLIER_CARD = "README.md", "EARLIER.md"


@dataclass(frozen=True)
class Part:
    """Held-out questions of a kind, and how many were read rightly before and after."""

    questions: int
    before: int
    after: int


@dataclass(frozen=True)
class TuneReport:
    """What tuning a reader to a graph did; its card says the same."""

    out: Path
    kg: str
    """Where the graph is."""
    digest: str
    reader: str
    """What it started from."""
    settings: ReaderSettings
    parts: Mapping[str, Part]
    share: float
    """How far the weights went on the way to the tuned ones; 0 where that did not help."""
    steps: int
    loss: float
    seconds: float
    seed: int
    lessons: int = 0
    """Questions of the user that were learnt."""
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many of them were not, by reason."""

    @property
    def held_out(self) -> Part:
        """All held-out questions."""
        several = list(self.parts.values())
        return Part(
            sum(own.questions for own in several),
            sum(own.before for own in several),
            sum(own.after for own in several),
        )


def write_tune_card(folder: Path, report: TuneReport) -> None:
    """Write `README.md` beside the weights of a tuned reader."""
    settings = report.settings
    learnt = "questions made from the graph"
    if report.lessons:
        learnt += f", and {report.lessons:,} of the user's"
    did = (
        f"The weights are {report.share:.0%} of the way from the earlier reader to the tuned one."
        if report.share
        else "Tuning did not help: the weights are the earlier ones."
    )
    lines = [
        "# A reader of groundwalk, tuned to a graph",
        "",
        f"- Graph: `{report.kg}` (digest `{report.digest}`)",
        f"- Started from: the reader `{report.reader}`, with the card `{EARLIER_CARD}`",
        f"- Learnt from: {learnt}",
        f"- {report.steps} steps in {report.seconds:.0f} s, loss {report.loss:.3f},"
        f" seed {report.seed}",
        f"- Answers are shown from a confidence of {settings.threshold:.4f}, and a word is left out"
        f" from a share of {settings.unread:.4f}",
        "",
        "## Held-out questions",
        "",
        "Read rightly, action by action:",
        "",
        "| questions | count | before | after |",
        "| --- | --- | --- | --- |",
        *(
            f"| {name} | {own.questions} | {own.before} | {own.after} |"
            for name, own in report.parts.items()
        ),
        "",
        did,
        "",
    ]
    (folder / CARD).write_text("\n".join(lines), encoding="utf-8")
