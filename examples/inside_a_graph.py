"""groundwalk as a node of another LangGraph: they share the keys `question` and `answers`."""

from groundwalk import Answer, build_graph
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class Trip(TypedDict, total=False):
    """The state of the outer graph."""

    city: str
    question: str
    answers: list[Answer]
    packing: str


def wonder(state: Trip) -> Trip:
    """Writes the question that the inner graph answers."""
    return {"question": f"Which currency do they use in the country of {state.get('city')}?"}


def pack(state: Trip) -> Trip:
    """Reads the answers; an empty list says that the graph does not know."""
    names = [answer["label"] for answer in state.get("answers", [])]
    return {"packing": f"Take some {' and '.join(names) or 'gold'}."}


builder = StateGraph(Trip)
builder.add_node("wonder", wonder)
builder.add_node("ask", build_graph())
builder.add_node("pack", pack)
builder.add_edge(START, "wonder")
builder.add_edge("wonder", "ask")
builder.add_edge("ask", "pack")
builder.add_edge("pack", END)

trip = builder.compile().invoke({"city": "Bern"})
print(trip["packing"])
