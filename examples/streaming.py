"""Events while a question is answered, for an interface that shows what happens."""

from typing import Any

from groundwalk import State, build_graph

graph = build_graph("gcr")
question: State = {"question": "What is the capital of the country around Lesotho?"}

for mode, chunk in graph.stream(question, stream_mode=["custom", "values"]):
    event: Any = chunk
    if mode == "values":
        continue  # the whole state after each node; the last one is the result
    match event["event"]:
        case "linked":
            print("linked", [topic["label"] for topic in event["topics"]])
        case "decoded":
            print("decoded", event["paths"], "paths along the graph")
        case "verified":
            print("verified", event["candidates"][0]["text"])
        case "responded":
            print("responded", event["status"], event["text"])
        case _:
            pass
