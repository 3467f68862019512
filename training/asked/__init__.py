"""Questions of the user: read from files, tied to the graph, worded anew, drawn as samples.

`question_files.py` reads them, `lessons.py` finds the relation paths from their topics to their
answers, `supervision.py` settles which of equally good ones is meant, `lesson_stream.py` draws
training samples, and `paraphrase.py` has generated questions reworded by a chat model.
"""
