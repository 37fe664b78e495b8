"""Lookup tables: the operations, what a table holds, and the classes for them."""
