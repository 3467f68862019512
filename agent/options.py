"""How a question is answered: the options of all methods, and reading them from text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from reprlib import repr as shortened
from typing import Annotated, Any, Literal, Self, get_type_hints

from pydantic import (
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass

from .errors import InputError

OnAmbiguous = Literal["ask", "best", "error"]
Positive = Annotated[int, Field(ge=1)]
Natural = Annotated[int, Field(ge=0)]
Penalty = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Temperature = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(config=ConfigDict(strict=True, extra="forbid", validate_assignment=True))
class Options:
    """How a question is answered; `None` means what the model or the method prefers.

    Raises InputError where it is made, copied with changes or assigned to, for an option that there
    is none of, or a value that it cannot have. No value is converted: a text is no number.

    >>> options, turn = Options(max_answers=2), {"question": "Which countries border Austria?"}
    >>> build_graph().invoke(turn, context=options)["messages"][-1].text
    'Czechia; Germany; and 6 more'
    """

    beams: Annotated[int, Field(ge=1, le=32)] | None = None
    hops: Annotated[int, Field(ge=1, le=8)] | None = None
    inverse: bool | None = None
    revisits: Literal["walk", "no-topic", "simple"] = "no-topic"
    scores: Literal["allowed", "full"] = "allowed"
    hypothesis: Literal["end", "free"] = "end"
    examples: Natural = 0
    """Worked examples that a chat LLM is shown where it reasons over paths, and gcr's own model
    where it follows instructions (few-shot); at most as many as there are."""
    groups: Positive | None = 1
    """gcr, query: groups of beams that search one after the other; `None` is one for each beam."""
    diversity: Penalty = 1.0
    """gcr, query: what a token costs a group for each beam of an earlier one that took it."""
    every_topic: bool = True
    """gcr, query, dog: whether each of several topics is searched from alone."""
    on_ambiguous: OnAmbiguous = "ask"
    confidence: Share | None = None
    max_degree: Positive = 500
    """Facts about one entity that walks may use, where the KG is too large to be indexed whole."""
    max_triples: Positive = 100_000
    shown: Positive = 120
    """Triples of the graph that a prompt shows."""
    max_answers: Positive | None = None
    """Answers that are shown; `None` is 200 of those that walks lead to, and all of a query."""
    max_chains: Positive = 5
    """Walks that are shown for an answer; the proof of a query's answer is shown whole."""
    width: Positive = 3
    """tog: walks that are kept at a depth; tot: ways that an expansion may go (its breadth)."""
    depth: Positive | None = None
    """tog: steps of a walk; tot: actions of a traversal; `None` is the method's own."""
    expansions: Positive = 25
    """tot: traversals that are expanded at most."""
    enough: Share = 0.8
    """tot: the value from which an answer ends the search."""
    sample: Positive = 20
    """tog: entities of one relation that are scored; of more, a sample is."""
    planning: Literal["model", "random", "none"] = "model"
    """rog: who plans relation paths; with `none` there are none (section 5.3)."""
    plans: str = ""
    """rog: a file of somebody else's plans, JSON lines `{question, relation_paths, scores}`."""
    reasoning: Literal["best", "vote", "ends"] = "best"
    """Who answers from the walks: the LLM where there is one, else the vote; always the vote; or
    nobody, so that all their ends are answers (RoG's ablation)."""
    directed: bool = True
    """rog: whether planned relations are walked in the direction planned, or in either."""
    explain: bool = False
    """rog: whether the LLM adds an explanation, which is text and no fact."""
    visibility: Literal["full", "local"] = "full"
    """dog: what the prompt shows: triples around the topics, or at each step those that the chain
    touches (section 5.2)."""
    steps: Positive | None = None
    """dog: triples of a chain at most; `None` is the hops of the view."""
    free: Natural = 64
    """dog: tokens of free text between two triples at most."""
    complete: bool = True
    """dog: whether a chain that is one walk stands for all that its relation path reaches."""
    samples: Positive = 5
    """cot-sc: chains of thought that vote."""
    temperature: Temperature = 0.7
    """cot-sc: at which they are drawn."""
    retrieved: str = ""
    """paths: a file of what a retriever found, JSON lines with `id` or `question` and any of
    `candidates`, `paths`, `relation_paths` and `triples`."""
    embeddings: str = ""
    """A sentence-transformers folder or hub id that ranks paths (retrieve), or the triples that a
    prompt shows (dog, direct, cot, structlm); without it BM25 does."""
    seed: Natural = 0
    """That of samples and random plans."""
    queries: bool = True
    """Whether the question is read as a query, or proposed as one by a chat LLM, in `query`."""
    partial: bool = True
    """Whether an answer that leaves words of the question unread is shown, as such; or else
    withheld."""
    conversation: bool = True
    """Whether questions may refer to earlier ones, of which a question of a set has none."""

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, values: Any, make: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return make(values)
        except ValidationError as error:
            first, hints = error.errors()[0], get_type_hints(cls, include_extras=True)
            name = str(first["loc"][0])
            if name not in hints:
                raise _no_option(name, hints) from None
            raise _cannot_be(name, hints[name], first["input"]) from None


