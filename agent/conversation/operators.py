"""What a question computes over answers, and the plain questions that must be answered first.

Rules for English, over masked questions: no name is ever read as an operator. A question of a shape
that no rule is certain of is a plain one.
"""

import re
from collections.abc import Collection

from ..state import Kind, Part
from .extremes import extreme_asked
from .masking import MARK, Masked, kind_of, masked
from .negation import unread_not
from .phrases import (
    BE,
    DO,
    HAVE,
    HOW_MANY,
    NOT,
    OF_THEM,
    PREPOSITION,
    Parsed,
    is_relation,
    noun_phrase,
    operation,
)
from .superlatives import superlative_pattern

_LEAD = re.compile(r"^(?:(?:and|but|so|then|ok(?:ay)?|please|now)\b,?\s*)+", re.I)
_NAMES = rf"(?:the\s+)?{MARK}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?:the\s+)?{MARK})*"
_CUE = re.compile(
    rf"\b(?:how many|number of|count of|both|or|and also|except|excluding|apart from|other than"
    rf"|besides|but|not|\w+n['’]t|{superlative_pattern()})\b"
    rf"|^\W*(?:{BE}|{DO}|{HAVE}|can)\b",
    re.I,
)
_IT_IS = r"is it (?:true|right|correct|the case) that"
_UNREAD = re.compile(
    r"\b(?:no|none|never|neither|nor|without|only|lacks?|lacked|lacking|longer|former|formerly"
    r"|more|fewer|less|least|than|same|all|every|each|false|untrue|anymore|exactly|at most"
    r"|alone|one of)\b",
    re.I,
)
"""Words that change what a question asks in ways that no rule here follows."""
_ASKS = re.compile(r"(?:which|what|who|whom|whose|where|how many|(?:is|are) there)\b", re.I)
_YES_OR_NO = re.compile(rf"^(?:{BE}|{DO}|{HAVE}|can)\b", re.I)
_POLITE = re.compile(
    rf"^(?:can|do|have)\s+(?:you|we|i)\b|^(?:{BE})\s+it\s+possible\s+to\b"
    r"|^(?:does|can)\s+(?:any|some)(?:one|body)\s+(?:(?:please|happen\s+to|here)\s+)?"
    r"(?:know|remember|recall|say|name|list|explain|tell|show|give)\b",
    re.I,
)
_WHETHER = re.compile(
    r"\b(?:know|remember|recall|say|tell (?:me|us)|sure)\s+"
    r"(?:whether|if(?!\s+(?:i|you|we|one)\b))\b",
    re.I,
)
_EXISTS = re.compile(rf"^(?:{BE})\s+there\b", re.I)
"""`Are there rivers in X?`: what is wanted are the rivers."""
_IN_WHAT_WAY = re.compile(
    r"\b(?:not|hardly|barely|or|outside|between|called|named|as|over|above|below|under|just|many|much"
    r"|enough|too|one|two|three|four|five|six|seven|eight|nine|ten|fifty|hundred)\b|n['’]t\b|\d"
    rf"|\b{OF_THEM}",
    re.I,
)
"""Words after `are there` that ask for more, or for less, than what there is."""
_QUESTION_WORD = re.compile(rf"\b(?:which|what|who|whom|whose|where|when|why|how|or)\b|{NOT}", re.I)
_NEGATION = re.compile(rf"^(?P<be>{BE})\s*(?:not|n['’]t)\s+|^(?:{DO})\s*(?:not|n['’]t)\s+", re.I)


_OR = re.compile(r"\bor\b", re.I)
_OF_SEVERAL = re.compile(
    r"\b(?:both|also|except(?:ing)?|excluding|apart from|other than|besides|but not)\b", re.I
)
"""Words that join or part what is asked of several names."""


