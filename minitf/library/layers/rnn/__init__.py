"""Recurrent networks: cells, what wraps them, and the loops that run them over time."""
