"""Questions in the very words of a label: "What is the capital of [A]?"

People who know a graph ask in its own words. Questions of people over other graphs seldom have
them, and a reader that learnt of those alone may pass over the label that a question spells out.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from ...agent.linking.words import PREPOSITIONS
from ...agent.query.actions import Action
from ...agent.reader.lexicon import QuestionWord, label_words
from ..wording.english import wordings_of_all
from .composed import filled, plain_words
from .examples import Example, with_words
from .made_graphs import is_value
from .sources import Hop, SchemaLabels

LABELLED = "labelled"
_INVERSE = 0.4
"""How many questions ask for what a relation leads from."""
_UNTOLD = 0.3
"""How many mentions are of no class that is known."""
_NOUN = 0.4
"""How many of those that ask for things of a class name it."""


def labelled(schemas: Mapping[str, SchemaLabels], count: int, seed: int) -> list[Example]:
    """So many questions that follow one relation, over these schemas, each of which is as often."""
    rng = Random(f"labelled {seed}")
    languages = wordings_of_all("labels")
    hops = [
        (name, [hop for hop in schema.hops if label_words(hop.label)])
        for name, schema in schemas.items()
    ]
    asked = [(name, those) for name, those in hops if those]
    made = list[Example]()
    while asked and len(made) < count:
        name, those = rng.choice(asked)
        words, actions = _asked(rng.choice(those), rng.choice(languages), rng)
        made.append(with_words(name, LABELLED, words, actions))
    return made


def _asked(
    hop: Hop, forms: Mapping[str, Any], rng: Random
) -> tuple[list[QuestionWord], list[Action]]:
    """The words and the actions of a question for either end of a relation."""
    label = label_words(hop.label)
    inverse = rng.random() < _INVERSE and not (hop.tail and is_value(hop.tail))
    start, noun = (hop.tail, hop.head) if inverse else (hop.head, "")
    has_noun = bool(noun) and rng.random() < _NOUN
    by = label[-1] in PREPOSITIONS
    use = "which" if inverse and has_noun and not by else "head" if inverse else "tail"
    texts: Sequence[str] = forms["by"][use] if by else forms[use]
    texts = [text for text in texts if has_noun or "{many}" not in text]
    parts = {
        "{thing}": [
            QuestionWord(
                0, 0, mention=0, what="thing", kind="" if rng.random() < _UNTOLD else start
            )
        ],
        "{label}": plain_words(label),
        "{many}": plain_words(label_words(noun)),
    }
    hops = (Action("pointer", number=0), Action("step", hop.label, inverse), Action("end"))
    return filled(rng.choice(texts).split(), parts), list(hops)