def parse(question: Masked, members: str, relations: Collection[str]) -> Parsed | None:
    """The operation that a question asks for; None for a plain question.

    `members` is what the last answers are called, in the plural, empty where there are none;
    `relations` are the normalised names of relations, whose words are no operators.
    """
    text = _LEAD.sub("", question.text.strip()).rstrip(" ?!.")
    found = (
        _truth(question, text)
        or _counted(question, text, members, relations)
        or extreme_asked(
            question, text, members, relations, lambda own: _set(question, own, "", relations)
        )
        or _set(question, text, members, relations)
    )
    if found is None:
        return _unread(question) if is_yes_or_no(question) else None
    if any(_is_unsplit(part, text, relations) for part in found.parts):
        return _unread(question)
    if found.operation["kind"] == "extreme":
        parts = [masked(part["question"], part["mentions"]) for part in found.parts]
        lost = unread_not(question, relations) and not any(
            unread_not(part, relations) for part in parts
        )
        return _unread(question) if lost else found
    changed = (word[0] for word in _UNREAD.finditer(text))
    if any(not is_relation(word.lower(), text, relations) for word in changed):
        return _unread(question)
    return found


def _is_unsplit(part: Part, text: str, relations: Collection[str]) -> bool:
    """Whether a part still has several names that no single walk leads from as it asks."""
    ends = [(mention["start"], mention["end"]) for mention in part["mentions"]]
    if len(ends) < 2:
        return False
    first, between = ends[0][1], ""
    for start, end in ends[1:]:
        between += f"{part['question'][first:start]} "
        first = end
    before = part["question"][: ends[0][0]]
    words = [word[0] for word in _OF_SEVERAL.finditer(f"{before} {between}")]
    words += ["or"] * bool(_OR.search(between))
    return any(not is_relation(word.lower().split()[-1], text, relations) for word in words)


def is_yes_or_no(question: Masked) -> bool:
    """Whether a question wants a yes or a no, which no walk is."""
    text = _LEAD.sub("", question.text.strip())
    if _EXISTS.match(text):
        return bool(_UNREAD.search(text) or _IN_WHAT_WAY.search(text))
    if _POLITE.match(text):
        return _WHETHER.search(text) is not None
    return _YES_OR_NO.match(text) is not None


def _unread(question: Masked) -> Parsed:
    """An operation that comes to nothing: better silent than something else than was asked."""
    return Parsed(operation("unread", "one", question), [])


def may_compute(question: str) -> bool:
    """Whether a question has any of the words that operators have, be it in a name."""
    return _CUE.search(question) is not None


def _truth(question: Masked, text: str) -> Parsed | None:
    """`Is Vienna the capital of Austria?`, `is it true that ...`: of triples between the two."""
    stated = re.fullmatch(rf"{_IT_IS}\s+(?:the\s+)?({MARK})(?!['’]s)\s+(.+)", text, re.I)
    asked = re.fullmatch(
        rf"({BE}|{DO}|{HAVE}|can)\s+(?:the\s+)?({MARK})(?!['’]s)\s+(.+)", text, re.I
    )
    turned = re.fullmatch(
        rf"(?:{_IT_IS}\s+(.*?\S)\s+(?:{BE})|(?:{BE})\s+(?!it\b|there\b)(.*?\S))\s+(?:the\s+)?({MARK})",
        text,
        re.I,
    )
    if len(question.within(text)) != 2 or _QUESTION_WORD.search(text):
        return None
    if stated:
        subject, clause = question.at(stated[1]), stated[2]
    elif asked:
        subject, clause = question.at(asked[2]), asked[3]
    elif turned:
        subject, clause = question.at(turned[3]), turned[1] or turned[2]
    else:
        return None
    others = question.within(clause)
    if len(others) != 1:
        return None
    condition, named = re.sub(MARK, "…", clause), [subject, *others]
    made = operation("truth", "one", question, condition=condition, named=named)
    return Parsed(made, [])


def _counted(
    question: Masked, text: str, members: str, relations: Collection[str]
) -> Parsed | None:
    """`How many ...`: the size of a set, or a number that the graph holds."""
    if members and HOW_MANY.fullmatch(text):
        return Parsed(operation("count", "last", question), [])
    some = re.fullmatch(
        rf"how many\s+(?:{OF_THEM}\s+(?P<all>.+)|(?P<be>(?:{BE})\s+.+))", text, re.I
    )
    if some and members and question.within(some[0]):
        return _of_last(question, some["all"] or some["be"], members, "count")
    match = re.fullmatch(
        r"(?:how many|(?:what is |what's )?the (?:total )?(?:number|count) of)\s+(.+)", text, re.I
    )
    if match is None or some or is_relation("number", text, relations):
        return None
    if not question.within(match[1]):
        return None
    inner = f"which {match[1]}"
    noun = noun_phrase(inner)
    if not noun:
        return None
    found = _set(question, inner, members, relations)
    if found is not None:
        return Parsed({**found.operation, "kind": "count", "noun": noun}, found.parts)
    if re.match(r"which\s+(?:[\w-]+\s+){1,3}of\s+(?:the\s+)?" + MARK + "$", inner):
        inner = f"what are the {match[1]}"
    made = operation("count", "one", question, noun=noun)
    return Parsed(made, [question.unmasked(question.text), question.unmasked(f"{inner}?")])


