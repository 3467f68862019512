"""Display names: readable for the model and the reader, and unique within the KG.

Also how names are compared (`normalise`), where words begin and end in a text of any script
(`words`), and the names of triple terms (RDF 1.2), made of those of their parts: `«Ada knows Ben»`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from ..nodes import lexical_form
from ..terms import Term, is_iri, is_literal, is_triple_term, triple_of

_LONGEST_QUALIFIER = 30
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CLAUSE_END = re.compile(r"[,;:()\[\]\n]|(?<=[^\W\d_]{3})\.(?:\s|$)")


class Naming(NamedTuple):
    """What a term's name is made of; `degree` is the number of its facts."""

    term: Term
    label: str
    description: str = ""
    kind: str = ""
    degree: int = 0


_PLAIN = {
    "ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "þ": "th", "æ": "ae", "œ": "oe",
}  # fmt: skip
"""Letters that people without them on their keyboards write so; Unicode does not decompose them."""


class _Characters(dict[int, str]):
    """What each character becomes in a normalised text, found out once."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in _PLAIN:
            folded = _PLAIN[character]
        elif unicodedata.category(character) in ("Mn", "Me", "Cf"):
            folded = ""
        elif character.isalnum() or unicodedata.category(character) == "Mc":
            folded = character
        else:
            folded = " "
        self[code] = folded
        return folded


_CHARACTERS = _Characters()


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKD", text).casefold()


def normalise(text: str) -> str:
    """The form in which names are compared: no case, accents, punctuation or double spaces.

    Marks that only steer the layout go too, and letters with a stroke lose it. A text of nothing
    but punctuation keeps it, so that a film called `$` can be found.
    """
    folded = text.casefold() if text.isascii() else _fold(_fold(text))
    return " ".join(folded.translate(_CHARACTERS).split()) or " ".join(folded.split())


def one_line(text: str) -> str:
    """The text with line breaks, control characters and runs of blanks as single spaces.

    Characters that only steer the layout, such as soft hyphens, are left out.
    """
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join("".join(map(_printable, text)).split())


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return "" if unicodedata.category(character) == "Cf" else " "


def local_name(term: Term, *, relation: bool = False) -> str:
    """A readable name for a term that has no label.

    The last piece of an IRI, percent-decoded, with spaces for underscores; a relation's camel case
    is split (`birthPlace` is `birth place`). A literal is its lexical form, a blank node itself, a
    triple term the names of its parts.
    """
    if is_triple_term(term):
        return with_parts_named(term, local_name)
    if is_literal(term):
        return one_line(lexical_form(term)) or '""'
    if not is_iri(term):
        return term
    iri = term[1:-1].rstrip("/#:")
    piece = re.split(r"[/#:]", iri)[-1]
    name = one_line(unquote(piece).replace("_", " "))
    apart = one_line(_CAMEL.sub(" ", name)) if relation else name
    if apart != name:
        name = " ".join(word.lower() if word.istitle() else word for word in apart.split(" "))
    return name or iri or term


def short_form(description: str) -> str:
    """The first clause of a description where it is short enough to stand in brackets."""
    clause = one_line(_CLAUSE_END.split(description.strip(), maxsplit=1)[0])
    return clause if len(clause) <= _LONGEST_QUALIFIER else ""


def unique_names(
    namings: Iterable[Naming], *, named: Mapping[Term, str] | None = None
) -> dict[Term, str]:
    """A name for every term, no two alike.

    A label belongs to the term with the most facts (then the smallest term), and to a blank node
    only where nothing else has it; others that share it get in brackets their description's short
    form, class label or local name, or a number.
    `named` are terms that have their names already.
    """
    names: dict[Term, str] = dict(named or {})
    used_names = set(names.values())
    waiting: list[Naming] = []
    ordered = sorted(
        namings,
        key=lambda naming: (naming.term.startswith("_:"), -naming.degree, naming.term),
    )

    def take(name: str) -> bool:
        if name in used_names:
            return False
        used_names.add(name)
        return True

    for naming in ordered:
        if naming.term in names:
            continue
        if take(naming.label):
            names[naming.term] = naming.label
        else:
            waiting.append(naming)
    numbers: dict[str, int] = {}
    for naming in waiting:
        names[naming.term] = free_name(naming, take, numbers)
    return names


_NUMBERED = re.compile(r" \(\d+\)\Z")


def without_number(name: str) -> str:
    """A name without the number that tells it from an equal one: `Oak` of `Oak (2)`."""
    return _NUMBERED.sub("", name)


def free_name(naming: Naming, take: Callable[[str], bool], numbers: dict[str, int]) -> str:
    """The first name with a qualifier, else with a number, that `take` takes.

    `numbers` remembers the next number after each beginning of a name, because counting anew for
    every one of a million namesakes would not end; it may be emptied at any time.
    """
    label = normalise(naming.label)
    qualifiers = [
        qualifier
        for qualifier in (short_form(naming.description), naming.kind, _piece_of_iri(naming.term))
        if qualifier and normalise(qualifier) != label
    ]
    for qualifier in qualifiers:
        if take(name := f"{naming.label} ({qualifier})"):
            return name
    stem = f"{naming.label} ({qualifiers[0]} " if qualifiers else f"{naming.label} ("
    number = numbers.get(stem, 2)
    while not take(name := f"{stem}{number})"):
        number += 1
    numbers[stem] = number + 1
    return name


def _piece_of_iri(term: Term) -> str:
    """The local name of a term; that of a blank node is none that means something."""
    return "" if term.startswith("_:") else local_name(term)


_UNSPACED = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7ff"  # Korean, whose particles follow a name without a space
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uffdc"
    "\U00020000-\U0003ffff"  # Chinese, Japanese
    "]"
)


def is_unspaced(character: str) -> bool:
    """Whether a letter is of a script in which a name may stand within a run of letters."""
    return _UNSPACED.match(character) is not None


def words(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every run of letters, digits and the marks on them.

    A run is cut where `names.normalise` would cut, and at every letter of an unspaced script. A
    spacing mark on nothing begins one, as it is kept there, too.
    """
    start = None
    for index, character in enumerate(text):
        if _is_wordy(character):
            if start is not None and (is_unspaced(character) or is_unspaced(text[start])):
                yield start, index
                start = index
            start = index if start is None else start
        elif start is None:
            start = index if unicodedata.category(character) == "Mc" else None
        elif unicodedata.category(character) not in ("Mn", "Mc", "Me", "Cf"):
            yield start, index
            start = None
    if start is not None:
        yield start, len(text)


