"""Names said in part: `Kubrick`, `the Hobbit films`. Which words of a question to try."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from ..kg.labels.index import Hit
from ..kg.labels.names import normalise
from .plausible import Casing
from .spans import Span, Token, is_address, is_dotted, normalised, tokenise
from .words import FUNCTION_WORDS, TITLES, is_everyday, is_ordinary

MOST_TRIED = 50
"""Stretches of one question that are looked up."""
_SHORTEST = 3
_LONGEST = 5
_BESIDE = 2
"""Words on either side of a part that may belong to the name, too."""
_LEAST_IN_ORDER = 3
"""Words from which a phrase of ordinary words is part of a name, as `return of the king`."""
_MOSTLY = 0.6
_IN_CODES = frozenset("-/.")
_INNER = frozenset("a an at by da de del der di du en for in la le of on the to van von y".split())
"""Words in lower case that stand inside names in capitals."""
_DETERMINERS = frozenset("a an her his its my our the their this your".split())
_WORDS = frozenset("adimst")
"""Letters that are words, or what an apostrophe parts from one."""
_APART = frozenset(',;:?!"()[]')


class Part(NamedTuple):
    """A stretch that may be part of a name: the words that the name has.

    `phrase` is what it holds as it stands, where that is known; `proper` when the name must spell
    the words with capitals. One that ends in a number is `numbered`: it stands for a name only
    where no other name has its words, and these follow one another there but for small words.
    Of further words the name has the `initials`. The words are more than the share `least` of it.
    """

    span: Span
    words: tuple[str, ...]
    phrase: str
    proper: bool
    numbered: bool = False
    initials: tuple[str, ...] = ()
    least: float = 0.0


def name_parts(
    question: str,
    tokens: Sequence[Token],
    casing: Casing,
    everyday: frozenset[str],
    taken_spans: Collection[Span],
) -> Iterator[Part]:
    """Stretches outside of `taken_spans`, the longest first.

    Where the question's capitals tell names, each whole run of words in capitals: who says `Michael
    Smith` means no other Smith. Else words that are not of the KG's vocabulary, in stretches that a
    name may hold as they stand. Ordinary English words count only where there are several. Codes
    count either way, and after all others two ordinary words that are most of one name.
    """
    covered = _covered(taken_spans)
    yield from _codes(question, tokens, everyday, covered)
    if casing.informative:
        yield from _capitalised_parts(question, tokens, everyday, covered)
    else:
        yield from _in_any_case(question, tokens, casing, everyday, covered)
    yield from _pairs(question, tokens, everyday, covered)


def _covered(spans: Iterable[Span]) -> set[int]:
    """The words that some spans have, by position."""
    return {position for span in spans for position in range(span.first, span.last + 1)}


def beginnings(
    question: str,
    tokens: Sequence[Token],
    casing: Casing,
    everyday: frozenset[str],
    taken_spans: Collection[Span],
) -> Iterator[Part]:
    """Stretches that hold one of `taken_spans` and may begin a longer name, the longest first.

    The words beside it have capitals where these tell names, and else are no ordinary ones; one of
    them at least is no everyday word.
    """
    covered = _covered(taken_spans)
    within = {pair for span in taken_spans for pair in pairwise(range(span.first, span.last + 1))}
    of_name = {
        at
        for at, token in enumerate(tokens)
        if at in covered or _may_be_of_name(token, casing, everyday)
    }
    inner_words = {at for at, token in enumerate(tokens) if token.norm in _INNER}
    rare = {at for at, token in enumerate(tokens) if not is_everyday([token.norm], everyday)}
    stretches = [
        (first, last)
        for first, last in _stretches(question, tokens, of_name)
        if (inner := set(range(first, last + 1))) <= of_name | inner_words
        and inner & rare - covered
        and inner & covered
        and not within & {(first - 1, first), (last, last + 1)}
    ]
    for first, last in sorted(stretches, key=lambda ends: (ends[0] - ends[1], ends)):
        words = tokens[first : last + 1]
        content = tuple(word.norm for word in words if word.norm not in FUNCTION_WORDS)
        yield Part(_span(tokens, first, last), content, f"{normalised(words)} ", False)


def _may_be_of_name(token: Token, casing: Casing, everyday: frozenset[str]) -> bool:
    """Whether a word has a capital where these tell names, and else is no ordinary one."""
    if casing.informative:
        return _is_capital(token, everyday)
    return not is_everyday([token.norm], everyday) and not is_ordinary(token.norm)


def _stretches(
    question: str, tokens: Sequence[Token], ends: Collection[int]
) -> Iterator[tuple[int, int]]:
    """The first and the last of some words, both among `ends`; no title or initial is first."""
    for run in _runs(question, tokens):
        for first in (at for at in run if at in ends and not _may_precede(tokens[at])):
            last_end = min(first + _LONGEST, run[-1] + 1)
            yield from ((first, last) for last in range(first + 1, last_end) if last in ends)


def _may_precede(token: Token) -> bool:
    """Whether a word may be a title or an initial, which are no beginning of a name."""
    return token.norm in TITLES or (len(token.norm) == 1 and token.norm.isalpha())


def wider(tokens: Sequence[Token], part: Part, taken_spans: Collection[Span]) -> Iterator[Part]:
    """The part with words beside it that are outside of `taken_spans`, most words first.

    Before it only words that are no ordinary ones: *films of* begins no name. No title ends one: it
    opens the name that follows.
    """
    covered = _covered(taken_spans)
    first, last = part.span.first, part.span.last
    before = list(takewhile(lambda at: not is_ordinary(tokens[at].norm), range(first - 1, -1, -1)))
    stretches = (
        (start, end)
        for start in (first, *before[:_BESIDE])
        for end in range(last, min(len(tokens), last + _BESIDE + 1))
        if end == last or tokens[end].norm not in TITLES
    )
    for start, end in sorted(stretches, key=lambda side: side[0] - side[1]):
        stretch = [token.norm for token in tokens[start : end + 1]]
        content = tuple(word for word in stretch if word not in FUNCTION_WORDS)
        is_bare = (stretch[0], stretch[-1]) == (content[0], content[-1])
        if is_bare and len(content) > len(part.words) and covered.isdisjoint(range(start, end + 1)):
            yield Part(_span(tokens, start, end), content, "", False)


def part_of_marked(span: Span, text: str) -> Part | None:
    """What is marked as a name, as one part; None where there are no words in it."""
    words = normalise(text).split()
    content = [word for word in words if word not in FUNCTION_WORDS]
    return Part(span, tuple(content), "", False) if content else None


def share(part: Part, hit: Hit) -> float:
    """How much of a name was said, by letters; 0 where that is too little, or no part of it.

    An e-mail address has no parts.
    """
    norm = normalise(hit.text)
    if is_address(hit.text):
        return 0.0
    if part.phrase not in f" {norm} " or (part.proper and not _is_proper(part, hit.text)):
        return 0.0
    large = " ".join(word for word in norm.split() if word not in FUNCTION_WORDS)
    if part.numbered and f" {' '.join(part.words)} " not in f" {large} ":
        return 0.0
    other_initials = (
        word[0] for word in norm.split() if word not in {*FUNCTION_WORDS, *part.words}
    )
    if Counter(part.initials) - Counter(other_initials):
        return 0.0
    content = [word for word in norm.split() if word not in FUNCTION_WORDS or word in part.words]
    share_said = min(1.0, sum(map(len, set(part.words))) / sum(map(len, content)))
    return share_said if share_said > part.least else 0.0


def _capitalised_parts(
    question: str, tokens: Sequence[Token], everyday: frozenset[str], covered: set[int]
) -> Iterator[Part]:
    runs = [
        [position for position in run if not tokens[position].tail]
        for words in _runs(question, tokens)
        for capital, run in groupby(words, key=lambda at: _is_capital(tokens[at], everyday))
        if capital
    ]
    for joined in _joined(question, tokens, runs):
        stretches = [(joined[0][0], joined[-1][-1]), *((run[0], run[-1]) for run in joined)]
        for first, last in dict.fromkeys(stretches):
            if covered.isdisjoint(range(first, last + 1)):
                yield from _without_everyday_ends(question, tokens, first, last, everyday)


def _is_capital(token: Token, everyday: frozenset[str]) -> bool:
    """Whether a word has a capital that opens no sentence with an ordinary word, and is no `I`."""
    ordinary = is_everyday([token.norm], everyday) or is_ordinary(token.norm)
    return token.capital and not (token.opens and ordinary) and token.norm != "i"


def _without_everyday_ends(
    question: str, tokens: Sequence[Token], first: int, last: int, everyday: frozenset[str]
) -> Iterator[Part]:
    """The whole stretch, and the same without everyday words at its ends.

    Then both without titles and initials before the rest, which the name need not have.
    """
    begin = first
    while begin < last and tokens[begin].norm in TITLES and tokens[begin].norm not in everyday:
        begin += 1
    initials = tuple(
        tokens[at].norm
        for at in takewhile(lambda at: is_initial(question, tokens[at]), range(begin, last))
    )
    if not initials:
        yield from _trimmed(tokens, first, first, last, (), everyday)
    if begin + len(initials) > first:
        yield from _trimmed(tokens, first, begin + len(initials), last, initials, everyday)


def _trimmed(
    tokens: Sequence[Token],
    start: int,
    first: int,
    last: int,
    initials: tuple[str, ...],
    everyday: frozenset[str],
) -> Iterator[Part]:
    """The words from `first` on as parts of a name, whose stretch begins at `start`."""
    inner = range(first, last + 1)
    rare = [position for position in inner if not is_everyday([tokens[position].norm], everyday)]
    if any(_is_name_like(tokens[position]) for position in rare):
        for begin, end in dict.fromkeys(((first, last), (rare[0], rare[-1]))):
            content = tuple(t.norm for t in tokens[begin : end + 1] if t.norm not in FUNCTION_WORDS)
            if not (all(map(is_ordinary, content)) and _is_common(tokens, begin, end)):
                span = _span(tokens, start if begin == first else begin, end)
                yield Part(span, content, "", False, initials=initials)


def is_initial(question: str, token: Token, *, by_capital: bool = True) -> bool:
    """Whether a letter stands for a name; one that is a word has a full stop, or a capital.

    A capital tells nothing in `I`, at the start of a sentence or a word, and unless `by_capital`.
    """
    if len(token.norm) != 1 or not token.norm.isalpha():
        return False
    after = question[token.end : token.end + 1]
    is_alone = after.isspace() and not (token.opens or token.tail or token.norm == "i")
    has_capital = by_capital and is_alone and token.text.isupper()
    return token.norm not in _WORDS or after == "." or has_capital


def _is_common(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether ordinary words are a noun for all their capitals: `the President`, `King of`."""
    before = tokens[first - 1].norm if first else ""
    after = tokens[last + 1].norm if last + 1 < len(tokens) else ""
    return last > first or before in _DETERMINERS or after == "of"


def _in_any_case(
    question: str,
    tokens: Sequence[Token],
    casing: Casing,
    everyday: frozenset[str],
    covered: set[int],
) -> Iterator[Part]:
    def may_end(position: int) -> bool:
        token = tokens[position]
        shown = casing.lower or (token.capital and not token.opens)
        return shown and _is_name_like(token) and not is_everyday([token.norm], everyday)

    stretches: list[Part] = []
    for run in _runs(question, tokens):
        free = set(run) - covered
        for first in sorted(filter(may_end, free)):
            for last in range(first, min(first + _LONGEST, len(tokens))):
                if last not in free:
                    break
                if may_end(last) and (part := _part_of(tokens, first, last)):
                    stretches.append(part)
    stretches += _numbered(question, tokens, covered)
    yield from sorted(stretches, key=lambda part: (-len(part.words), part.span))


def _numbered(question: str, tokens: Sequence[Token], covered: set[int]) -> Iterator[Part]:
    """Two or more words of any kind with a number after them: `harbour concert 9`."""
    for run in _runs(question, tokens):
        free = set(run) - covered
        for last in (at for at in free if tokens[at].norm.isdecimal()):
            for first in range(max(run[0], last - _LONGEST + 1), last - 1):
                stretch = [token.norm for token in tokens[first : last + 1]]
                content = tuple(word for word in stretch if word not in FUNCTION_WORDS)
                is_bare = content[:1] == (stretch[0],) and content[-2:-1] == (stretch[-2],)
                if (
                    is_bare
                    and len(content) >= _LEAST_IN_ORDER
                    and free.issuperset(range(first, last + 1))
                ):
                    yield Part(_span(tokens, first, last), content, "", True, True)


def _codes(
    question: str, tokens: Sequence[Token], everyday: frozenset[str], covered: set[int]
) -> Iterator[Part]:
    """Letters with digits after them: `AX-4410`, `T20`, `CS 190`; no measure, as `30cm`."""
    first = 0
    for last, token in enumerate(tokens):
        after = question[token.end : tokens[last + 1].start] if last + 1 < len(tokens) else ""
        is_alone = first == last and not is_ordinary(token.norm) and token.norm not in everyday
        if after in _IN_CODES or (after == " " and is_alone and tokens[last + 1].norm.isdecimal()):
            continue
        text = question[tokens[first].start : token.end]
        is_code = text[0].isalpha() and any(map(str.isdigit, text))
        if is_code and not is_dotted(tokens, last) and covered.isdisjoint(range(first, last + 1)):
            words = tuple(part.norm for part in tokens[first : last + 1])
            yield Part(_span(tokens, first, last), words, "", False, True)
        first = last + 1


def _pairs(
    question: str, tokens: Sequence[Token], everyday: frozenset[str], covered: set[int]
) -> Iterator[Part]:
    """Two ordinary words, of which one name is mostly made: `angle grinder`."""
    for first, second in (pair for run in _runs(question, tokens) for pair in pairwise(run)):
        words = tokens[first].norm, tokens[second].norm
        if covered.isdisjoint((first, second)) and not any(
            is_everyday([word], everyday) or not word.isalpha() for word in words
        ):
            yield Part(_span(tokens, first, second), words, "", False, True, least=_MOSTLY)


def _part_of(tokens: Sequence[Token], first: int, last: int) -> Part | None:
    """A stretch as part of a name, unless it is a word or two of ordinary English."""
    stretch = tokens[first : last + 1]
    content = tuple(token.norm for token in stretch if token.norm not in FUNCTION_WORDS)
    ordinary = all(map(is_ordinary, content))
    if ordinary and (len(content) < 2 or len(stretch) < _LEAST_IN_ORDER):
        return None
    phrase = f" {normalised(stretch)} " if len(content) > 1 else ""
    return Part(_span(tokens, first, last), content, phrase, True)


def _runs(question: str, tokens: Sequence[Token]) -> Iterator[list[int]]:
    """The places of words between which there is no punctuation that parts names.

    A word of a file's name or an address is in none.
    """
    run: list[int] = []
    for position, token in enumerate(tokens):
        is_of_file = is_dotted(tokens, position)
        is_apart = not _APART.isdisjoint(question[tokens[position - 1].end : token.start])
        if run and (is_apart or is_of_file):
            yield run
            run = []
        if not is_of_file:
            run.append(position)
    if run:
        yield run


def _joined(
    question: str, tokens: Sequence[Token], runs: Sequence[list[int]]
) -> Iterator[list[list[int]]]:
    """Runs in capitals with those after them that only inner words part, as in `Lord of the`."""
    group: list[list[int]] = []
    for run in filter(None, runs):
        if group:
            between = tokens[group[-1][-1] + 1 : run[0]]
            gap = question[tokens[group[-1][-1]].end : tokens[run[0]].start]
            if _APART.isdisjoint(gap) and all(token.norm in _INNER for token in between):
                group.append(run)
                continue
            yield group
        group = [run]
    if group:
        yield group


def _is_name_like(token: Token) -> bool:
    """Whether a word may stand for a name by itself, as far as its letters go."""
    return len(token.norm) >= _SHORTEST and token.norm.isalpha() and not token.unspaced


def _is_proper(part: Part, text: str) -> bool:
    """Whether a name spells all of these words with capitals."""
    capitals = {token.norm for token in tokenise(text) if not token.text[0].islower()}
    return capitals.issuperset(part.words)


def _span(tokens: Sequence[Token], first: int, last: int) -> Span:
    return Span(tokens[first].start, tokens[last].end, first, last)
