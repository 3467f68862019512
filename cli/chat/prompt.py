"""Reading what the user types: history, suggestions, completion, and a line that says with what."""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import fields

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import is_searching
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.bindings import search

from ...agent.errors import InputError
from ...agent.kg import LabelIndex
from ...agent.kg.labels.names import normalise, one_line
from ...agent.kg.opening import cache_folder
from ...agent.options import Options
from .commands import COMMANDS
from .talk import Talk

_MOST = 12


_MOST_NAMES = 20
_LEAST_TYPED = 3
"""Characters of a name that are typed, at least, before it is looked for."""
_LONGEST_NAME = 5
"""Words of a name that is completed, at most."""


class Completing(Completer):
    """Completes lines that begin with a slash, and where Tab asks for it, names in a question."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """What may follow what stands before the cursor."""
        line = document.text_before_cursor
        if not line.startswith("/"):
            if complete_event.completion_requested:
                yield from self._names(document.current_line_before_cursor)
            return
        word, blank, rest = line.partition(" ")
        if not blank:
            for command in COMMANDS.values():
                if command.name.startswith(word):
                    yield Completion(command.name, -len(word), display_meta=command.about)
            return
        if word in ("/entity", "/neighbours"):
            arguments = self._labels(rest)
        else:
            arguments = [text for text in self._arguments(word) if text.startswith(rest)]
        for text in arguments:
            yield Completion(text, -len(rest))

    def _names(self, line: str) -> Iterable[Completion]:
        """Names of entities that begin as the last words of a line; those of most words first."""
        words = list(re.finditer(r"\S+", line))
        for word in words[-_LONGEST_NAME:]:
            typed = line[word.start() :]
            names = self._starting(typed)
            if names:
                yield from (Completion(name, -len(typed)) for name in names)
                return

    def _starting(self, typed: str) -> list[str]:
        """The names of the entities with most facts that are called so, or that begin so.

        None are looked up where the graph is asked over the network.
        """
        labels, beginning = self._talk.kg.labels, normalise(typed)
        if len(beginning) < _LEAST_TYPED or not isinstance(labels, LabelIndex):
            return []
        beginning += " " if typed[-1].isspace() else ""
        return [one_line(name) for name in labels.names(labels.starting(beginning, _MOST_NAMES))]

    def _labels(self, beginning: str) -> Iterable[str]:
        labels = self._talk.kg.labels
        if not beginning.strip() or not isinstance(labels, LabelIndex):
            return []
        return map(one_line, labels.names(labels.starting(normalise(beginning), _MOST)))

    def _arguments(self, word: str) -> Iterable[str]:
        """What a command may take, of which what was typed is the beginning."""
        match word:
            case "/method" if not self._talk.loading.is_at_work:
                from ...graphs import METHODS

                return METHODS
            case "/explain" if not self._talk.loading.is_at_work:
                from ...agent.evidence import FORMS

                return FORMS
            case "/readings" | "/wrong":
                return self._readings(word)
            case "/set":
                return [f"{field.name}=" for field in fields(Options)]
            case _:
                return []

    def _readings(self, word: str) -> list[str]:
        """The numbers of the readings of the last question; and how one is edited."""
        try:
            count = len(self._talk.understood.readings)
        except InputError:
            return []
        edits = ["edit"] if word == "/wrong" else []
        return [*map(str, range(1, count + 1)), *edits]


class Typed:
    """A prompt on a terminal. What answers begins to load once the first one is drawn.

    It is `ready` right before it reads keys.
    """

    def __init__(self, talk: Talk, ready: Callable[[], None] | None = None) -> None:
        self._talk = talk
        self._ready = ready
        self._questions: PromptSession[str] = PromptSession(
            history=_history(),
            auto_suggest=AutoSuggestFromHistory(),
            completer=Completing(talk),
            complete_in_thread=True,
            bottom_toolbar=self._toolbar,
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation="  ... ",
            enable_open_in_editor=True,
        )
        self._choices: PromptSession[str] = PromptSession(
            completer=Completing(talk), complete_in_thread=True
        )
        self._questions.app.after_render += self._load

    def question(self) -> str | None:
        """The next line; None where the user leaves. Ctrl-C empties it and says how to leave."""
        while True:
            try:
                return self._questions.prompt("\nyou > ", pre_run=self._ready)
            except KeyboardInterrupt:
                self._talk.console.print("Ctrl-D or /quit leaves", style="dim")
            except EOFError:
                return None

    def choice(self, prompt: str) -> str:
        """A reply. Raises KeyboardInterrupt and EOFError."""
        return self._choices.prompt(prompt)

    def _load(self, _: object) -> None:
        if not self._talk.loading.has_begun:
            self._talk.loading.begin()

    def _toolbar(self) -> str:
        wanted = self._talk.wanted
        parts = [self._talk.kg.source, wanted.method, wanted.model]
        parts += [wanted.llm] if wanted.llm not in ("", "none") else []
        parts += [f"thread {wanted.thread}"] if wanted.thread else []
        return f" {' · '.join(map(one_line, parts))} "


def _keys() -> KeyBindings:
    """Enter asks, Alt-Enter begins a new line; so does Enter after a backslash.

    In a search of what was typed before, Enter asks what was found, and Ctrl-D leaves the search as
    Ctrl-C does.
    """
    keys = KeyBindings()
    keys.add("enter", filter=is_searching)(search.accept_search_and_accept_input)
    keys.add("c-d", filter=is_searching)(search.abort_search)

    @keys.add("enter", filter=~is_searching)
    def ask(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.current_line_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    @keys.add("escape", "c-j")  # as the terminal has it of who typed before any prompt
    def begin_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    _ = ask, begin_line
    return keys


def _history() -> History:
    """What was typed before, in a file that only the user reads; in memory where there is none."""
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        file = cache_folder() / "history"
        file.touch(mode=0o600)
        os.chmod(file, 0o600)
        return FileHistory(str(file))
    except OSError:
        return InMemoryHistory()
