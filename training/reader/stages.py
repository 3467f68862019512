"""The stages in which the bundled reader was trained, one after the other.

They say how it came about: each began where the one before it ended, with what was there by then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .asked import ASKED, RESEMBLING
from .composed import COMPOSED
from .labelled import LABELLED
from .pools import Drawing


@dataclass(frozen=True)
class Stage:
    """A part of the training; `rarity` as `stream_of` has it."""

    name: str
    steps: int
    rate: float
    drawing: Drawing
    rarity: float = 0.3
    batch: int = 64
    """Questions of a step."""
    joint: int = 1
    """After how many of the layers words and labels see each other."""
    frozen: tuple[str, ...] = ()
    """Parameters that stay as they are."""
    schedule: int | None = None
    """Steps over which the rate falls, where it ends before."""
    middle: int | None = None
    """The step of which the weights are averaged with the last, a multiple of `Plan.heard`, or 0
    for those that the stage begins with; on graphs that are kept apart the mean was better."""
    averaged: int = 0
    """As `Plan` has it."""
    mean_with: str = ""
    """The stage of which the first weights are averaged with the last of this one."""
    share: float = 0.5
    """How much the last ones count then."""
    answering: float = 0.0
    """What is taken off the bias for no query at all, where it learnt of more such questions than
    people ask."""
    more: Mapping[str, float] = field(default_factory=dict[str, float])
    """How many times as often as else some sources are drawn."""


_ASKED_MORE = {"spider": 2.0, "text2cypher": 2.0}
"""How much more often these sources are drawn in the last stages; they ask much of classes."""
_WALKS = (
    *("simplequestions", "simplequestions-twins", "simplequestions-wikidata"),
    *("simplequestions-wikidata-twins", "flexkbqa", COMPOSED),
)
"""Sources of walks from what a question names."""
_OF_WIKIDATA = ("simplequestions-wikidata", "simplequestions-wikidata-twins")
"""Of these many ask for what the words of another relation of their graph say, too."""
_WALKED_MORE = dict.fromkeys(_WALKS, 1.6) | dict.fromkeys(_OF_WIKIDATA, 1.0)
_AFFIXED = Drawing(affixed=0.6, renamed=0.5)
_BARE = Drawing(fewest=3, affixed=0.5, renamed=0.5, bare=0.4, both=0.5)
_WIDE = replace(_BARE, few=0.4, one_way=0.03)
_MEANINGS = ("meanings.weight",)
_SINGLY = _ASKED_MORE | _WALKED_MORE | {ASKED: 5.8}

_WITH_THESAURUS = Stage(
    "thesaurus",
    3_000,
    1e-3,
    _WIDE,
    frozen=_MEANINGS,
    averaged=75,
    more=_SINGLY | {ASKED: 5.7, COMPOSED: 2.7, LABELLED: 1.3},
)
_OTHER_NAMES = replace(
    _WITH_THESAURUS,
    name="other names",
    steps=6_000,
    averaged=150,
    mean_with="other names",
    share=0.75,
    drawing=replace(_WIDE, near=True, converse=0.4),
)
_RESEMBLING = replace(
    _OTHER_NAMES,
    name="resembling",
    steps=3_600,
    averaged=90,
    mean_with="",
    drawing=replace(_OTHER_NAMES.drawing, none=0.06, mistaken=0.06, siblings=0.3),
    more={**_OTHER_NAMES.more, RESEMBLING: 6.0},
)

_SEEN_TWICE = replace(
    _RESEMBLING,
    name="seen twice",
    steps=1_500,
    schedule=6_500,
    averaged=0,
    joint=2,
    more={**_RESEMBLING.more, ASKED: 8.0},
)

STAGES = (
    Stage("plain", 12_000, 2e-3, Drawing(barred=0.0), rarity=0.0, joint=0),
    # Labels are barred as a graph bars them, and rare kinds of action are drawn more often.
    Stage("barred", 5_000, 1e-3, Drawing(), joint=0),
    Stage("joint", 5_000, 1.5e-3, Drawing(), schedule=12_000),
    # Labels have words that say nothing, and other names more often.
    Stage("affixed", 6_000, 1.2e-3, _AFFIXED),
    # Many graphs have no classes, and relations go both ways.
    Stage("bare", 2_000, 8e-4, _BARE),
    Stage("longer", 6_000, 8e-4, _BARE, middle=1_500),
    # The bundled weights met here first what `training/queries/clauses.py` words.
    Stage("clauses", 5_000, 1e-3, _BARE, schedule=5_200, middle=0),
    # Small graphs without classes are asked for what their relations begin at.
    Stage("rows", 2_500, 1e-3, replace(_BARE, few=0.4)),
    # Much is asked of classes, and what nobody does is not what somebody has done to him.
    Stage(
        "classes", 3_000, 1e-3, replace(_BARE, few=0.4, one_way=0.08), middle=0, more=_ASKED_MORE
    ),
    # That taught "not", and made walks worse: they are drawn more often.
    Stage(
        "walks",
        2_000,
        6e-4,
        replace(_BARE, few=0.4, one_way=0.06),
        schedule=4_000,
        middle=0,
        more=_ASKED_MORE | dict.fromkeys(_WALKS, 1.6),
    ),
    Stage(
        "settled",
        900,
        5e-4,
        replace(_BARE, few=0.4),
        mean_with="classes",
        more=_ASKED_MORE | dict.fromkeys(_WALKS, 2.2),
    ),
    # All at once, in larger steps: twice as many domains, and questions in the words of labels.
    Stage(
        "general",
        4_600,
        1.5e-3,
        _WIDE,
        batch=128,
        middle=0,
        averaged=200,
        more=_ASKED_MORE | _WALKED_MORE,
    ),
    # The bundled weights met here first some of the questions that were asked one by one, then
    # mostly those, and in the last stage all of them, among all others.
    Stage(
        "asked", 2_000, 1e-3, _WIDE, frozen=_MEANINGS, schedule=4_000, more=_SINGLY | {ASKED: 6.0}
    ),
    Stage(
        "asked more",
        2_500,
        1e-3,
        _WIDE,
        frozen=_MEANINGS,
        schedule=4_000,
        more=_SINGLY | {ASKED: 42.0},
    ),
    Stage(
        "asked all",
        3_000,
        1e-3,
        _WIDE,
        frozen=_MEANINGS,
        averaged=75,
        mean_with="asked",
        share=0.75,
        more=_SINGLY,
    ),
    # Then three times as many, first none with words that their queries leave out; those of the
    # last 64 graphs came half way. What is made of several hops keeps its share.
    Stage(
        "asked anew",
        2_500,
        1e-3,
        _WIDE,
        frozen=_MEANINGS,
        schedule=8_000,
        averaged=200,
        more=_SINGLY | {ASKED: 6.7, COMPOSED: 2.4, LABELLED: 1.3},
    ),
    Stage(
        "asked in part",
        5_400,
        1e-3,
        _WIDE,
        frozen=_MEANINGS,
        averaged=135,
        mean_with="asked anew",
        answering=1.5,
        more=_SINGLY | {ASKED: 6.0, COMPOSED: 2.7, LABELLED: 1.3},
    ),
    # Then what words mean came from our thesaurus, too. The bundled weights met here a third of it,
    # and in the next stage seven thousand lines. Each time `meaning` was fitted such that the new
    # vectors of words come to what the old ones came to. Until here what has no answer had been
    # drawn twice as often, and names that a graph lacks been learnt more than twice as often.
    _WITH_THESAURUS,
    replace(_WITH_THESAURUS, name="whole thesaurus", steps=5_400, averaged=135, answering=1.5),
    # Then the thesaurus had 11,435 lines, and labels had near words in them. The bundled weights
    # met labels that were turned round only after 2,500 of these steps. Until then *of* and *by*
    # stood after labels as words that say nothing, and *of* before them to the end. Their near
    # words were of any kind: *owns* for *owner*.
    _OTHER_NAMES,
    # Then came 6,166 questions of several hops and with the rarer operators, and in the last stage
    # 4,400 with one operator inside of another. The thesaurus had five in eight of its longer lines
    # in the last stage, and none before.
    replace(
        _OTHER_NAMES, name="several hops", steps=3_500, averaged=0, mean_with="", schedule=8_000
    ),
    replace(
        _OTHER_NAMES,
        name="longer thesaurus",
        steps=3_500,
        averaged=125,
        mean_with="several hops",
        schedule=5_000,
    ),
    # Then came questions that resemble what a graph has, first of 27 graphs and then of 38, and
    # labels that differ in one word.
    _RESEMBLING,
    replace(
        _RESEMBLING,
        name="resembling more",
        steps=1_500,
        rate=7e-4,
        averaged=75,
        mean_with="resembling",
        share=0.65,
    ),
    # Then words and labels saw each other a second time. The bundled weights met here first what
    # words say of the class that a label leads to by being related to it, and by their meaning.
    # The second layer began with the first one's biases for matches. In the last two stages were a
    # third of the questions over domains, half of WikiSQL's and five in eight of the composed ones,
    # each source drawn as often as else.
    _SEEN_TWICE,
    replace(
        _SEEN_TWICE,
        name="seen twice more",
        steps=3_500,
        schedule=None,
        averaged=200,
        mean_with="seen twice",
        share=0.65,
    ),
    # The last stage told more of what resembles a graph, and nothing more of the other questions
    # over graphs apart.
    replace(
        _SEEN_TWICE,
        name="seen twice longer",
        steps=4_500,
        schedule=None,
        averaged=200,
        mean_with="seen twice longer",
    ),
)
