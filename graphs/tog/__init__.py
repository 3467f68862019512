"""tog: Think-on-Graph (Sun et al., ICLR 2024).

A beam search of walks (section 2.2): at each depth an LLM picks relations out of the entities
reached, scores the entities that they lead to, and says whether the triples gathered suffice
(section 2.3). The KG is asked for what exists; nothing is decoded under a constraint. Where the
paper leaves it open:

- The relation that a walk came by is not taken back; taken again onwards it may be.
- Of 20 or more entities behind a relation a sample is scored, drawn by `seed`.
- Of walks that end in the same entity only the best goes on.
- Whether the triples suffice and what they answer are two questions.
- Answers are matched with the entities of the gathered triples; all others, and what the LLM
  answers by itself where the triples answer nothing, are listed apart as unsupported.
- Relations and entities that a reply names although they were not offered go to the verifier.

Without a chat LLM the likelihoods of the local model decide (`likely.py`): not the paper's method,
and labelled so.
"""

from .flow import TOG

__all__ = ["TOG"]
