"""What the nodes of the state machine are made of: KG, linking, decoding, models, nodes."""
