"""Questions for the largest or smallest: `the longest river in X`, `the oldest of them`."""

import re
from collections.abc import Callable, Collection

from ..linking.words import singular
from .masking import MARK, Masked
from .phrases import BE, HAVE, OF_THEM, Parsed, is_plural, is_relation, noun_phrase, operation
from .superlatives import superlative, superlative_pattern
from .wording import plural, same_noun

_AGREEING = {"is": "are", "was": "were", "has": "have", "does": "do"}


def extreme_asked(
    question: Masked,
    text: str,
    members: str,
    relations: Collection[str],
    set_of: Callable[[str], Parsed | None],
) -> Parsed | None:
    """`The longest river in X`, `which of them has the largest population`.

    `set_of` reads the plain question for the set, which may be made of several.
    """
    found = re.search(rf"\bthe\s+({superlative_pattern()})\b", text, re.I) or re.search(
        rf"\b(?:{BE})\s+({superlative_pattern()})\b", text, re.I
    )
    if found is None or is_relation(found[1].split()[0].lower(), text, relations):
        return None
    compared = superlative(found[1])
    before, after = text[: found.start()].strip(), text[found.end() :].strip()
    said = ""
    if by := re.search(r"\s*\b(?:by|in terms of|measured by)\s+([^\W\d_][\w ]*)$", after, re.I):
        said, after = by[1], after[: by.start()].strip()
    if re.search(rf"(?:\s|^)(?:{HAVE}|with)$", before, re.I):
        said, after = said or after, ""
        before = re.sub(rf"\s*\b(?:{HAVE}|with)$", "", before, flags=re.I)
        if re.search(MARK, said):
            return None
    elif found[1].lower() in ("most", "least", "fewest", "highest number of"):
        return None
    before = re.sub(rf"^(?:which|what|who)\b\s*|\s*\b(?:{BE})$|^what's\b", "", before, flags=re.I)
    properties = [said.strip()] if said else list(compared.properties)
    own: dict[str, object] = {"most": compared.most, "properties": properties}
    if _is_last(before, members) and _is_last(after, members):
        return Parsed(operation("extreme", "last", question, **own), []) if members else None
    plain = _members_of(before.strip(), after)
    if plain is None or not question.within(plain):
        return None
    own["noun"] = noun_phrase(plain)
    if several := set_of(plain):
        if several.operation["kind"] == "unread":
            return several
        over, named = several.operation["over"], several.operation["named"]
        made = operation("extreme", over, question, named=named, **own)
        return Parsed(made, several.parts)
    made = operation("extreme", "one", question, **own)
    return Parsed(made, [question.unmasked(f"{plain}?")])


def _is_last(text: str, members: str) -> bool:
    """Whether nothing but the last answers can be meant: `of them`, `one`, or their class."""
    own = rf"(?:(?:the\s+)?ones?|{OF_THEM})?(?:\s*{OF_THEM})?"
    return re.fullmatch(own, text.strip(), re.I) is not None or bool(
        members and same_noun(text, members)
    )


def _members_of(before: str, after: str) -> str | None:
    """The plain question for the set: of `river in X` or `of the rivers in X`."""
    if before and not after:
        text = re.sub(r"^of\s+(?:the\s+)?|^the\s+", "", before, flags=re.I)
    elif after and not before:
        text = re.sub(r"^of\s+(?:the\s+)?", "", after, flags=re.I)
    else:
        return None
    match = re.fullmatch(
        r"(?P<noun>[^\W\d_][\w' -]*?)\s+"
        r"(?P<how>in|on|at|from|of|along|within|that|which|who|whose|[a-z]+ing)\s+(?P<rest>.+)",
        text,
        re.I,
    )
    if match is None:
        return None
    noun = match["noun"] if is_plural(match["noun"]) else plural(match["noun"])
    how, rest = match["how"].lower(), match["rest"]
    if how == "of":
        return f"what are the {noun} of {rest}"
    if how in ("that", "which", "who", "whose"):
        verb, _, others = rest.partition(" ")
        verb = _AGREEING.get(verb) or singular(verb)
        return f"which {noun} {f'whose {rest}' if how == 'whose' else f'{verb} {others}'}"
    return f"which {noun} are {how} {rest}"
