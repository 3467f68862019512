"""One file per node of the state machine."""
