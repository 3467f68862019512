"""`groundwalk ask --explain`: the evidence for an answer, for a file or another program."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import typer

from ..agent.errors import InputError
from ..agent.evidence import FORMS, Form, Origin, Reply, explain
from ..agent.kg.names import one_line
from . import options as o

if TYPE_CHECKING:
    from ..agent.kg import KnowledgeGraph
    from ..agent.state import State

_WITHOUT_NOTES = ("mermaid", "sparql")


def form_of(wanted: str | None, *, as_json: bool) -> Form | None:
    """The form that `--explain` names. Raises InputError for another, or beside `--json`."""
    if wanted is None:
        return None
    o.one_of("--explain", wanted, *FORMS)
    if as_json:
        raise InputError("--explain and --json ask for two outputs", "give one of them")
    return cast(Form, wanted)


def origin_of(kg: "KnowledgeGraph", model: str | None) -> Origin:
    """What a question that is asked now is asked of, and with what."""
    from importlib.metadata import version

    from ..agent.settings import read_settings

    graphs = tuple(f"<{iri}>" for iri in kg.graphs)
    if not graphs and not kg.pinned:
        from ..agent.kg.sparql import endpoint_settings

        graphs = endpoint_settings().graphs
    return Origin(
        source=kg.source,
        digest=kg.digest if kg.pinned else "",
        graphs=graphs,
        model=model or read_settings().model,
        version=version("groundwalk"),
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def reply_of(state: "State") -> Reply:
    """What evidence is made of a final state; what was not understood goes before its notes."""
    from ..graphs.tool import result_of
    from ..graphs.unread import other_notes, unread_line

    notes = [*filter(None, [unread_line(state)]), *other_notes(state)]
    return cast(Reply, {**result_of(state), "notes": notes})


def print_evidence(form: Form, state: "State", origin: Origin) -> None:
    """Print the evidence for an answer, in UTF-8 wherever it goes, as its forms promise.

    What was not understood goes to standard error where the form has no notes.
    """
    from ..graphs.unread import unread_line

    if form in _WITHOUT_NOTES and (line := unread_line(state)):
        typer.echo(one_line(line), err=True)
    typer.echo(explain(form, reply_of(state), origin).encode(), nl=False)
