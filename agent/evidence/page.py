"""The evidence as one HTML page: no script, nothing from anywhere else, every text escaped."""

from base64 import b64encode
from functools import cache
from hashlib import sha256

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .drawing import MARGIN, draw
from .reply import (
    Origin,
    Reply,
    begun_at,
    cropped,
    notes,
    printable,
    summary,
    triples,
    understood,
)
from .sparql import about, check_query, main_query
from .text import MARKS

_TERM, _NAME = 400, 300
"""Characters of a term and of a name in tables."""


def page(reply: Reply, origin: Origin) -> str:
    """The question, its answers, the drawn walk, the triples, the queries, and what it took.

    The page's policy lets nothing be loaded, sent or run, and allows only its own style, by digest:
    so hostile texts in it can do nothing.
    """
    drawn_triples = triples(reply)
    environment = pages_of("groundwalk.agent.evidence")
    style = source_of(environment, "evidence.css")
    return environment.get_template("page.html.jinja").render(
        question=_text(reply["question"]),
        understood=[_text(line) for line in understood(reply)],
        status=reply["status"],
        said=_text(summary(reply)),
        computed=bool(reply.get("result")),
        answers=[_text(answer["label"]) for answer in reply["answers"]],
        drawing=draw(reply),
        margin=MARGIN,
        triples=[
            {
                "verdict": step["verdict"],
                "mark": MARKS[step["verdict"]],
                "parts": [
                    {"name": _text(named["label"]), "term": _text(named["term"], _TERM)}
                    for named in (step["head"], step["relation"], step["tail"])
                ],
            }
            for step in drawn_triples.values()
        ],
        notes=[_text(note) for note in notes(reply)],
        unsupported=[_text(name) for name in reply["unsupported"]],
        about=about(reply, origin) if drawn_triples else [],
        queries=[
            ("The answers again", main_query(reply, origin.graphs)),
            ("Which triples are held", check_query(reply, origin.graphs)),
        ]
        if drawn_triples
        else [],
        facts=_facts(reply, origin),
        costs=[(name.replace("_", " "), f"{n:,}") for name, n in _costs(reply) if n],
        style=Markup(style),
        style_digest=digest(style),
    )


def _facts(reply: Reply, origin: Origin) -> list[tuple[str, str]]:
    facts = {
        "Graph": origin.source,
        "Content": origin.digest and f"sha256:{origin.digest}",
        "Named graphs": ", ".join(origin.graphs),
        "Topics": ", ".join(topic["label"] for topic in begun_at(reply)),
        "Method": reply["method"],
        "Model": origin.model,
        "Version": origin.version and f"groundwalk {origin.version}",
        "Asked": origin.begun,
    }
    return [(name, _text(fact)) for name, fact in facts.items() if fact]


def _costs(reply: Reply) -> list[tuple[str, float]]:
    usage = reply["usage"]
    return [
        ("forward passes", usage["forward_passes"]),
        ("tokens", usage["tokens"]),
        ("tokens of prompts to the LLM", usage["prompt_tokens"]),
        ("calls of the LLM", usage["llm_calls"]),
        ("requests to the graph", usage["kg_requests"]),
        ("seconds", round(usage["seconds"], 2)),
    ]


def _text(text: str, most: int = _NAME) -> str:
    return cropped(printable(text), most)


@cache
def pages_of(package: str) -> Environment:
    """The page templates of a package, which escape what is put into them."""
    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def source_of(environment: Environment, name: str) -> str:
    """A file beside the templates, as it is."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def digest(text: str) -> str:
    """The digest by which a page's policy allows a style or a script."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
