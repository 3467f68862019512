"""groundwalk as a Runnable in an LCEL chain: a country goes in, a sentence comes out."""

from groundwalk import State, build_graph
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import PromptTemplate


def asked(prompt: PromptValue) -> State:
    """What the graph takes: a question."""
    return {"question": prompt.to_string()}


def said(state: State) -> str:
    """What it gives: answers, each with the chains of triples that prove it."""
    names = [answer["label"] for answer in state.get("answers", [])]
    return ", ".join(names) or state.get("messages", [])[-1].text


chain = PromptTemplate.from_template("Which countries border {country}?") | asked | build_graph()
borders = chain | said

print(borders.invoke({"country": "Portugal"}))
print(borders.batch([{"country": "Austria"}, {"country": "Iceland"}]))
