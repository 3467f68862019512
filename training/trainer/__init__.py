"""The two ways to train: a new model (`scratch.py`), and one that exists (`finetune.py`).

`job.py` has what both are given and give back, `plain_loop.py` the loop of a new model,
`checkpoint.py` what makes a stopped run go on, and `watched.py` how a run is watched.
"""
