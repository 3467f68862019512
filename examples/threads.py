"""A checkpointer: the graph stops to ask which entity is meant, and goes on with the reply."""

from typing import Any

from groundwalk import build_graph
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

graph = build_graph(checkpointer=InMemorySaver())  # or a saver that writes to a database
thread: Any = {"configurable": {"thread_id": "1"}}

state: Any = graph.invoke({"question": "What is the capital of Korea?"}, thread)
asked = state["__interrupt__"][0].value
print(asked["ask"], [option["label"] for option in asked["options"]])

(south,) = [option for option in asked["options"] if option["label"] == "South Korea"]
state = graph.invoke(Command(resume=south["term"]), thread)
print([answer["label"] for answer in state["answers"]])