def read_options(pairs: Sequence[str], base: Options | None = None) -> Options:
    """`base` with what texts such as `width=5` or `planning=random` set; `none` unsets.

    Raises InputError for a text of another form, an option that there is none of, or a value that
    it cannot have.
    """
    values: dict[str, Any] = {}
    hints = get_type_hints(Options, include_extras=True)
    for pair in pairs:
        name, (_, sign, text) = _option_name(pair), pair.partition("=")
        if not sign:
            raise InputError(f"--set {pair}: is not NAME=VALUE", "such as --set width=5")
        if name not in hints:
            raise _no_option(name, hints)
        values[name] = _value(name, hints[name], text.strip())
    return replace(base or Options(), **values)


def names_set(pairs: Sequence[str]) -> frozenset[str]:
    """The options that texts such as `width=5` set."""
    return frozenset(map(_option_name, pairs))


def paper_options(
    options: Options, paper: Mapping[str, Any], user_set: Collection[str] = ()
) -> Options:
    """The settings of a method's paper, for every option that nobody set.

    Those are options as they are by default, less the names in `user_set`, whatever their values.
    """
    unset = Options()
    same = {f.name for f in fields(Options) if getattr(options, f.name) == getattr(unset, f.name)}
    free = same.difference(user_set)
    return replace(options, **{name: value for name, value in paper.items() if name in free})


def _option_name(pair: str) -> str:
    return pair.partition("=")[0].strip().replace("-", "_")


def _value(name: str, kind: Any, text: str) -> Any:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    try:
        return adapter.validate_python(None if text.lower() == "none" else text)
    except ValidationError:
        pass
    try:
        return adapter.validate_python(text)
    except ValidationError:
        raise _cannot_be(name, kind, text) from None


def _no_option(name: str, names: Collection[str]) -> InputError:
    near = get_close_matches(name, names, 3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(sorted(names))}"
    return InputError(f"there is no option {name!r}", hint)


def _cannot_be(name: str, kind: Any, value: Any) -> InputError:
    return InputError(f"the option {name} cannot be {shortened(value)}: it is {_allowed(kind)}")


_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "null": "none",
}
_BOUNDS = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most"}


def _allowed(kind: Any) -> str:
    """What an option of a type may be, in words."""
    schema = TypeAdapter(kind).json_schema()
    return ", or ".join(_one_allowed(one) for one in schema.get("anyOf", [schema]))


def _one_allowed(schema: Mapping[str, Any]) -> str:
    if choices := schema.get("enum"):
        return f"one of {', '.join(choices)}"
    bounds = [f"{word} {schema[bound]:g}" for bound, word in _BOUNDS.items() if bound in schema]
    return " of ".join(filter(None, [_KINDS[schema["type"]], " and ".join(bounds)]))
