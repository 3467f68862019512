"""Reading a chat model's reply as what was asked for, however it was written.

Replies come numbered, in bullets, as JSON, in Markdown, with scores as 0.4, 40% or 4/10. What
cannot be read is None; no text raises an error.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from ..kg.labels.names import normalise

NUMBER = r"(\d+(?:\.\d+)?|\.\d+)\s*+(%|/\s*(?:100|10|5|1)\b)?"
"""A number, and what it is a share of, where that is said."""
MARKS = "|*_`\"'“”‘’{}[]()<>,;: \t"
"""What may stand around a name or a number and is no part of it."""
_MOST_STARTS = 50
"""Brackets of a reply that may be the beginning of JSON."""
_MOST = 1e9


def first_json(reply: str) -> Any:
    """The first JSON object or list in a reply, in a fence or not."""
    decoder = json.JSONDecoder()
    for start in islice(re.finditer(r"[\[{]", reply), _MOST_STARTS):
        try:
            value, _ = decoder.raw_decode(reply, start.start())
        except (ValueError, RecursionError):
            continue
        if _has_content(value):
            return value
    return None


def _has_content(value: Any) -> bool:
    """Whether JSON data is more than a number in brackets, such as `[1]`."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return len(items) > 1 or any(isinstance(item, str | dict | list) for item in items)
    return bool(value)


def flat(data: Any, depth: int = 0) -> Iterator[tuple[str, float | None]]:
    """The texts of JSON data, each with the number that stands beside it."""
    if depth > 5:
        return
    if isinstance(data, dict):
        yield from _flat_record(cast("dict[str, Any]", data), depth)
    elif isinstance(data, list):
        for item in cast("list[Any]", data):
            yield from flat(item, depth + 1)
    elif isinstance(data, str) or number_of(data) is not None:
        yield str(data), None


def _flat_record(record: dict[str, Any], depth: int) -> Iterator[tuple[str, float | None]]:
    numbers = {key: n for key, value in record.items() if (n := number_of(value)) is not None}
    texts = [v for key, v in record.items() if isinstance(v, str) and key not in numbers]
    if len(numbers) == 1 and texts:
        yield texts[0], next(iter(numbers.values()))
        return
    for key, value in record.items():
        if key in numbers:
            yield key, numbers[key]
        else:
            yield from flat(value, depth + 1)


def number(text: str) -> float | None:
    """The number that a text is, as 0.4, 40% or 4/10."""
    match = re.fullmatch(NUMBER, text.strip(MARKS))
    return share(float(match[1]), match[2]) if match else None


def share(number: float, unit: str | None) -> float:
    """A number of hundredths, tenths or as it is; no number is above a billion."""
    number = min(number, _MOST)
    if not unit:
        return number
    return number / (100.0 if unit == "%" else float(unit.lstrip("/ ")))


def number_of(value: object) -> float | None:
    """The number that a JSON value is or spells."""
    if isinstance(value, str):
        return number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= _MOST else None


THINKING, THOUGHT = "<think>", "</think>"
"""What a reasoning model writes before and after a thought."""

_LONGEST = 200
"""Characters of an answer that are kept."""
_LONGEST_NAME = 80
"""Characters of what counts as a name that was no option."""

_MOST_PIECES = 1_000
"""Lines or values of a reply that are looked at."""

_BULLET = re.compile(r"^(?:[-*•>#]+|\(?\d{1,3}[.):])\s+")
_LAST = re.compile(rf"(?<![\w.]){NUMBER}[\s)\]}}*_.,|\"]*+$")
_CALLED = re.compile(rf"(?:score|value|rating)\W{{1,4}}{NUMBER}", re.I)
_CALLING = re.compile(r"(?:score|value|rating)$", re.I)
_VALUE = re.compile(r"(?<![\w.])(\d*\.\d+|\d+)\s*(%|/\s*(?:100|10|5|1)\b)?")
_YES_NO = re.compile(r"\b(?:(yes|true)|no|false)\b", re.I)
_ENOUGH = re.compile(r"(?:(\bnot\b|n['’]t\b)[\w\s]{0,20})?\b(in)?(?:sufficient|enough)\b", re.I)
_BEFORE = ' \t:=,|([{–—-*"_'
"""Marks between a name and its score."""
_NONE = {"none", "none of them", "none of these", "n a", "null", "nothing", "unknown"}
_NO_NAMES = {"score", "scores", "total", "sum", "relation", "relations", "entity", "entities"}
_FINAL = re.compile(
    r"^#{1,6} ?[^\n]{0,40}\banswers?[*_` ]*$|\banswers?\b[*_` ]*(?::|\bis\b|\bare\b)", re.I | re.M
)
_FENCE = re.compile(r"\s*```\w*\s*")
_SIGNS = re.compile(r"(?<=\w)[+#]+(?!\w)")
_SPOKEN_SIGNS = {ord("+"): "plus", ord("#"): "sharp"}
_AROUND = '*_`"“”{}[] \t'
"""Marks around an answer."""


