"""The state machine: the shared skeleton and one file per method."""
