"""Breadth: what TensorFlow has beside its core, one package for each subject.

A package imports from `core` and from other packages of the library, never in a circle; nothing in
`core` imports from here.
"""
