"""Questions with queries as training data: made of any graph, and of the user's questions.

`questions.py` is the stream of them. It draws from `skeletons.py`, from `operator_questions.py`
over the sets in words of `operators.py`, and from `lessons.py`, for whose answers `search.py` finds
queries. `variation.py` varies them, and `typed.py` writes them as somebody would type them.
"""
