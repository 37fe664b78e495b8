"""Element types of tensors.

A `DType` wraps a NumPy dtype and adds what a graph needs: a name, a *reference* twin for the
outputs of variables (`float32_ref`), and the enum names (`DT_FLOAT`) that serialized graphs use.

    >>> tf.float32
    tf.float32
    >>> tf.as_dtype("int64").as_numpy_dtype
    <class 'numpy.int64'>
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np


class DType:
    """The type of the elements of a tensor. There is one object of each, equal to its names.

    Attributes:
      numpy_dtype: the type as NumPy has it.
      is_floating, is_complex, is_integer, is_unsigned, is_bool: what the elements are. A Boolean is
        no integer, and a complex number is not floating.
      is_quantized: whether the numbers are steps between two floats that are given beside them.
    """

    __slots__ = (
        *("_enum", "_hash", "_is_ref", "_kind", "_name", "_np", "_twin", "numpy_dtype"),
        *("is_bool", "is_complex", "is_floating", "is_integer", "is_quantized", "is_unsigned"),
    )

    def __init__(self, name: str, np_type: Any, enum: str, is_ref: builtins.bool = False) -> None:
        self._name = name
        self._enum = enum
        self._is_ref = is_ref
        self._hash = hash((name, is_ref))
        self._twin: DType = self
        self._kind = "f"
        if np_type is not None:  # of bfloat16 only `__getattr__` knows
            self._np = np_type
            self.numpy_dtype = np.dtype(np_type)
            self._kind = "q" if self.numpy_dtype.names else self.numpy_dtype.kind
        self.is_floating, self.is_complex = self._kind == "f", self._kind == "c"
        self.is_integer, self.is_unsigned = self._kind in "iu", self._kind == "u"
        self.is_bool, self.is_quantized = self._kind == "b", self._kind == "q"

    def __getattr__(self, name: str) -> Any:
        if name not in ("_np", "numpy_dtype"):
            raise AttributeError(f"'DType' object has no attribute {name!r}")
        for each in (bfloat16, bfloat16._twin):
            each._np = bfloat16_type()
            each.numpy_dtype = np.dtype(each._np)
        BY_NUMPY[bfloat16.numpy_dtype] = _BY_KEY[bfloat16._np] = bfloat16
        return getattr(self, name)

    @property
    def name(self) -> str:
        """The name, as 'float32' or 'float32_ref'."""
        return self._name + "_ref" if self._is_ref else self._name

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type, as `np.float32`."""
        return self._np

    @property
    def as_datatype_enum(self) -> builtins.int:
        """The number of the type in TensorFlow's messages."""
        return ENUM_NUMBERS[self.base_dtype] + 100 * self._is_ref

    @property
    def enum_name(self) -> str:
        """The name that serialized graphs use, as 'DT_FLOAT'."""
        return self._enum + "_REF" if self._is_ref else self._enum

    @property
    def base_dtype(self) -> DType:
        """This type without the reference."""
        return self._twin if self._is_ref else self

    @property
    def _is_ref_dtype(self) -> builtins.bool:
        return self._is_ref

    @property
    def _as_ref(self) -> DType:
        return self if self._is_ref else self._twin

    @property
    def real_dtype(self) -> DType:
        """The type of the real part of a complex type; this type otherwise."""
        return {"complex64": float32, "complex128": float64}.get(self._name, self.base_dtype)

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy has arrays of this type; always True."""
        return True

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.numpy_dtype.itemsize

    @property
    def min(self) -> Any:
        """The smallest finite value."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest finite value."""
        return self._limit("max")

    @property
    def limits(self) -> tuple:
        """The range `(0, max)` of images of this type; `(0, 1)` for floats.

        Raises:
          ValueError: for types that images do not have.
        """
        if self._name in ("float32", "float64", "bool"):
            return (0, True if self.is_bool else 1)
        if self._kind not in "iu":
            raise ValueError(f"{self} does not have defined limits.")
        return (0, self.max)

    def _limit(self, which: str) -> Any:
        if self._name == "bfloat16":
            return self._np(float.fromhex("0x1.FEp127") * (-1 if which == "min" else 1))
        if self._kind == "f":
            return getattr(np.finfo(self._np), which)
        if self._kind in "iu":
            return getattr(np.iinfo(self._np), which)
        kind = f" with quantized type {self}" if self.is_quantized else ""
        raise TypeError(f"Cannot find {which}imum value of {self}{kind}.")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether a tensor of type `other` can be used for one of this type."""
        other = as_dtype(other)
        return self._name == other._name

    def __eq__(self, other: Any) -> builtins.bool:
        if other is self:
            return True
        if other is None or type(other) is DType:  # there is one object of each type
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return "tf." + self.name

    def __reduce__(self) -> tuple:
        return as_dtype, (self.name,)


_BY_NAME: dict[str, DType] = {}
_BY_ENUM: dict[str, DType] = {}


def _define(name: str, np_type: Any, enum: str) -> DType:
    dtype, ref = DType(name, np_type, enum), DType(name, np_type, enum, is_ref=True)
    dtype._twin, ref._twin = ref, dtype
    for each in (dtype, ref):
        _BY_NAME[each.name] = each
        _BY_ENUM[each.enum_name] = each
    return dtype


float16 = half = _define("float16", np.float16, "DT_HALF")
bfloat16 = _define("bfloat16", None, "DT_BFLOAT16")
float32 = _define("float32", np.float32, "DT_FLOAT")
float64 = double = _define("float64", np.float64, "DT_DOUBLE")
int8 = _define("int8", np.int8, "DT_INT8")
int16 = _define("int16", np.int16, "DT_INT16")
int32 = _define("int32", np.int32, "DT_INT32")
int64 = _define("int64", np.int64, "DT_INT64")
uint8 = _define("uint8", np.uint8, "DT_UINT8")
uint16 = _define("uint16", np.uint16, "DT_UINT16")
uint32 = _define("uint32", np.uint32, "DT_UINT32")
uint64 = _define("uint64", np.uint64, "DT_UINT64")
complex64 = _define("complex64", np.complex64, "DT_COMPLEX64")
complex128 = _define("complex128", np.complex128, "DT_COMPLEX128")
bool = _define("bool", np.bool_, "DT_BOOL")
qint8 = _define("qint8", np.dtype([("qint8", np.int8)]), "DT_QINT8")
quint8 = _define("quint8", np.dtype([("quint8", np.uint8)]), "DT_QUINT8")
qint16 = _define("qint16", np.dtype([("qint16", np.int16)]), "DT_QINT16")
quint16 = _define("quint16", np.dtype([("quint16", np.uint16)]), "DT_QUINT16")
qint32 = _define("qint32", np.dtype([("qint32", np.int32)]), "DT_QINT32")
string = _define("string", np.object_, "DT_STRING")
resource = _define("resource", np.object_, "DT_RESOURCE")  # a handle: of a queue, a reader, a table
variant = _define("variant", np.object_, "DT_VARIANT")  # a list of tensors: of a loop's turns

globals().update({name: each for name, each in _BY_NAME.items() if name.endswith("_ref")})

FLOATS = (bfloat16, float16, float32, float64)
COMPLEX = (complex64, complex128)
SIGNED_INTS = (int8, int16, int32, int64)
INTS = (*SIGNED_INTS, uint8, uint16, uint32, uint64)
REALS = (*FLOATS, *INTS)
NUMBERS = (*REALS, *COMPLEX)
INDICES = (int32, int64)
ALL = (*NUMBERS, bool, string)
QUANTIZED = (qint8, quint8, qint16, quint16, qint32)

#: the types by what NumPy calls them; bfloat16 comes at its first use
BY_NUMPY = {t.numpy_dtype: t for t in (*ALL, *QUANTIZED) if t is not bfloat16}
_BY_KEY: dict[Any, DType] = {
    **_BY_NAME,
    **_BY_ENUM,
    **{t.as_numpy_dtype: t for t in BY_NUMPY.values()},
    "float": float32,
    "half": float16,
    "double": float64,
    float: float32,
    int: int32,
    _BY_NAME["bool"].numpy_dtype.type: bool,
    builtins.bool: bool,
    str: string,
    bytes: string,
    object: string,
}


#: the types in the order of the numbers that TensorFlow's messages have for them, from 1 on
_NUMBERED = """
    float32 float64 int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16
    qint16 quint16 uint16 complex128 float16 resource variant uint32 uint64
