"""Completion: commands, their arguments, and the names of entities."""

from collections.abc import Iterable, Iterator
from dataclasses import fields

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from ...agent.errors import InputError
from ...agent.kg import LabelIndex
from ...agent.kg.names import normalise, one_line
from ...agent.options import Options
from .commands import COMMANDS
from .talk import Talk

_MOST = 12


class Completing(Completer):
    """Completes lines that begin with a slash."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """What may follow what stands before the cursor."""
        line = document.text_before_cursor
        if not line.startswith("/"):
            return
        word, blank, rest = line.partition(" ")
        if not blank:
            for command in COMMANDS.values():
                if command.name.startswith(word):
                    yield Completion(command.name, -len(word), display_meta=command.about)
            return
        for text in self._arguments(word, rest):
            yield Completion(text, -len(rest))

    def _arguments(self, word: str, rest: str) -> Iterator[str]:
        match word:
            case "/entity" | "/neighbours":
                labels = self._talk.kg.labels
                if rest.strip() and isinstance(labels, LabelIndex):
                    terms = labels.starting(normalise(rest), _MOST)
                    yield from map(one_line, labels.names(terms))
            case "/method" if not self._talk.loading.is_at_work:
                from ...graphs import METHODS

                yield from (name for name in METHODS if name.startswith(rest))
            case "/explain" if not self._talk.loading.is_at_work:
                from ...agent.evidence import FORMS

                yield from (form for form in FORMS if form.startswith(rest))
            case "/readings" | "/wrong":
                yield from (text for text in self._readings(word) if text.startswith(rest))
            case "/set" if "=" not in rest:
                names = (own.name for own in fields(Options))
                yield from (f"{name}=" for name in names if name.startswith(rest))
            case _:
                pass

    def _readings(self, word: str) -> list[str]:
        """The numbers of the readings of the last question; and how one is edited."""
        try:
            count = len(self._talk.understood.readings)
        except InputError:
            return []
        edits = ["edit"] if word == "/wrong" else []
        return [*map(str, range(1, count + 1)), *edits]
