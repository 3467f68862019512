"""The English around the wordings of relations: packaged templates, and parts of sentences.

The templates are TOML files in `training/wordings/`. Sentences are made with signs for what is put
in later: a topic entity, a second one, a noun phrase, what is referred back to.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from .template import Phrase, mentions_slot, with_article

_WORDINGS = Path(__file__).parents[1] / "wordings"


def wordings(use: str) -> dict[str, Any]:
    """The English wordings for a use, by their names."""
    return _read(_WORDINGS / "en" / f"{use}.toml")


def wordings_of_all(use: str) -> list[dict[str, Any]]:
    """The wordings for a use, of each language that has any."""
    return [_read(file) for file in sorted(_WORDINGS.glob(f"*/{use}.toml"))]


def forms_of_all(use: str) -> dict[str, list[list[str]]]:
    """The wordings for a use in the words of each, those of all languages together."""
    languages = wordings_of_all(use)
    return {
        name: [form.split() for forms in languages for form in forms[name]] for name in languages[0]
    }


def domain_files() -> list[Path]:
    """The files of domains with the words in which people ask, of all languages."""
    return sorted(_WORDINGS.glob("*/domains/*.toml"))


def asked_files() -> list[Path]:
    """The files of questions that were asked one by one, of all languages.

    Those in the folder `resembling` ask for what resembles something in their graph.
    """
    asked, resembling = (_WORDINGS.glob(f"*/{use}/*.jsonl") for use in ("asked", "resembling"))
    return [*sorted(asked), *sorted(resembling)]


def following_questions() -> list[str]:
    """Questions that follow on from another one, of all languages; names stand in brackets."""
    files = sorted(_WORDINGS.glob("*/following.txt"))
    return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def thesaurus_files() -> list[Path]:
    """The files that say by which words people ask for what others say, of all languages."""
    return sorted(_WORDINGS.glob("*/thesaurus/*.txt"))


def words_apart() -> list[list[list[str]]]:
    """Lines of words that name something else beside each other, of all languages.

    Each part of a line has the words that name the same.
    """
    files = sorted(_WORDINGS.glob("*/apart.txt"))
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return [[part.split() for part in line.split("|")] for line in lines]


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


Texts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class English:
    """Templates by section: `frames` around answerable questions, `telegraph` by number of steps.

    `contractions` maps words to other spellings of them; `unanswerable` has its own sections.
    """

    frames: Mapping[str, Texts]
    telegraph: Mapping[str, Texts]
    generic: Mapping[str, Texts]
    contractions: Mapping[str, Texts]
    unanswerable: Mapping[str, Texts]


@cache
def load_english() -> English:
    """The packaged templates."""
    main, unanswerable = wordings("questions"), wordings("unanswerable")
    return English(
        frames=sections({k: v for k, v in main.items() if isinstance(v, list)}),
        telegraph=sections(main["telegraph"]),
        generic=sections(main["generic"]),
        contractions=sections(main["contractions"]),
        unanswerable=sections(unanswerable),
    )


def sections(table: Mapping[str, Iterable[str]]) -> dict[str, Texts]:
    """The texts of a table by the names of its sections."""
    return {name: tuple(texts) for name, texts in table.items()}


TOPIC = "\ufffc"
"""Stands for the topic entity in a composed text."""
OTHER = "\ufffb"
"""Stands for a second topic entity."""
MET = "\ufffa"
"""Stands for a noun phrase that is put in later."""
HOLE = Phrase("\ufff9")
"""Stands for what a question refers back to."""

CLAUSES = frozenset(
    "whose where which who that to for of from you one i people by with in on into through along"
    " across at I".split()
)
"""Words that begin what follows a class noun."""
_SUBJECTS = frozenset(
    "people they i you one we shops citizens locals the tourists inhabitants".split()
)
_PRONOUNS = frozenset(("that", "who", "which"))
_BEING = frozenset(("is", "are", "was", "were"))
_AUXILIARIES = frozenset(("is", "are", "was", "were", "do", "does", "did", "has", "have", "had"))
_DENIALS = frozenset(
    "not never no nobody none nothing nor neither without must cannot when how why whom".split()
)
"""Words of clauses that are not denied: most deny something already."""
_TOPIC = "\ufff8"
_PREPOSITIONS = frozenset(
    "in of to from with at by for on around along through into near visiting crossing leave reach"
    " leaving".split()
)


def suited(templates: Texts, inner: Phrase, rng: Random) -> str:
    """A template; no genitive of a phrase that ends in a clause."""
    template = rng.choice(templates)
    if inner.heavy:
        for _ in range(4):
            if not mentions_slot(template, "x's"):
                break
            template = rng.choice(templates)
    return template


def predicate(clause: str) -> str:
    """The verb phrase of `that ...`; empty when the clause has a subject of its own."""
    if not clause.startswith("that "):
        return ""
    rest = clause.removeprefix("that ")
    has_subject = rest.split(" ", 1)[0] in _SUBJECTS or rest.startswith((TOPIC, OTHER, MET))
    return "" if has_subject else rest


def denied(clause: str, topic: str) -> str:
    """A clause that says the contrary: `that never won x`, `not in x`, `whose r is not x`.

    Empty for clauses of other forms, and such as deny something already. `topic` is what the clause
    names.
    """
    words = clause.replace(topic, _TOPIC).split()
    first, second = words[0], "".join(words[1:2])
    if not _DENIALS.isdisjoint(words) or any(word.endswith("n't") for word in words):
        return ""
    if first == _TOPIC or (first in _PRONOUNS and second == _TOPIC):
        subject = words[: words.index(_TOPIC) + 1]
    elif first in _PRONOUNS:
        subject = words[:1]
    elif first == "whose":
        verbs = [index for index, word in enumerate(words) if word in _BEING]
        subject = words[: verbs[0]] if verbs else []
    elif first == "with":
        return _named(["without", *words[1:]], topic)
    else:
        says = first in _PREPOSITIONS or first.endswith(("ed", "ing")) or second in ("by", "in")
        is_relative = second in ("which", "whom", "whose")
        return _named(["not", *words], topic) if says and not is_relative else ""
    verb, others = "".join(words[len(subject) : len(subject) + 1]), words[len(subject) + 1 :]
    if not subject or not verb or verb in _SUBJECTS or verb.startswith((_TOPIC, "'")):
        return ""
    if verb in _BEING:
        return _named([*subject, verb, "not", *others], topic)
    if verb in ("has", "have"):
        owns = bool(others) and others[0] in ("a", "an", "the", _TOPIC)
        negation = [{"has": "does", "have": "do"}[verb], "not", "have"] if owns else [verb, "not"]
        return _named([*subject, *negation, *others], topic)
    return _named([*subject, "never", verb, *others], topic)


def denied_question(question: str, topic: str, nouns: str, rng: Random) -> str:
    """A question for the other things: `what did x win` as `which games did x not win`.

    Empty for questions of other forms. `nouns` are what it asks for, where it does not say it.
    """
    verb, others = _asked_by_verb(question, topic, nouns)
    if verb not in _AUXILIARIES or len(others) < 2 or others[0] in ("the", "a"):
        return ""
    subject, others = others[: others[0] == _TOPIC], others[others[0] == _TOPIC :]
    denial = [f"{verb}n't", *subject] if rng.random() < 0.35 else [verb, *subject, "not"]
    return _named([rng.choice(("which", "what")), nouns, *denial, *others], topic)


def claimed(question: str, topic: str, nouns: str, answer: str, rng: Random) -> str:
    """A question for yes or no: `what did x win` as `did x win y`, where y is the `answer`.

    Empty for questions of other forms.
    """
    verb, others = _asked_by_verb(question, topic, nouns)
    if not others:
        return ""
    if verb not in _AUXILIARIES:
        start = rng.choice(("is it true that", "is it right that", "would you say that", ""))
        return _named([*start.split(), answer, verb, *others], topic).strip()
    if others[0] == _TOPIC:
        return _named([verb, *others, answer], topic) if len(others) > 1 else ""
    one = {"are": "is", "were": "was", "have": "has", "do": "does"}.get(verb, verb)
    return _named([one, answer, *others], topic)


def _asked_by_verb(question: str, topic: str, nouns: str) -> tuple[str, list[str]]:
    """The verb of a question for things with these nouns, and the words after the verb.

    Both are empty for questions of other forms.
    """
    asked, *rest = question.replace(topic, _TOPIC).split()
    text = " ".join(rest)
    if asked not in ("which", "what", "who") or not _DENIALS.isdisjoint(rest):
        return "", []
    if text.startswith(f"{nouns} "):
        rest = text.removeprefix(nouns).split()
    elif asked == "which" or (rest and rest[0] not in _AUXILIARIES and asked == "what"):
        return "", []
    return "".join(rest[:1]), rest[1:]


def _named(words: Iterable[str], topic: str) -> str:
    return " ".join(words).replace(_TOPIC, topic)


def stated(clause: str, many: bool, noun: str, *, named: bool, rng: Random) -> str:
    """A clause as a sentence of its own: `where people speak X` as `people speak X there`.

    What it says is said of `noun`, or of what is known already where it is not `named`; empty for
    clauses of other forms.
    """
    one = (with_article(f"a {noun}"), f"one {noun}")
    some = rng.choice((f"several {noun}", f"some {noun}") if many else one)
    first, _, rest = clause.partition(" ")
    if verb := predicate(clause):
        subject = some if named else ("they" if many else "it")
        return f"{subject} {verb}"
    if first == "where":
        return rest + (rng.choice((f" in {some}", " somewhere")) if named else " there")
    if first == "whose":
        owner = f"{some}'s" if named and not many else "their" if many else "its"
        return f"{owner} {rest}"
    if first == "that" and rest.startswith((TOPIC, OTHER, MET)) and named:
        return f"{rest} {some}"
    return ""


def refer_back(text: str, many: bool, noun: str, rng: Random) -> str:
    """A question with a pronoun, or the class noun again, in the place of `HOLE`."""
    hole = HOLE.text
    genitive = "their" if many else "its"
    text = text.replace(f"{hole}'s", genitive).replace(f"{hole}'", genitive)
    named = rng.choice(
        (f"those {noun}", f"these {noun}", f"the {noun}", "all of them")
        if many
        else (f"that {noun}", f"this {noun}", f"the {noun}", "that one")
    )
    if rng.random() < 0.35:
        return text.replace(hole, named)
    if rng.random() < 0.6:
        for preposition in ("in", "to", "of", "from"):
            there = "from there" if preposition == "from" else "there"
            text = text.replace(f" {preposition} {hole}", f" {there}")
    before = text.partition(hole)[0].split()
    is_object = bool(before) and (text.endswith(hole) or before[-1] in _PREPOSITIONS)
    pronoun = ("them" if is_object else "they") if many else "it"
    return text.replace(hole, pronoun)
