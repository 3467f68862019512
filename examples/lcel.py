"""groundwalk as a Runnable in an LCEL chain: a country goes in, a sentence comes out."""

from groundwalk import State, build_graph
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import PromptTemplate


def to_question(prompt: PromptValue) -> State:
    """What goes into the graph: a question."""
    return {"question": prompt.to_string()}


def to_sentence(state: State) -> str:
    """What comes out: the answers, or why there are none."""
    names = [answer["label"] for answer in state.get("answers", [])]
    return ", ".join(names) or state.get("messages", [])[-1].text


prompt = PromptTemplate.from_template("Which countries border {country}?")
borders = prompt | to_question | build_graph() | to_sentence

print(borders.invoke({"country": "Portugal"}))
print(borders.batch([{"country": "Austria"}, {"country": "Iceland"}]))