def _set(question: Masked, text: str, members: str, relations: Collection[str]) -> Parsed | None:
    """Some of the last answers, both of two sets, or one without another."""
    some = re.fullmatch(
        rf"(?:which|what|who)(?:\s+ones?)?\s+(?:{OF_THEM}|ones)\s+(.+)"
        rf"|(?:(?:{BE})(?:\s+there)?|{DO}|{HAVE})\s+any\s+{OF_THEM}\s+(.+)",
        text,
        re.I,
    )
    rest = some[1] or some[2] if some else ""
    if members and question.within(rest):
        return _of_last(question, rest, members, "list")
    return (
        _both(question, text, relations)
        or _except(question, text, relations)
        or _either(question, text, relations)
    )


def _of_last(question: Masked, rest: str, members: str, kind: Kind) -> Parsed:
    """The last answers of which a condition holds: by triples, or by the answers of a question."""
    negation = _NEGATION.match(rest)
    if negation:
        rest = f"{negation['be'] or ''} {rest[negation.end() :]}".strip()
    elif PREPOSITION.match(rest):
        rest = f"are {rest}"
    if len(question.within(rest)) != 1 or re.search(rf"{NOT}|\bor\b|\bbut\b", rest, re.I):
        return _unread(question)
    made = operation(
        kind,
        "last",
        question,
        condition=re.sub(MARK, "…", rest),
        negated=negation is not None,
        named=question.within(rest),
    )
    return Parsed(made, [question.unmasked(f"which {members} {rest}?")])


def _both(question: Masked, text: str, relations: Collection[str]) -> Parsed | None:
    """`Countries that border both X and Y`: what two questions have in common."""
    match = re.fullmatch(r"(.*?)\bboth\s+(?:of\s+)?(.+?)\s+and\s+(.+)", text, re.I)
    if match is None:
        return _and_also(question, text, relations)
    if is_relation("both", text, relations):
        return None
    before, first, second = match.groups()
    if not (_ASKS.match(before) or noun_phrase(before)):
        return _unread(question)
    tail = re.match(rf"((?:also\s+)?(?:the\s+)?{MARK})(.*)", second)
    if re.fullmatch(rf"(?:the\s+)?{MARK}", first) and tail:
        halves = [f"{before}{first}{tail[2]}?", f"{before}{tail[1]}{tail[2]}?"]
    elif re.fullmatch(rf"(?:the\s+)?{MARK}", first):
        return _unread(question)
    else:
        halves = [f"{before}{first}?", f"{before}{second}?"]
    if not all(question.within(half) for half in halves) or not before.strip():
        return None
    return Parsed(operation("list", "both", question), [question.unmasked(h) for h in halves])


def _and_also(question: Masked, text: str, relations: Collection[str]) -> Parsed | None:
    """`Countries that border X and also border Y`: what two questions have in common."""
    match = re.fullmatch(rf"(.*{MARK}),?\s+and\s+also\s+(.+)", text, re.I)
    if match is None or is_relation("also", text, relations):
        return None
    head, clause = match.groups()
    noun = noun_phrase(head)
    if not noun or len(question.within(head)) != 1 or len(question.within(clause)) != 1:
        return _unread(question)
    if re.fullmatch(rf"(?:the\s+)?{MARK}", clause):
        other = re.sub(MARK, re.findall(MARK, clause)[0], head)
    else:
        other = f"which {noun} {'are ' if PREPOSITION.match(clause) else ''}{clause}"
    parts = [question.unmasked(f"{half}?") for half in (head, other)]
    return Parsed(operation("list", "both", question), parts)


