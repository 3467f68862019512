"""Which relations lead to true or false, and to nothing else.

Tables say it in texts, too: `yes` and `no`, in some language.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from ..caching import Recent
from ..languages import language_words, languages
from .nodes import lexical_form, literal_tag
from .store import Store
from .terms import XSD, Term, Triple, is_literal, node_of

_BOOLEAN = f"{XSD}boolean"
_TRUE, _FALSE = (
    tuple(f'"{text}"^^<{_BOOLEAN}>' for text in texts) for texts in (("true", "1"), ("false", "0"))
)
_SAMPLE = 1_000
"""Statements of a relation that are looked at."""
_MOST_KEPT = 10_000
_SHORTEST_ALONE = 3
"""Letters of a text that says true or false though no other one does the opposite."""


class Truths:
    """The truth values of relations, looked up when they are asked about, and kept.

    Safe to share between threads.
    """

    def __init__(self, facts: Store, stated: Callable[[Term], Iterator[Triple]]) -> None:
        """`stated` gives the facts of a relation."""
        self._facts = facts
        self._stated = stated
        self._known: Recent[Term, Mapping[bool, bool | str]] = Recent(_MOST_KEPT)

    def of(self, relation: Term) -> Mapping[bool, bool | str]:
        """Those that a relation leads to, as values that are compared: `yes` where it has texts.

        None where it also leads to anything else, or where several texts say the same. Raises
        ServiceError.
        """
        known = self._known.get(relation)
        if known is None:
            known = {
                value: value
                for value, terms in ((True, _TRUE), (False, _FALSE))
                if any(self._facts.follow(terms, relation, inverse=True, limit=1))
            }
            sample = islice(self._stated(relation), _SAMPLE)
            if not known:
                known = _truths_in_texts(sample)
            elif not all(map(_is_truth, sample)):
                known = {}
            self._known.put({relation: known})
        return known


def _is_truth(fact: Triple) -> bool:
    return literal_tag(node_of(fact.tail)) == _BOOLEAN


def _truths_in_texts(facts: Iterator[Triple]) -> Mapping[bool, str]:
    """The texts by which some facts say true and false; none where one of them says neither.

    Both are of one language. A short text alone may be a code, as *no* is of Norway.
    """
    written = set[str]()
    for fact in facts:
        term = node_of(fact.tail)
        text = lexical_form(term).lower()
        if not is_literal(term) or ":" in literal_tag(term):
            return {}
        if not any(text in words for words in _truths_by_language()):
            return {}
        written.add(text)
    if len(written) == 1 and len(min(written)) < _SHORTEST_ALONE:
        return {}
    for words in _truths_by_language():
        if written <= words.keys() and len({words[text] for text in written}) == len(written):
            return {words[text]: text for text in sorted(written)}
    return {}


@cache
def _truths_by_language() -> Sequence[Mapping[str, bool]]:
    """The texts that say true or false in tables, of each language, in lower case."""
    tables = [language_words(language)["truths"] for language in languages()]
    values = {"yes": True, "no": False}
    return [{word: values[name] for name in values for word in table[name]} for table in tables]
