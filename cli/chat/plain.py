"""Reading questions where nobody types: a line each, from a file or a pipe."""

import io
import sys


class Lines:
    """The lines of standard input."""

    def __init__(self) -> None:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="surrogateescape")  # a broken line ends no conversation

    def question(self) -> str | None:
        """The next line; None at the end."""
        try:
            return input()
        except (EOFError, KeyboardInterrupt):
            return None

    def choice(self, prompt: str) -> str:
        """The next line, as a reply. Raises EOFError at the end."""
        return input()
