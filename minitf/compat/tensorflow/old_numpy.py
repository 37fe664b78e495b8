"""Names of NumPy that programs of the years 2016 to 2019 use, and NumPy 2 no longer has.

A program that says `np.float`, `np.reshape(x, newshape=s)` or `image.tostring()` ran when it was
written. `python -m minitf` and `%load_ext minitf` give such names back, each meaning what NumPy's
notes say to write instead; numbers are printed as they were, too: `[0.5]`. `import minitf` alone
changes nothing in NumPy.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.compat.tensorflow.old_packages import add_names, renamed

_INSTEAD: dict[str, Any] = {
    "int": int,
    "float": float,
    "complex": complex,
    "object": object,
    "str": str,
    "unicode": str,
    "bool8": np.bool_,
    "float_": np.float64,
    "complex_": np.complex128,
    "string_": np.bytes_,
    "unicode_": np.str_,
    "Inf": np.inf,
    "Infinity": np.inf,
    "infty": np.inf,
    "NaN": np.nan,
    "product": np.prod,
    "cumproduct": np.cumprod,
    "sometrue": np.any,
    "alltrue": np.all,
    "round_": np.round,
    "row_stack": np.vstack,
    "in1d": lambda ar1, ar2, **options: np.isin(np.ravel(ar1), ar2, **options),
    "asscalar": lambda a: a.item(),
    "asfarray": lambda a, dtype=np.float64: np.asarray(a, dtype),
    "trapz": getattr(np, "trapezoid", None),
    "sctypes": {
        "int": [np.int8, np.int16, np.int32, np.int64],
        "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
        "float": [np.float16, np.float32, np.float64, np.longdouble],
        "complex": [np.complex64, np.complex128, np.clongdouble],
        "others": [bool, object, bytes, str, np.void],
    },
}


def _set_item(array: np.ndarray, *where_and_value: Any) -> None:
    """Sets one number, found by its index (one per axis), or by its place in the flat array."""
    *where, value = where_and_value
    if len(where) == 1 and not isinstance(where[0], tuple):
        array.flat[where[0]] = value
    else:
        array[where[0] if len(where) == 1 else tuple(where)] = value


_METHODS_INSTEAD: dict[str, Callable[..., Any]] = {
    "tostring": np.ndarray.tobytes,
    "itemset": _set_item,
    "ptp": np.ptp,
}


def install() -> None:
    """Adds the names that this NumPy lacks; those it has stay as they are."""
    add_names(np, **_INSTEAD)
    vars(np.lib).setdefault("pad", np.pad)
    for name, method in _METHODS_INSTEAD.items():
        if not hasattr(np.ndarray, name):
            add_method(np.ndarray, name, method)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        np.set_printoptions(legacy="1.25")  # a scalar in a list is 0.5, not np.float32(0.5)
    if _refuses_one_element():
        _let_one_element_be_a_number()
    for name, wrap in _WRAPPED.items():
        now = getattr(np, name)
        if not hasattr(now, "is_old_numpy"):
            wrapped: Any = functools.wraps(now)(wrap(now))
            wrapped.is_old_numpy = True
            setattr(np, name, wrapped)


class _Converts:
    """A class of Python's that becomes a number: its slots look the methods up by name."""

    def __int__(self) -> int:
        return 0

    def __float__(self) -> float:
        return 0.0


#: Where a type of C has the table of its functions for numbers, and these in it, in pointers.
_TABLE, _SLOTS = 10 + object.__basicsize__ // 8, {"__int__": 16, "__float__": 18}


def _let_one_element_be_a_number() -> None:
    """Lets `int`, `float` and `"%f" % x` take arrays with one element and axes, as they did.

    A type of C keeps such functions in slots. The slot of a class of Python's looks the method up;
    put in place of NumPy's, it finds the one that is added here.
    """
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return
    for name, place in _SLOTS.items():
        add_method(np.ndarray, name, _of_one_element(getattr(np.ndarray, name)))
        _slot(np.ndarray, place).value = _slot(_Converts, place).value


