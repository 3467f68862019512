"""Questions about things that the graph does not hold: a name gives way to one that nobody has.

Such a name is no mention. Nothing but its letters and where it stands tells that it is a name.
"""

from collections.abc import Mapping, Sequence
from random import Random

from ...agent.query.actions import LITERAL, Action
from .labelled import Word, numbered, sign
from .question import QueryQuestion
from .skeletons import VALUES

_TITLED = 0.2
"""How many invented names are a name of the graph with one word changed."""
_SMALL = 0.2
"""How many are written without capital letters."""


def with_unknown_name(
    question: QueryQuestion, names: Sequence[str], terms: Mapping[str, str], rng: Random
) -> QueryQuestion | None:
    """The question with an invented name, which no query can say; None where it has no name.

    `names` are those of the graph. Its actions are what a careless reader makes of it: where they
    pointed at the name, they begin at all of its class (`terms`).
    """
    named = question.named
    free = [
        number
        for word in question.words
        for number, _ in numbered(word.text)
        if named[number].kind in terms and named[number].kind not in VALUES
    ]
    if not free or question.actions is None:
        return None
    number = rng.choice(free)
    invented = invented_name(named[number].text, names, rng)
    words = list[Word]()
    for word in question.words:
        if sign(number) not in word.text:
            words.append(word)
            continue
        parts = word.text.replace(sign(number), invented).split()
        words += [Word(part, "unread") for part in parts]
    start = Action("class", terms[named[number].kind])
    actions = [*question.actions]
    for place, action in enumerate(actions):
        is_pointer = not (place and actions[place - 1].kind in LITERAL)
        if is_pointer and action == Action("pointer", number=number):
            actions[place] = start
    return question._replace(words=tuple(words), actions=tuple(actions))


def invented_name(name: str, names: Sequence[str], rng: Random) -> str:
    """A name that looks like those of the graph, in place of one of them."""
    words = name.split()
    if len(words) > 1 and rng.random() < _TITLED:
        place = rng.randrange(len(words))
        words[place] = _joined(words[place], _word(names, -1, rng))
        invented = " ".join(words)
    else:
        invented = _joined(_word(names, 0, rng), _word(names, -1, rng))
    if rng.random() < _TITLED:
        invented += " " + _word(names, -1, rng)
    return invented.lower() if rng.random() < _SMALL else invented


def _word(names: Sequence[str], place: int, rng: Random) -> str:
    """A word of some name, the first or the last; of letters if one is soon found."""
    word = ""
    for _ in range(20):
        word = (rng.choice(names).split() or [""])[place]
        if word.isalpha():
            break
    return word


def _joined(first: str, last: str) -> str:
    """The beginning of one word and the end of another."""
    begin = first[: max(2, (len(first) + 1) // 2)]
    return begin + last[len(last) // 2 :].lower()
