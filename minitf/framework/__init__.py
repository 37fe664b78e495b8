"""What a graph is: types, shapes, operations, tensors, names.

The ground floor of the house: it imports NumPy and nothing else of minitf.
"""
