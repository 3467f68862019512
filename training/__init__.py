"""How a knowledge graph becomes a trained model, stage by stage; `train.py` runs all of them.

1. `recipe.py` says what is made: which data, which way, how long. `material.py` gathers it.
2. `wording/` says how people word relations, classes and whole questions, in templates that come
   from `wordings/`, a folder a language, or from a phrasebook of the graph.
3. `questions/` makes questions of walks from the graph alone, and questions without an answer.
4. `asked/` reads the user's questions, finds the relation paths to their answers, and has them
   worded anew.
5. `queries/` makes questions with queries, of any graph and of the user's questions, in which each
   word says what it is for.
6. `encoder.py` writes both as token ids with loss weights, in batches.
7. `trainer/` trains a new model or fine-tunes one that exists, from checkpoint to checkpoint.
8. `fitting/` follows the last step: the account of words, what words alone tell, and how sure an
   answer has to be.
9. `card.py` writes the scores and the folder of the model.

`reader/` trains the general reader, on questions over many schemas, and tunes it to one graph.
"""
