"""The query language: what can be asked of a graph, how it is executed, read and written.

- The tree: `tree`, and its normal form in `normal`.
- Names in a graph: `binding`, the names near a question in `vocabulary`, what its schema lets come
  next in `schema` and `schema_tables`.
- Legal actions: `actions`, the `choices` of the `grammar`, the `automaton`, and its token
  `constraint` for causal language models.
- Execution on arrays: `facts`, `values` and their `comparison`; the `members` of `sets`, with their
  `conditions` and `aggregates`; `execute`. Over HTTP: `endpoint`.
- In words: `words`. In SPARQL: `sparql`, made of `sparql_patterns`.
- The question: its values, its mentions and what came before (`question`), the `prompt`, the
  `reader`, and the `account` of its words.
"""
