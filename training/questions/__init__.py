"""Questions made from a graph alone, each with the walk that answers it, or with none.

`graph.py` is the graph in numbers, `shapes.py` says which relation paths are asked how often,
`compose.py` and `in_common.py` word them, `unanswerable.py` words what has no answer, and
`questioner.py` is the stream of them.
"""
