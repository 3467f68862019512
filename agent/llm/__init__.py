"""Language models: local causal ones that decode along the graph, general ones that reason."""