def most_words(text: str, norm: str) -> int:
    """At least how many words a text has, whose normalised form is given."""
    spaces = norm.count(" ")
    return spaces + 1 + (0 if text.isascii() else len(_UNSPACED.findall(text)))


def _is_wordy(character: str) -> bool:
    """Whether normalisation makes letters or digits of it, as of the sign for `number`."""
    if character.isascii():
        return character.isalnum()
    return any(map(str.isalnum, unicodedata.normalize("NFKD", character).casefold()))


def with_triple_terms(
    terms: Sequence[Term], names_of: Callable[[Sequence[Term]], Sequence[str]]
) -> list[str]:
    """The name of each term, given what names all others; that is called once."""
    if not any(map(is_triple_term, terms)):
        return list(names_of(terms))
    plain_terms = list(dict.fromkeys(part for term in terms for part in _parts_of_triples(term)))
    names = dict(zip(plain_terms, names_of(plain_terms), strict=True))
    return [with_parts_named(term, names.__getitem__) for term in terms]


def with_parts_named(term: Term, name: Callable[[Term], str]) -> str:
    """A triple term in the names of its parts; any other has its own."""
    if not is_triple_term(term):
        return name(term)
    return f"«{' '.join(with_parts_named(part, name) for part in triple_of(term))}»"


def _parts_of_triples(term: Term) -> Iterator[Term]:
    """The terms that are no triples in a term, itself where it is none."""
    if not is_triple_term(term):
        yield term
        return
    for part in triple_of(term):
        yield from _parts_of_triples(part)