_ANY_OF = re.compile(
    rf"(?P<before>.*?)(?:\beither\s+)?(?P<names>(?:the\s+)?{MARK}"
    rf"(?:\s*,\s*(?:the\s+)?{MARK})*\s*,?\s+or\s+(?:the\s+)?{MARK})(?P<after>.*)",
    re.I,
)


def _either(question: Masked, text: str, relations: Collection[str]) -> Parsed | None:
    """`Countries that border X or Y`: what any of several questions has, each of one name.

    Asked with all names at once, walks would never come to one of these, though X may border Y.
    """
    first, *_, last = re.finditer(MARK, text) if len(question.within(text)) > 1 else (None, None)
    if first is None or last is None or is_relation("or", text, relations):
        return None
    if not _OR.search(text, first.end(), last.start()):
        return None
    match = _ANY_OF.fullmatch(text)
    if match is None or not (_ASKS.match(text) or noun_phrase(text)):
        return _unread(question)
    before, names, after = match["before"], match["names"], match["after"]
    if question.within(before) or question.within(after) or _OR.search(f"{before} {after}"):
        return _unread(question)
    several = re.findall(rf"(?:the\s+)?{MARK}", names, re.I)
    parts = [question.unmasked(f"{before}{name}{after}?") for name in several]
    return Parsed(operation("list", "either", question), parts)


_EXCEPT = re.compile(
    r"(?P<head>.+?),?\s+(?:except(?:ing)?(?:\s+for)?|excluding|apart from|other than|besides"
    r"|(?P<but>but not|and not|not including))\s+(?P<tail>.+)",
    re.I,
)
_BUT_DO_NOT = re.compile(
    rf"(?:(?P<head>.+?),?\s+(?:but|and)\s+(?:(?:that|which|who)\s+)?"
    rf"|(?P<those>.+?\s(?:that|which|who)\s.*?{MARK})\s+)"
    rf"(?:(?:{DO})\s*(?:not|n['’]t)|(?P<be>{BE})\s*(?:not|n['’]t))\s+(?P<tail>.+)",
    re.I,
)
_THOSE = re.compile(r"(?:(?:for\s+)?(?:those|the ones|ones|the \w+|\w+))\s+(?P<clause>.+)", re.I)


def _except(question: Masked, text: str, relations: Collection[str]) -> Parsed | None:
    """`Countries that border X except Y`, or `except those that border Y`, or `but not Y`."""
    if any(is_relation(word, text, relations) for word in ("except", "other", "besides")):
        return None
    if match := _BUT_DO_NOT.fullmatch(text):
        head, clause = match["head"] or match["those"], f"{match['be'] or ''} {match['tail']}"
        return _without(question, head, clause.strip())
    match = _EXCEPT.fullmatch(text)
    if match is None or not question.within(match["head"]):
        return None
    head, tail = match["head"], match["tail"].strip()
    if re.fullmatch(_NAMES, tail, re.I):
        out = question.within(tail)
        last = question.within(head)[-1]
        if match["but"] and len(out) == 1 and kind_of(last) and kind_of(last) == kind_of(out[0]):
            place = max(head.rfind(mark) for mark in re.findall(MARK, head))
            other = head[:place] + re.findall(MARK, tail)[0] + head[place + 1 :]
            parts = [question.unmasked(f"{half}?") for half in (head, other)]
            return Parsed(operation("list", "except", question, named=out), parts)
        made = operation("list", "except", question, named=out)
        return Parsed(made, [question.unmasked(f"{head}?")])
    those = _THOSE.fullmatch(tail)
    if those and question.within(those["clause"]) and not PREPOSITION.match(tail):
        return _without(question, head, those["clause"])
    return _without(question, head, tail) if PREPOSITION.match(tail) else None


def _without(question: Masked, head: str, clause: str) -> Parsed | None:
    """The answers of `head` that are no answers of the same noun with another clause."""
    noun = noun_phrase(head)
    if not noun or not question.within(head) or not question.within(clause):
        return None
    verb = "are " if PREPOSITION.match(clause) else ""
    plain = [f"{head}?", f"which {noun} {verb}{clause}?"]
    parts = [question.unmasked(text) for text in plain]
    return Parsed(operation("list", "except", question), parts)
