"""The general reader: trained on questions over many schemas, tuned to one graph.

`recipe.py` makes the bundled reader, in the stages of `stages.py`. Its lessons (`lessons.py`) are
real questions (`sources.py`, `examples.py`), longer ones (`composed.py`), and questions over made
graphs (`made_graphs.py`).
`lexicons.py` says what words mean, `pools.py` and `batches.py` put labels beside each query, by
other names (`naming.py`) and with such as are easily mistaken for them (`siblings.py`);
`learning.py` trains the network, and `thresholds.py` fits how sure it has to be. `tune.py` and
`tuning.py` tune a reader to a graph; `card.py` writes what was done.
"""
