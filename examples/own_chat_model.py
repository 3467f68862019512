"""Your own chat model reasons over the paths; what it says beyond them is told apart."""

from typing import Any

from groundwalk import GraphInput, build_graph
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Mine(BaseChatModel):
    """Any `BaseChatModel` will do. This one takes the first path and adds an idea of its own."""

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        paths = messages[-1].text.split("# Reasoning paths:")[-1].strip().splitlines()
        first = paths[0].split("(suggests: ")[-1].removesuffix(")")
        reply = AIMessage(f"{first}\nAtlantis")
        return ChatResult(generations=[ChatGeneration(message=reply)])

    @property
    def _llm_type(self) -> str:
        return "mine"


graph = build_graph(llm=Mine())
question: GraphInput = {"question": "What is the capital of Kenya?"}
state = graph.invoke(question)

print("in the graph:", [answer["label"] for answer in state["answers"]])
print("said by the model only:", state["unsupported"])
