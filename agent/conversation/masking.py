"""Questions with a mark in the place of every name, so that rules never read what is in a name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..state import Entity, MentionRecord, Part

_FIRST = 0xE000
MARK = "[\ue000-\uf8ff]"
"""A pattern for one mark: a character of Unicode's private use area."""
_MARKS = re.compile(MARK)
_MOST = 0xF8FF - _FIRST


@dataclass(frozen=True)
class Masked:
    """A question whose names are marks; the mark of a mention tells its place in `mentions`."""

    text: str
    mentions: tuple[MentionRecord, ...]

    def at(self, mark: str) -> MentionRecord:
        """The mention that a mark stands for."""
        return self.mentions[ord(mark) - _FIRST]

    def within(self, text: str) -> list[MentionRecord]:
        """The mentions whose marks are in a text, in its order."""
        return [self.at(mark) for mark in _MARKS.findall(text)]

    def with_mention(self, mention: MentionRecord) -> tuple["Masked", str]:
        """The same with one mention more, and the mark that stands for it."""
        return Masked(self.text, (*self.mentions, mention)), chr(_FIRST + len(self.mentions))

    def unmasked(self, text: str) -> Part:
        """A text with its names put back, and where they stand in it."""
        text = " ".join(text.split())
        made, mentions = "", list[MentionRecord]()
        for piece in re.split(f"({MARK})", text):
            if _MARKS.fullmatch(piece):
                mention = self.at(piece)
                start = len(made)
                made += mention["text"]
                mentions.append({**mention, "start": start, "end": len(made)})
            else:
                made += piece
        return Part(question=made, mentions=mentions)


def masked(question: str, mentions: Sequence[MentionRecord]) -> Masked:
    """The question with marks for its mentions; brackets around a name belong to it.

    Of mentions that overlap, and those that stand nowhere in it, the first is taken. Marks that the
    question itself has are blanked.
    """
    made, end, kept = "", 0, list[MentionRecord]()
    for mention in sorted(mentions, key=lambda m: m["start"]):
        start, stop = mention["start"], mention["end"]
        if start < end or start >= stop or len(kept) >= _MOST:
            continue
        before, after = question[end:start], 0
        if before.endswith("[") and question[stop : stop + 1] == "]":
            before, after = before[:-1], 1
        made += _MARKS.sub(" ", before) + chr(_FIRST + len(kept))
        kept.append(mention)
        end = stop + after
    return Masked(made + _MARKS.sub(" ", question[end:]), tuple(kept))


def settled(entity: Entity) -> MentionRecord:
    """A mention of exactly one entity, by its name."""
    return MentionRecord(text=entity["label"], start=0, end=0, ambiguous=False, candidates=[entity])


def kind_of(mention: MentionRecord) -> str:
    """The class of what a mention most likely means."""
    return mention["candidates"][0]["kind"]
