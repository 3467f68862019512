"""What proves an answer, in forms to take away: text out of a question's public reply.

`tree` for reading, `mermaid` for documents, `sparql` to ask the graph again, `turtle` for other
programs, `html` to look at and to send. No form needs the graph, a model or the network.
"""

from typing import Literal, TypeAlias, get_args

from .reply import Origin, Reply

__all__ = ["FORMS", "Form", "Origin", "Reply", "explain"]

Form: TypeAlias = Literal["tree", "mermaid", "sparql", "turtle", "html"]

FORMS: tuple[Form, ...] = get_args(Form)


def explain(form: Form, reply: Reply, origin: Origin | None = None) -> str:
    """The evidence for a reply; where there is no answer, a valid text that says so."""
    made_with = origin or Origin()
    match form:
        case "tree":
            from .text import tree

            return tree(reply)
        case "mermaid":
            from .text import mermaid

            return mermaid(reply)
        case "sparql":
            from .sparql import sparql

            return sparql(reply, made_with)
        case "turtle":
            from .turtle import turtle

            return turtle(reply, made_with)
        case "html":
            from .page import page

            return page(reply, made_with)
