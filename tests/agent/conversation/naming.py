"""Questions whose names are marked by hand: `Is <city:Vienna> ...`."""

import re

from groundwalk.agent.records import Answer, Entity, MentionRecord, Turn

_MARKED = re.compile(r"<(\w*):([^>]+)>")


def entity(label: str, kind: str, score: float = 1.0) -> Entity:
    return Entity(
        term=f"<urn:x:{label.replace(' ', '_')}>",
        label=label,
        kind=kind,
        description="",
        score=score,
    )


def mentions(marked: str) -> tuple[str, list[MentionRecord]]:
    """The question without marks, and its mentions."""
    text, end, found = "", 0, list[MentionRecord]()
    for match in _MARKED.finditer(marked):
        text += marked[end : match.start()]
        own = entity(match[2], match[1])
        start = len(text)
        text += match[2]
        found.append(
            MentionRecord(
                text=match[2], start=start, end=len(text), ambiguous=False, candidates=[own]
            )
        )
        end = match.end()
    return text + marked[end:], found


def turn(marked: str, *answers: Entity, number: int = 1, alone: bool = True) -> Turn:
    text, found = mentions(marked)
    return Turn(
        number=number,
        question=text,
        asked=text,
        alone=alone,
        status="answered" if answers else "abstained",
        mentions=found,
        topics=[mention["candidates"][0] for mention in found],
        answers=[Answer(term=a["term"], label=a["label"], score=1.0, chains=[]) for a in answers],
        cut=False,
        confidence=1.0,
        notes=[],
        text="; ".join(a["label"] for a in answers),
    )
