"""The graph: read, laid out, drawn, and stepped through."""
