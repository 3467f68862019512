"""The options that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..agent.kg import OnBroken as OnBrokenStatement

KG = Annotated[
    str | None,
    typer.Option(
        "--kg",
        metavar="SRC",
        help="RDF file or folder, head|relation|tail or TSV file, SPARQL endpoint, `world`.",
    ),
]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        metavar="NAME|FILE",
        help="How the graph is read: generic, wikidata, dbpedia, freebase or a TOML file.",
    ),
]
Graphs = Annotated[
    list[str] | None,
    typer.Option("--graph", metavar="IRI", help="Only this named graph; may be repeated."),
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="TAG,...",
        help="Languages of names and questions, the most wanted first: de,en.",
    ),
]
Mediators = Annotated[
    str | None,
    typer.Option(
        "--mediators",
        metavar="keep|collapse",
        help="Stop at statement (CVT) nodes or pass through; unset: what the profile prefers.",
    ),
]
Infer = Annotated[
    str | None,
    typer.Option(
        "--infer",
        metavar="LIST",
        help="What walks honour, with commas: same-as, inverse-of, sub-property-of.",
    ),
]
OnBroken = Annotated[
    str,
    typer.Option(
        "--on-broken",
        metavar="fail|skip",
        help="Whether a broken statement refuses a file, or is left out and told.",
    ),
]
Model = Annotated[
    str | None, typer.Option("--model", metavar="DIR|HUB_ID", help="The model that decodes.")
]
Reader = Annotated[
    str | None,
    typer.Option(
        "--reader",
        metavar="DIR|HUB_ID",
        help="What reads questions in the model's place, over any graph; for --method query.",
    ),
]
LLM = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="SPEC",
        help="The LLM that reasons: openai:NAME, http://host/v1#NAME, hf:DIR or none.",
    ),
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method", help="How the question is answered; unset: query, where the model knows it."
    ),
]
Beams = Annotated[
    int | None,
    typer.Option("--beams", min=1, max=32, help="Walks to decode."),
]
Hops = Annotated[
    int | None,
    typer.Option(
        "--hops", min=1, max=8, help="Longest path; unset: what the model was trained on."
    ),
]
Paper = Annotated[
    bool, typer.Option("--paper", help="The settings of the method's paper, where you set none.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Another option of the method; may be repeated."
    ),
]
OnAmbiguous = Annotated[
    str,
    typer.Option(
        "--on-ambiguous", metavar="ask|best|error", help="When a name may mean several entities."
    ),
]
NoPartial = Annotated[
    bool,
    typer.Option(
        "--no-partial",
        help="Give no answer that leaves words of the question out.",
    ),
]
Device = Annotated[str | None, typer.Option("--device", help="cpu, cuda, mps ...")]
Dtype = Annotated[str | None, typer.Option("--dtype", help="float32, bfloat16, 8bit, 4bit ...")]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", help="A folder of prompt templates of your own.")
]
Thread = Annotated[
    str | None,
    typer.Option(
        "--thread",
        metavar="ID",
        help="Keep the conversation under this name, and go on with it.",
    ),
]
Explain = Annotated[
    str | None,
    typer.Option(
        "--explain",
        metavar="FORM",
        help="Print the evidence instead: tree, mermaid, sparql, turtle or html.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the answer and nothing else.")]


def chosen_method(given: str | None, model: str | None) -> str:
    """The method that `--method` names, else the settings, else that of the model.

    Raises InputError for no method, and ModelError for no model.
    """
    from ..graphs.methods import check_method

    method = named_method(given) or method_of(model)
    check_method(method)
    return method


def named_method(given: str | None) -> str | None:
    """The method that `--method` or else the settings name, if they do."""
    from ..agent.settings import read_settings

    settings = read_settings()
    return given or (settings.method if "method" in settings.model_fields_set else None)


def method_of(model: str | None) -> str:
    """The method of a model, that of the settings if None. Raises ModelError for no model."""
    from ..agent.llm.local import model_settings
    from ..agent.settings import read_settings
    from ..graphs.methods import default_method

    return default_method(model_settings(model or read_settings().model))


def on_broken_of(value: str) -> "OnBrokenStatement":
    """What `--on-broken` says. Raises InputError for what it cannot."""
    one_of("--on-broken", value, "fail", "skip")
    return "skip" if value == "skip" else "fail"


def one_of(option: str, value: str, *choices: str) -> None:
    """Raise InputError for a value that an option cannot have."""
    from ..agent.errors import InputError

    if value not in choices:
        raise InputError(f"{option} {value}: is none of {', '.join(choices)}")
