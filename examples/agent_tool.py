"""groundwalk as a tool of a LangChain agent: the model reads words, your code gets the proof."""

from typing import Any

from groundwalk import ask_tool, build_graph
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult


class Scripted(BaseChatModel):
    """Stands in for any chat model that calls tools, so that this runs without a key."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """A real model is told of the tools here."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if isinstance(last := messages[-1], ToolMessage):
            reply = AIMessage(f"According to the graph: {last.text.splitlines()[0]}.")
        else:
            call = tool_call(name="ask_knowledge_graph", args={"question": last.text}, id="1")
            reply = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])

    @property
    def _llm_type(self) -> str:
        return "scripted"


agent: Any = create_agent(Scripted(), tools=[ask_tool(build_graph())])
state = agent.invoke({"messages": [("user", "Which countries border the Czech Republic?")]})

for message in state["messages"]:
    print(f"{message.type}: {message.text}")
    if isinstance(message, ToolMessage):
        answers = message.artifact["answers"]
        print(f"artifact: {message.artifact['status']}, {len(answers)} answers with their chains")
