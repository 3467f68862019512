"""The options that several commands share, each written once: its name, default and help.

A command takes them as dataclasses, which `takes_options` turns into options of the command line.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from ..agent.kg import KnowledgeGraph, OnBroken, Reading

KG = Annotated[
    str | None,
    typer.Option(
        "--kg",
        metavar="SRC",
        help="RDF file or folder, head|relation|tail or TSV file, SPARQL endpoint, `world`.",
    ),
]
Model = Annotated[
    str, typer.Option("--model", metavar="DIR|HUB_ID", help="The model that decodes.")
]
Reader = Annotated[
    str,
    typer.Option(
        "--reader",
        metavar="DIR|HUB_ID",
        help="What reads questions in the model's place, over any graph; for --method query.",
    ),
]
LLM = Annotated[
    str,
    typer.Option(
        "--llm",
        metavar="SPEC",
        help="The LLM that reasons: openai:NAME, http://host/v1#NAME, hf:DIR or none.",
    ),
]
Beams = Annotated[int | None, typer.Option("--beams", min=1, max=32, help="Walks to decode.")]
Hops = Annotated[
    int | None,
    typer.Option(
        "--hops", min=1, max=8, help="Longest path; unset: what the model was trained on."
    ),
]
Device = Annotated[str, typer.Option("--device", help="cpu, cuda, mps ...")]
Dtype = Annotated[str, typer.Option("--dtype", help="float32, bfloat16, 8bit, 4bit ...")]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", help="A folder of prompt templates of your own.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def option(
    help: str | None = None,
    metavar: str | None = None,
    *,
    default: Any = None,
    flag: str = "",
    min: int | None = None,
) -> Any:
    """A field of a dataclass that is an option, called as the field is if no `flag` is given."""
    made = partial(typer.Option, metavar=metavar, help=help, min=min)
    return field(default=default, metadata={"flag": flag, "option": made})


REQUIRED: Any = MISSING
"""The default of an option that must be given."""


@dataclass(frozen=True)
class Source:
    """The knowledge graph and how it is read; what is `None` is as in the settings."""

    kg: KG = None
    profile: str = option(
        "How the graph is read: auto (generic, owl or skos, by what is in it), one of these, "
        "wikidata, dbpedia, freebase or a TOML file.",
        "NAME|FILE",
        default="auto",
    )
    graph: list[str] | None = option("Only this named graph; may be repeated.", "IRI")
    language: str | None = option(
        "Languages of names and questions, the most wanted first: de,en.", "TAG,..."
    )
    mediators: str | None = option(
        "Stop at statement (CVT) nodes or pass through; unset: what the profile prefers.",
        "keep|collapse",
    )
    infer: str | None = option(
        "What walks honour, with commas: same-as, inverse-of, sub-property-of.", "LIST"
    )
    on_broken: str = option(
        "Whether a broken statement refuses a file, or is left out and told.",
        "fail|skip",
        default="fail",
    )

    def open(self) -> "KnowledgeGraph":
        """Open the graph, as it is to be walked. Raises InputError, KGError and ServiceError."""
        from ..agent.kg import open_kg
        from ..agent.settings import read_settings

        source = read_settings().kg if self.kg is None else self.kg
        return open_kg(source, reading=self.reading(), **self.parsing())

    def parsing(self) -> dict[str, Any]:
        """How files are read, as `open_kg` and `build` take it. Raises InputError."""
        from ..agent.kg import load_profile

        return {
            "on_broken": self.broken_statements(),
            "profile": load_profile(self.profile),
            "graphs": tuple(self.graph or ()),
            "languages": self.languages(),
        }

    def broken_statements(self) -> "OnBroken":
        """What `--on-broken` says. Raises InputError."""
        one_of("--on-broken", self.on_broken, "fail", "skip")
        return cast("OnBroken", self.on_broken)

    def languages(self) -> tuple[str, ...]:
        """The wanted languages, by their tags. Raises InputError."""
        from ..agent.kg import language_tags
        from ..agent.settings import read_settings

        return language_tags(read_settings().language if self.language is None else self.language)

    def reading(self) -> "Reading":
        """What walks pass through and honour. Raises InputError."""
        from ..agent.kg import reading_of
        from ..agent.settings import read_settings

        settings = read_settings()
        return reading_of(
            settings.mediators if self.mediators is None else self.mediators,
            settings.infer if self.infer is None else self.infer,
        )


@dataclass(frozen=True)
class Answering:
    """Over what and with what questions are answered, by `ask`, `chat` and `mcp`."""

    source: Source = field(default_factory=Source)
    method: str = option(
        "How the question is answered; unset: query, where the model knows it.", default=""
    )
    model: Model = ""
    reader: Reader = ""
    llm: LLM = ""
    beams: Beams = None
    hops: Hops = None
    paper: bool = option("The settings of the method's paper, where you set none.", default=False)
    pairs: list[str] | None = option(
        "Another option of the method; may be repeated.", "NAME=VALUE", flag="--set"
    )
    on_ambiguous: str = option(
        "When a name may mean several entities.", "ask|best|error", default="ask"
    )
    no_partial: bool = option(
        "Give no answer that leaves words of the question out.", default=False
    )
    thread: str | None = option("Keep the conversation under this name, and go on with it.", "ID")
    device: Device = ""
    dtype: Dtype = ""
    prompts: Prompts = None


Given = TypeVar("Given", bound="DataclassInstance")


def with_settings(options: Given) -> Given:
    """The options of a command with the settings for what they leave open of the models."""
    from ..agent.settings import read_settings

    settings, names = read_settings(), ("model", "reader", "llm", "device", "dtype")
    return replace(options, **{n: getattr(options, n) or getattr(settings, n) for n in names})


class Without:
    """In an annotation, `Annotated[Source, Without("graph")]`: fields that are no options."""

    def __init__(self, *names: str) -> None:
        self.names = names


def takes_options(run: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters may be dataclasses of options.

    Their fields stand in the place of such a parameter, as do the fields of a field that is a
    dataclass. Those left out by `Without` are as by default.
    """
    hints = get_type_hints(run, include_extras=True)
    options = list[Parameter]()
    for parameter in signature(run).parameters.values():
        options += _options(parameter.name, hints[parameter.name], parameter.default)

    spread = Signature(options)

    @wraps(run)
    def command(**values: Any) -> None:
        bound = spread.bind(**values)
        bound.apply_defaults()
        run(**{name: _value(name, hint, bound.arguments) for name, hint in hints.items()})

    hints.pop("return")
    command.__annotations__ = {option.name: option.annotation for option in options}
    cast(Any, command).__signature__ = spread
    return command


