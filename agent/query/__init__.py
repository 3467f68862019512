"""The query language: what can be asked of a graph, how it is executed, read and written.

- The tree: `tree`, its normal form in `normal`, the walks in it in `plain_parts`.
- Names in a graph: `binding`, the names near a question in `vocabulary`, what its schema lets come
  next in `schema` and `schema_tables`.
- Legal actions: `actions`, the `choices` and `operations` of the `grammar`, the `automaton`, and
  its token `constraint` for causal language models.
- Execution on arrays: `facts`, `values`, `measures`; the `sets` of a query with their `conditions`
  and `ranking`; `execute` and its `outcome`. Over HTTP: `endpoint`.
- In words: `words`. In SPARQL: `sparql`, made of `sparql_patterns`.
- The question: its values (`question_values`), its mentions and what came before (`asked`), the
  `prompt`, the `reader`, and the `account` of its words.
"""
