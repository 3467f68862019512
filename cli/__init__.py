"""The groundwalk command."""