def _options(name: str, hint: Any, default: Any) -> Iterator[Parameter]:
    group, left_out = _group(hint)
    if group is None:
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        return
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        if each.name not in left_out:
            hint, default = hints[each.name], each.default
            if "option" in each.metadata:
                flag = each.metadata["flag"] or f"--{each.name.replace('_', '-')}"
                hint = Annotated[hint, each.metadata["option"](flag)]
            yield from _options(each.name, hint, Parameter.empty if default is MISSING else default)


def _value(name: str, hint: Any, values: Mapping[str, Any]) -> Any:
    group, left_out = _group(hint)
    if group is None:
        return values[name]
    hints = get_type_hints(group, include_extras=True)
    names = [each.name for each in fields(group) if each.name not in left_out]
    return group(**{name: _value(name, hints[name], values) for name in names})


def _group(hint: Any) -> tuple[Any, tuple[str, ...]]:
    """The dataclass of options that an annotation names, if it does, and its fields left out."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    left_out = [name for note in notes if isinstance(note, Without) for name in note.names]
    return (kind, tuple(left_out)) if is_dataclass(kind) else (None, ())


def chosen_method(method: str, model: str) -> str:
    """The method that `--method` names, else the settings, else that of the model.

    Raises InputError for no method, and ModelError for no model.
    """
    from ..graphs.methods import check_method

    chosen = named_method(method) or method_of(model)
    check_method(chosen)
    return chosen


def named_method(method: str) -> str:
    """The method that `--method` or else the settings name; empty where neither does."""
    from ..agent.settings import read_settings

    settings = read_settings()
    return method or (settings.method if "method" in settings.model_fields_set else "")


def method_of(model: str) -> str:
    """The method of a model, that of the settings if it is empty. Raises ModelError for none."""
    from ..agent.llm.model_folder import model_settings
    from ..agent.settings import read_settings
    from ..graphs.methods import default_method

    return default_method(model_settings(model or read_settings().model))


def one_of(option: str, value: str, *choices: str) -> None:
    """Raise InputError for a value that an option cannot have."""
    from ..agent.errors import InputError

    if value not in choices:
        raise InputError(f"{option} {value}: is none of {', '.join(choices)}")


def check_prompts(folder: Path | None) -> None:
    """Raise InputError where `--prompts` names no folder."""
    from ..agent.errors import InputError

    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder of prompts", "check --prompts")