""".split()
#: the number that stands for a type in TensorFlow's serialized messages
ENUM_NUMBERS = {_BY_NAME[name]: number for number, name in enumerate(_NUMBERED, 1)}
for _dtype, _number in ENUM_NUMBERS.items():
    _BY_KEY[_number], _BY_KEY[_number + 100] = _dtype, _dtype._as_ref
#: the name of each number there, those of references too
ENUM_NAMES = {each.as_datatype_enum: name for name, each in _BY_ENUM.items()}


def from_datatype_enum(name: str) -> DType:
    """The type of a name in serialized graphs, as "DT_FLOAT".

    Raises:
      ValueError: when there is none of that name.
    """
    try:
        return _BY_ENUM[name]
    except KeyError:
        raise ValueError(f"AttrValue has invalid DataType enum: {name}") from None


def c_name(dtype: DType) -> str:
    """The name of a type in the error messages of kernels: "float", "float_ref"."""
    return dtype.enum_name.removeprefix("DT_").lower()


def as_dtype(type_value: Any) -> DType:
    """Converts a `DType`, a name, a number, a NumPy dtype or a Python type to a `DType`.

    Raises:
      TypeError: when there is no such type.
    """
    if type(type_value) is DType:
        return type_value
    try:
        found = _BY_KEY.get(type_value)
    except TypeError:
        found = None
    if found is not None:
        return found
    try:
        as_numpy = None if type_value is None else np.dtype(type_value)  # of None: float64
    except TypeError:
        as_numpy = None
    if as_numpy is not None:
        if as_numpy.kind in "US":
            return string
        if as_numpy in BY_NUMPY:
            return BY_NUMPY[as_numpy]
        if as_numpy.name == "bfloat16":
            return bfloat16
    raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")


# ---- bfloat16 ----------------------------------------------------------------------------
#
# Floats of 16 bits with the range of float32, from the optional package `ml_dtypes`.
#
# NumPy has no such type. The package gives it one, with arithmetic; it is imported when a program
# first asks what `tf.bfloat16` is made of. Kernels know nothing of it: `bind_kernel` in
# core/runtime/run/resources.py lets them compute in float32, and rounds what they give, as
# TensorFlow does on a CPU.


def bfloat16_type() -> type:
    """The scalar type, as NumPy has them.

    Raises:
      ImportError: when the package is missing.
    """
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise ImportError(
            "tf.bfloat16 needs the package ml_dtypes: pip install 'minitf[bfloat16]'"
        ) from None
    return bfloat16