@dataclass(frozen=True)
class Choices:
    """The options that a reply names, by position, with their scores from 0 to 1.

    `invented` are names with which it answered although they were no option.
    """

    scores: dict[int, float]
    invented: tuple[str, ...] = ()


@lru_cache(maxsize=8)
def _tables(options: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """For each of `_KEYS` the options by it, the first of those that are equal."""
    tables = tuple(dict[str, int]() for _ in _KEYS)
    for key, table in zip(_KEYS, tables, strict=True):
        for position, option in enumerate(options):
            table.setdefault(key(option), position)
        table.pop("", None)
    return tables


def read_choices(reply: str, options: Sequence[str]) -> Choices | None:
    """The options that are chosen and scored in a reply; None where it tells nothing of them.

    Options without a score share what is usual: one over their number. Numbers alone are scores in
    the order of the options.
    """
    data = first_json(reply)
    if data is not None:
        return _choices(list(flat(data)), options)
    lines = [(line.strip(), None) for line in re.split(r"[\n;]", reply) if line.strip(MARKS)]
    read = _choices(lines, options)
    if len(lines) == 1 and "," in reply:
        parts = [(part.strip(), None) for part in reply.split(",") if part.strip(MARKS)]
        other = _choices(parts, options)
        if other and (read is None or len(other.scores) > len(read.scores)):
            read = other
    return Choices({}) if read is None and _is_none(reply) else read


def read_sets(reply: str, options: Sequence[str]) -> list[tuple[int, ...]] | None:
    """The sets of options that a reply names, one a line; None where it names no option."""
    data = first_json(reply)
    texts = reply.splitlines() if data is None else [text for text, _ in flat(data)]
    sets = list[tuple[int, ...]]()
    for text in texts[:_MOST_PIECES]:
        exact = _exact(text, options)
        named = tuple(contained(text, options)) if exact is None else (exact,)
        if named:
            sets.append(named)
    return list(dict.fromkeys(sets)) or None


def read_verdict(reply: str) -> bool | None:
    """Whether the reply says yes: by its first yes or no, else by whether it calls it enough."""
    answer = _YES_NO.search(reply)
    if answer is not None:
        return answer[1] is not None
    verdict = _ENOUGH.search(reply)
    return None if verdict is None else not (verdict[1] or verdict[2])


def read_value(reply: str) -> float | None:
    """A value from 0 to 1: the first number written as a decimal, a share or a percentage."""
    numbers = list(_VALUE.finditer(reply))
    best = next((m for m in numbers if "." in m[1] or m[2]), numbers[0] if numbers else None)
    if best is None:
        return None
    value = share(float(best[1]), best[2])
    return value if value <= 1 else None


def read_answers(reply: str, labels: Sequence[str] = ()) -> list[str]:
    """The names that a reply answers with, one a line or as a JSON list; none where it says NONE.

    What comes after the last `Answer:` is read, where there is one. What looks like the number of a
    line belongs to the name where `labels` have it, as in `1. FC Köln`.
    """
    return [name for name in dict.fromkeys(_answer_names(reply, labels)) if not _is_none(name)]


def says_nothing(reply: str) -> bool:
    """Whether a reply answers with no name and does not say that there is none either."""
    return not _answer_names(reply) and not re.search(r"\[\s*\]", reply)


def compared(text: str) -> str:
    """The form in which names of replies are compared: `normalise`, but C, C++ and C# differ."""
    return normalise(_SIGNS.sub(lambda signs: signs[0].translate(_SPOKEN_SIGNS), text))


def _answer_names(reply: str, labels: Sequence[str] = ()) -> list[str]:
    data = first_json(reply)
    if data is not None:
        lines = [text for text, _ in flat(_answer_part(data))]
    else:
        marks = list(_FINAL.finditer(reply))
        lines = (reply[marks[-1].end() :] if marks else reply).splitlines()
    lines = [line for line in lines if not _FENCE.fullmatch(line)]
    names = [_listed(line, labels) for line in lines]
    return [name[:_LONGEST] for name in names if name]


def _listed(line: str, labels: Sequence[str]) -> str:
    """A line without what numbers it, unless it is more like a known name with it."""
    whole = line.strip().strip(_AROUND)
    unnumbered = _unbulleted(line.strip()).strip(_AROUND)
    for key, table in zip(_KEYS, _tables(tuple(labels)), strict=True):
        for name in (whole, unnumbered) if key is not _with_caret else ():
            if key(name) in table:
                return name
    return unnumbered


def without_thoughts(reply: str) -> str:
    """A reply without what a reasoning model thinks before it, which may be all there is."""
    return reply.rpartition(THOUGHT)[2].partition(THINKING)[0]


def split_names(text: str) -> list[str]:
    """A line that lists several names, taken apart at commas, semicolons and `and`."""
    return [part.strip() for part in re.split(r"[,;]|\band\b", text) if part.strip()]


def contained(text: str, options: Sequence[str]) -> list[int]:
    """The positions of the options that a text contains as whole words; longer names go first."""
    left, inside = f" {compared(text)} ", list[int]()
    for name, option in sorted(_tables(tuple(options))[-1].items(), key=lambda p: (-len(p[0]), p)):
        if f" {name} " in left:
            inside.append(option)
            left = left.replace(f" {name} ", " | ")
    return sorted(inside)


def _choices(pieces: Sequence[tuple[str, float | None]], options: Sequence[str]) -> Choices | None:
    """What texts choose, each with the score that JSON gave it, else with the one it ends in."""
    scores, unscored, invented = dict[int, float](), list[int](), list[str]()
    for text, given in pieces[:_MOST_PIECES]:
        name, score = (text, given) if given is not None else _split_score(text, options)
        option = _option_named(name, options)
        if option is None:
            made_up = _unbulleted(name.strip()).strip(MARKS)
            if score is not None and _is_name(made_up, text):
                invented.append(made_up)
        elif score is None:
            unscored.append(option)
        else:
            scores.setdefault(option, score)
    for option in unscored:
        scores.setdefault(option, 1 / len(set(unscored)))
    scores = scores or _scores_in_order(pieces, len(options))
    if not scores and not invented:
        return None
    return Choices(_scaled(scores), tuple(dict.fromkeys(invented)))


def _scores_in_order(pieces: Sequence[tuple[str, float | None]], count: int) -> dict[int, float]:
    """Numbers alone, one for each option."""
    numbers = [n for text, given in pieces if given is None and (n := number(text)) is not None]
    return dict(enumerate(numbers)) if len(numbers) == count else {}


def _answer_part(data: Any) -> Any:
    """What JSON data holds under a key that says answer, else all of it."""
    if isinstance(data, dict):
        for key, value in cast("dict[str, Any]", data).items():
            if "answer" in key.lower():
                return value
    return data


def _split_score(text: str, options: Sequence[str]) -> tuple[str, float | None]:
    """A name and the score after it; a name that ends in a number keeps it."""
    if _exact(text, options) is not None:
        return text, None
    score = _LAST.search(text) or _CALLED.search(text)
    if score is None:
        return text, None
    name = _CALLING.sub("", text[: score.start()].rstrip(_BEFORE)).rstrip(_BEFORE)
    return name, share(float(score[1]), score[2])


def _option_named(name: str, options: Sequence[str]) -> int | None:
    exact = _exact(name, options)
    if exact is not None:
        return exact
    inside = contained(name, options)
    return inside[0] if len(inside) == 1 else None


def _exact(text: str, options: Sequence[str]) -> int | None:
    """The option that a text is, whatever its case and marks; with its caret, else without.

    What looks like the number of a line is tried as a part of the name first.
    """
    raw = text.strip()
    for key, table in zip(_KEYS, _tables(tuple(options)), strict=True):
        for name in (raw, _unbulleted(raw)):
            if key(name) in table:
                return table[key(name)]
    return None


def _folded(text: str) -> str:
    return text.strip(MARKS).casefold()


def _with_caret(text: str) -> str:
    bare = text.strip(MARKS)
    return ("^" if bare.startswith("^") else "") + compared(bare)


_KEYS: tuple[Callable[[str], str], ...] = (str, _folded, _with_caret, compared)
"""By what a name is compared with options, the strictest first."""


def _unbulleted(text: str) -> str:
    return _BULLET.sub("", text)


def _scaled(scores: dict[int, float]) -> dict[int, float]:
    """Scores from 0 to 1: from a scale to 10 or 100 where one is above 1."""
    top = max(scores.values(), default=0.0)
    scale = 1.0 if top <= 1 else 10.0 if top <= 10 else max(top, 100.0)
    return {option: score / scale for option, score in scores.items()}


def _is_name(text: str, line: str) -> bool:
    """Whether what stands before a score looks like a name, and not like prose."""
    if len(text) > _LONGEST_NAME or normalise(text) in _NO_NAMES:
        return False
    return any(map(str.isalpha, text)) and _parted(line[line.find(text) + len(text) :])


def _parted(rest: str) -> bool:
    """Whether a mark, or the end, is between a name and what follows it."""
    return not rest.strip() or bool(re.search(r"[:=|(\[{,–—\t-]", rest))


def _is_none(text: str) -> bool:
    return normalise(_unbulleted(text.strip())) in _NONE