def _slot(kind: type, place: int) -> ctypes.c_void_p:
    """A pointer in a type's table of functions for numbers."""
    table = ctypes.c_void_p.from_address(id(kind) + 8 * _TABLE).value or 0
    return ctypes.c_void_p.from_address(table + 8 * place)


def _of_one_element(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def of_one_element(array: Any) -> Any:
        return convert(array.reshape(()) if array.size == 1 else array)

    return of_one_element


def _refuses_one_element() -> bool:
    try:
        float(np.zeros(1))
    except TypeError:
        return True
    return False


def add_method(kind: type, name: str, method: Callable[..., Any]) -> None:
    """Gives a class of C a method: Python refuses to, but its dictionary, once found, does not."""
    if sys.implementation.name == "cpython":
        (methods,) = gc.get_referents(kind.__dict__)
        methods[name] = method
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _of_bytes(fromstring: Callable[..., Any]) -> Callable[..., Any]:
    """`np.fromstring` that reads numbers from raw bytes, too."""

    def of_bytes(
        string: Any, dtype: Any = float, count: int = -1, *, sep: str = "", **kwargs: Any
    ) -> Any:
        if sep == "":
            return np.frombuffer(string, dtype, count).copy()
        return fromstring(string, dtype, count, sep=sep, **kwargs)

    return of_bytes


def _unlimited(set_printoptions: Callable[..., Any]) -> Callable[..., Any]:
    """`np.set_printoptions` whose threshold may be NaN, which meant: print all."""

    def unlimited(precision: Any = None, threshold: Any = None, *args: Any, **kwargs: Any) -> None:
        if isinstance(threshold, float) and math.isnan(threshold):
            threshold = sys.maxsize
        set_printoptions(precision, threshold, *args, **kwargs)

    return unlimited


def _of_unequal_rows(make: Callable[..., Any]) -> Callable[..., Any]:
    """`np.array` that makes rows of different lengths an array of objects, for the program only.

    With `copy=False` it copies where it must, as it did.
    """

    def of_unequal_rows(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("copy", True) is False:
            kwargs["copy"] = None
        try:
            return make(*args, **kwargs)
        except ValueError as error:
            asks = sys._getframe(1).f_globals.get("__name__", "").partition(".")[0]
            typed = len(args) > 1 or "dtype" in kwargs
            if "inhomogeneous" not in str(error) or typed or asks in ("minitf", "numpy"):
                raise
            return make(*args, **kwargs, dtype=object)

    return of_unequal_rows


_ABSTRACT = {np.integer: np.int_, np.signedinteger: np.int_, np.floating: np.float64}


def _of_kinds(make: Callable[..., Any]) -> Callable[..., Any]:
    """`np.zeros` that takes a kind of numbers for a type: `np.integer`."""

    def of_kinds(*args: Any, **kwargs: Any) -> Any:
        kind = kwargs.get("dtype")
        if isinstance(kind, type) and kind in _ABSTRACT:
            kwargs["dtype"] = _ABSTRACT[kind]
        return make(*args, **kwargs)

    return of_kinds


def _of_a_generator(join: Callable[..., Any]) -> Callable[..., Any]:
    """`np.vstack` and the like, which took the arrays from any iterator."""

    def of_a_generator(tup: Any, *args: Any, **kwargs: Any) -> Any:
        return join(tup if hasattr(tup, "__getitem__") else list(tup), *args, **kwargs)

    return of_a_generator


_WRAPPED: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("hstack", "vstack", "dstack", "stack", "column_stack"), _of_a_generator),
    "array": _of_unequal_rows,
    "asarray": _of_unequal_rows,
    "reshape": functools.partial(renamed, newshape="shape"),
    "zeros": _of_kinds,
    "ones": _of_kinds,
    "fromstring": _of_bytes,
    "set_printoptions": _unlimited,
}
