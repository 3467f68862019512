"""The words of questions and of labels as the reader reads them; a mention is one word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..query.prompt import EarlierQuestion, Numbered

BUCKETS = 24_576
"""Rows of the table of words and pieces of words."""
MOST_WORDS = 48
"""Words of a question that are read."""
MOST_LABEL_WORDS = 8
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")
_WORD = re.compile(r"\w+(?:['’.-]\w+)*['’]?|[^\w\s]+")
_PART = re.compile(r"[^\W_]+")


WHATS = ("word", "thing", "number", "date", "text", "topics", "answer", "answers")
"""What a word of a question may be; the last three stand for what came before it."""
READ = frozenset(("word", "number"))
"""Of these the text is read."""
_VALUES = frozenset(("number", "date", "text"))


@dataclass(frozen=True)
class QuestionWord:
    """A word of a question, or of the one before it: its characters, and what it is.

    A mention has its number, and a thing its class; what came before has its class alone.
    """

    start: int
    end: int
    text: str = ""
    mention: int | None = None
    what: str = "word"
    kind: str = ""
    is_earlier: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the word that labels are compared with; none of a mention."""
        return tuple(_PART.findall(self.text)) if self.what == "word" else ()


def words_of(
    question: str, mentions: Sequence[Numbered], earlier: EarlierQuestion | None = None
) -> tuple[QuestionWord, ...]:
    """The words of a question in its order, then those of the one before it, and what it came to.

    Mentions of the question before are numbered on.
    """
    words = _words(question, mentions, 0, False)[:MOST_WORDS]
    if earlier is None:
        return tuple(words)
    words += _words(earlier.question, earlier.mentions, len(mentions), True)
    words = words[: 2 * MOST_WORDS - 2]
    if earlier.topics:
        words.append(QuestionWord(0, 0, what="topics", kind=earlier.topics, is_earlier=True))
    if earlier.answers:
        what = "answers" if earlier.many else "answer"
        words.append(QuestionWord(0, 0, what=what, kind=earlier.answers, is_earlier=True))
    return tuple(words)


def _words(
    question: str, mentions: Sequence[Numbered], first: int, is_earlier: bool
) -> list[QuestionWord]:
    order = sorted(range(len(mentions)), key=lambda number: mentions[number].start)
    words, end = list[QuestionWord](), 0
    for number in order:
        mention = mentions[number]
        if mention.start < end:
            continue
        words += _between(question, end, mention.start, is_earlier)
        is_value = mention.kind in _VALUES
        what, kind = (mention.kind, "") if is_value else ("thing", mention.kind)
        start, end = mention.start, mention.end
        text = question[start:end].lower()
        words.append(QuestionWord(start, end, text, first + number, what, kind, is_earlier))
    return words + _between(question, end, len(question), is_earlier)


def _between(question: str, start: int, end: int, is_earlier: bool) -> list[QuestionWord]:
    return [
        QuestionWord(*match.span(), match[0].lower(), is_earlier=is_earlier)
        for match in _WORD.finditer(question, start, end)
    ]


@lru_cache(maxsize=100_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a label in lower case, the first `MOST_LABEL_WORDS` of them.

    It is read however it is written: `directedBy`, `directed_by`, `dbo:directed by`. Of a name with
    its domain and type before it, `film.film.directed_by`, the property is read.
    """
    if "." in label and " " not in label:
        label = label.rstrip(".").rpartition(".")[2]
    apart = _CAMEL.sub(" ", label)
    return tuple(word.lower() for word in _PART.findall(apart))[:MOST_LABEL_WORDS]
