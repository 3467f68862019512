"""The two ways to train, from nothing and from another model, with checkpoints."""
