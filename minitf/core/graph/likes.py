"""Names for what public functions take, as editors and `help` show them.

They say more than `Any`, and promise a type checker no more than it: what a number, a list of
arrays and a tensor have in common is only that `convert_to_tensor` makes a tensor of each.
"""

from typing import Any, TypeAlias

#: A tensor, a variable, or what becomes a constant: a number, a string, an array, a list of these.
TensorLike: TypeAlias = Any
#: A `DType`, its name ("float32"), or a type of NumPy's or Python's.
DTypeLike: TypeAlias = Any
#: Sizes: a list of integers (and None where one is not known), a `TensorShape`, a vector.
ShapeLike: TypeAlias = Any
