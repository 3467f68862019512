"""Many questions at once, with options for all of them."""

from groundwalk import GraphInput, Options, build_graph

QUESTIONS = [
    "What is the capital of Kenya?",
    "Which languages are official in Belgium?",
    "Who painted the Mona Lisa?",
]

graph = build_graph("plan")
turns: list[GraphInput] = [{"question": question} for question in QUESTIONS]
options = Options(hops=1, max_answers=5)
states = graph.batch(turns, {"max_concurrency": 2}, context=options)

for question, state in zip(QUESTIONS, states, strict=True):
    print(question, state["status"], [answer["label"] for answer in state["answers"]])
