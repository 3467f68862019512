"""What follows the last step of a training, on questions that it did not learn from.

`fit.py` does all of it. `exams.py` has the agent answer, `thresholds.py` computes from the answers
how sure an answer has to be, `words.py` fits what words alone tell, `account.py` trains the account
of words, and `alignment.py` finds for it which action each word made.
"""
