"""What came before a question, as a query may begin at it: the last answers and the last topics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..kg.terms import Step, Term
from .execute import Earlier as Answered
from .mentions import Mentions
from .prompt import Earlier
from .schema import Earlier as Kept
from .tree import Last, Part


@dataclass(frozen=True)
class Before:
    """The question before, and what it came to: the answers, each with the steps that prove it."""

    asked: Earlier = Earlier()
    """What the model reads of it."""
    mentions: Mentions = Mentions()
    topics: tuple[Term, ...] = ()
    answers: Mapping[Term, tuple[Step, ...]] = field(default_factory=dict[Term, tuple[Step, ...]])
    cut: bool = False
    """Whether there are more answers than these."""

    def terms(self) -> dict[Kept, Sequence[Term]]:
        """The sets that a query may begin at."""
        kept: dict[Kept, Sequence[Term]] = {}
        if self.asked.topics:
            kept["topics"] = self.topics
        if self.asked.answers:
            kept["answers"] = tuple(self.answers)
        return kept

    @property
    def answered(self) -> Answered:
        """The same for the execution of a query."""

        def earlier(start: Last | Part) -> list[tuple[Term, tuple[Step, ...]]]:
            if isinstance(start, Last) and start.last == "topics":
                return [(topic, ()) for topic in self.topics]
            return list(self.answers.items())

        return earlier
