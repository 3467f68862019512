"""Facts that a KG does not hold but implies: statement nodes collapsed, OWL and RDFS honoured.

A `Reading` says which of them are on. They are virtual facts, in layers over the user's store:

    Plain        the facts as they are
    Entailed     `owl:inverseOf`, `rdfs:subPropertyOf`     --infer inverse-of,sub-property-of
    Pattern      what the profile's patterns read          --mediators collapse
    Statement    what statements about triples are of      --mediators collapse
    Merged       `owl:sameAs`: what is one is one node     --infer same-as
    Collapsed    `h -> mediator -> t` is one step          --mediators collapse

`Walks.prove` turns a path of virtual steps back into one of real triples. Only those are verified,
shown, written and scored.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from ...errors import InputError
from ..profile import Profile

Mediators: TypeAlias = Literal["keep", "collapse"]
"""What walks do at statement (CVT) nodes: stop there, or pass through."""

ReadingWord: TypeAlias = Literal["keep", "collapse", "same-as", "inverse-of", "sub-property-of"]
"""What a reading is said by: what walks do at mediators, and what they honour."""

_INFERENCES = ("same-as", "inverse-of", "sub-property-of")


@dataclass(frozen=True)
class Reading:
    """What walks make of a KG; by default its facts as they are. Plain values, for JSON.

    - `mediators`: `collapse` passes through statement nodes, `keep` stops at them; None is what the
      profile prefers.
    - `same_as`: entities that the KG calls the same are one.
    - `inverse_of`: a triple of a relation is one of its inverse, backwards.
    - `sub_property_of`: a triple of a relation is one of every relation above it.
    """

    mediators: Mediators | None = None
    same_as: bool = False
    inverse_of: bool = False
    sub_property_of: bool = False

    @property
    def plain(self) -> bool:
        """Whether walks take the facts of the KG as they are."""
        return self == Reading("keep")

    @property
    def names(self) -> list[str]:
        """What is not taken as it is, in the words of the options."""
        flags = (self.same_as, self.inverse_of, self.sub_property_of)
        collapsed = ["mediators"] if self.mediators == "collapse" else []
        return collapsed + [n for n, on in zip(_INFERENCES, flags, strict=True) if on]

    @property
    def suffix(self) -> str:
        """What tells the names of files that were made of this reading's facts from others'."""
        return "".join(f"-{name}" for name in self.names)

    def settled(self, profile: Profile) -> "Reading":
        """The reading with the profile's preference where it says nothing of mediators."""
        if self.mediators is not None:
            return self
        mediators: Mediators = "collapse" if profile.collapse else "keep"
        return Reading(mediators, self.same_as, self.inverse_of, self.sub_property_of)


def reading_of(mediators: str = "", infer: str | Iterable[str] = "") -> Reading:
    """A reading from the texts of options: `keep`, `collapse` or nothing, and `same-as,inverse-of`.

    Raises InputError for other words.
    """
    if mediators not in ("", "keep", "collapse"):
        raise InputError(
            f"--mediators {mediators}: is none of keep and collapse", "leave it out for the default"
        )
    given = infer.split(",") if isinstance(infer, str) else infer
    inferences = {word.strip() for word in given} - {""}
    if unknown := sorted(inferences - {*_INFERENCES}):
        raise InputError(
            f"--infer {unknown[0]}: is none of {', '.join(_INFERENCES)}",
            "give some of them, separated by commas",
        )
    flags = (name in inferences for name in _INFERENCES)
    return Reading("keep" if mediators == "keep" else "collapse" if mediators else None, *flags)


def reading_in(words: object) -> Reading:
    """The reading of words such as `["collapse", "same-as"]`; a `Reading` as it is.

    Without words it is what the profile prefers. Raises InputError for other words.
    """
    if words is None:
        return Reading()
    if isinstance(words, Reading):
        return words
    is_list = isinstance(words, Iterable) and not isinstance(words, str)
    names = list(cast("Iterable[str]", words)) if is_list else [words]
    known = get_args(ReadingWord)
    if unknown := [word for word in names if word not in known]:
        raise InputError(
            f"reading {unknown[0]!r}: is none of {', '.join(known)}",
            'give a list of these, such as ["collapse", "same-as"], or nothing for the default',
        )
    mediators = {"keep", "collapse"}.intersection(names)
    if len(mediators) > 1:
        raise InputError("a reading cannot both keep and collapse mediators", "give one of them")
    return reading_of("".join(mediators), [str(word) for word in names if word in _INFERENCES])
