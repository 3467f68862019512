"""Reading what the user types: history, suggestions, completion, and a line that says with what."""

import os

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from ...agent.kg.folder import cache_folder
from ...agent.kg.names import one_line
from .completing import Completing
from .talk import Talk


class Typed:
    """A prompt on a terminal. What answers begins to load once the first one is drawn."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._questions: PromptSession[str] = PromptSession(
            history=_history(),
            auto_suggest=AutoSuggestFromHistory(),
            completer=Completing(talk),
            complete_in_thread=True,
            bottom_toolbar=self._toolbar,
        )
        self._choices: PromptSession[str] = PromptSession(
            completer=Completing(talk), complete_in_thread=True
        )
        self._questions.app.after_render += self._load

    def question(self) -> str | None:
        """The next line; None where the user leaves. Ctrl-C empties the line."""
        while True:
            try:
                return self._questions.prompt("\nyou > ")
            except KeyboardInterrupt:
                continue
            except EOFError:
                return None

    def choice(self, prompt: str) -> str:
        """A reply. Raises KeyboardInterrupt and EOFError."""
        return self._choices.prompt(prompt)

    def _load(self, _: object) -> None:
        self._talk.loading.start()

    def _toolbar(self) -> str:
        wanted = self._talk.wanted
        parts = [self._talk.kg.source, wanted.method, wanted.model]
        parts += [wanted.llm] if wanted.llm not in ("", "none") else []
        parts += [f"thread {wanted.thread}"] if wanted.thread else []
        return f" {' · '.join(map(one_line, parts))} "


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
