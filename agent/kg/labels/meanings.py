"""What a text that somebody wrote means in a KG: all terms that are called so."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from ..nodes import to_any_node, to_term
from ..store import Labels
from ..terms import Term, is_literal
from .names import normalise, one_line

_MOST_REMEMBERED = 50_000
_BARE_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"]+")
_AFTER_LABEL = re.compile(r".*\s\(?(<[^<>\s]+>|_:\w+)\)?", re.DOTALL)
_DESCRIBED = re.compile(r"(?P<name>.+) \((?P<about>.+)\)", re.DOTALL)


def written_term(text: str) -> Term | None:
    """The term that is written: in N-Triples syntax, alone or after a label, or as a bare IRI.

    A bare word with a colon may be a name, so it counts where it has `//` or begins with `urn:`.
    """
    text = text.strip()
    if match := _AFTER_LABEL.fullmatch(text):
        text = match[1]
    elif _BARE_IRI.fullmatch(text) and ("://" in text or text.startswith("urn:")):
        text = f"<{text}>"
    if not text.startswith(("<", '"', "_:")):
        return None
    try:
        return to_term(to_any_node(text))
    except ValueError:
        return None


def entities_meant(labels: Labels, text: str) -> list[Term]:
    """The entities that a text may mean that names one: several where they share the name.

    A text is a term (see `written_term`), a name or label in any case, else an alias; with a
    description in brackets after it, as it stands where candidates are listed, one with that
    description. A term is not looked up. Raises ServiceError.
    """
    if (term := written_term(text)) is not None:
        return [term]
    if meant := _terms_called(labels, text):
        return meant
    match = _DESCRIBED.fullmatch(text.strip())
    infos = labels.describe(_terms_called(labels, match["name"])) if match else []
    return [
        info.term for info in infos if match and match["about"] in (info.description, info.kind)
    ]


def namesakes(labels: Labels, text: str) -> list[Term]:
    """The entities that share a label with what is named before the brackets of `NAME (ABOUT)`.

    Empty where the text has another form, or the name is unknown. Raises ServiceError.
    """
    match = _DESCRIBED.fullmatch(text.strip())
    if match is None:
        return []
    known = labels.describe(_terms_called(labels, match["name"]))
    alike = [
        term for label in {info.label for info in known} for term in _terms_called(labels, label)
    ]
    return list(dict.fromkeys(alike))


def _terms_called(labels: Labels, text: str) -> list[Term]:
    label = one_line(text)
    exact = [*labels.named(label), *labels.labelled(label)]
    norm = normalise(label)
    if norm in labels.known({norm: label}):
        hits = labels.lookup(norm)
        exact += [hit.term for hit in hits if hit.text == label and hit.kind == "label"]
        if not exact:
            best = [hit.term for hit in hits if hit.kind in ("label", "local")]
            exact = best or [hit.term for hit in hits]
    return [term for term in dict.fromkeys(exact) if not is_literal(term)]


class Meanings:
    """The terms that a label may mean in a KG; remembers what was looked up."""

    def __init__(self, labels: Labels, predicates: Iterable[Term] = ()) -> None:
        """Of `predicates`, which make no facts, the names are known where no relation has them."""
        self._labels = labels
        self._predicates = tuple(predicates)
        self._known: dict[tuple[str, bool], tuple[Term, ...]] = {}
        self._vocabulary: Mapping[tuple[str, bool], Sequence[Term]] | None = None

    def find(self, texts: Iterable[str], *, relation: bool = False) -> dict[str, tuple[Term, ...]]:
        """The entities and values, or the relations, that are named or labelled exactly so; sorted.

        More than one where several share the label, even if it is the name of only one of them.
        Raises ServiceError where the labels cannot be asked for.
        """
        distinct = dict.fromkeys(texts)
        meanings = {t: self._known[t, relation] for t in distinct if (t, relation) in self._known}
        if missing := [text for text in distinct if text not in meanings]:
            new = self._look_up(missing, relation)
            if len(self._known) + len(new) > _MOST_REMEMBERED:
                self._known.clear()
            self._known.update({(text, relation): terms for text, terms in new.items()})
            meanings.update(new)
        return meanings

    def _look_up(self, texts: Sequence[str], relation: bool) -> dict[str, tuple[Term, ...]]:
        spelled = {text: one_line(text) for text in texts}
        labels = list(dict.fromkeys(filter(None, spelled.values())))
        terms_by_label = self._spelled_alike(labels, relation)
        infos = self._labels.describe(
            list({term for terms in terms_by_label.values() for term in terms})
        )
        label_of = {info.term: info.label for info in infos}
        meanings = {
            label: (
                *self._labels.named(label, relation=relation),
                *self._labels.labelled(label, relation=relation),
                *(term for term in terms_by_label[label] if label_of[term] == label),
            )
            for label in labels
        }
        if relation and not all(meanings.values()):
            for label in labels:
                meanings[label] = meanings[label] or self._named_predicates.get(label, ())
        return {text: tuple(sorted({*meanings.get(spelled[text], ())})) for text in texts}

    def _spelled_alike(self, labels: Sequence[str], relation: bool) -> dict[str, set[Term]]:
        """The words, and of entities the hits, of each label; these may be labelled otherwise."""
        terms_by_label = {label: {*self._words(label, relation)} for label in labels}
        if not relation:
            known = self._labels.known({normalise(label): label for label in labels})
            for label in labels:
                if (norm := normalise(label)) in known:
                    terms_by_label[label].update(hit.term for hit in self._labels.lookup(norm))
        return terms_by_label

    @cached_property
    def _named_predicates(self) -> Mapping[str, tuple[Term, ...]]:
        """The predicates that make no facts, by their names."""
        named: defaultdict[str, list[Term]] = defaultdict(list)
        for name, predicate in zip(
            self._labels.names(self._predicates), self._predicates, strict=True
        ):
            named[name].append(predicate)
        return {name: tuple(predicates) for name, predicates in named.items()}

    def _words(self, label: str, relation: bool) -> Sequence[Term]:
        """The relations, or the classes, that may be labelled so."""
        if self._vocabulary is None:
            words: defaultdict[tuple[str, bool], list[Term]] = defaultdict(list)
            for word in self._labels.vocabulary():
                words[word.text, word.relation].append(word.term)
            self._vocabulary = dict(words)
        return self._vocabulary.get((label, relation), ())
