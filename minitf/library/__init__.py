"""Breadth: what TensorFlow has beside its core, each trade in a room of its own.

A room imports from `core` and from other rooms of the library, never in a circle; nothing in `core`
imports from here.
"""
