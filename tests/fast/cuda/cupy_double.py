"""A stand-in for CuPy on machines without a card: NumPy behind CuPy's restrictions.

It computes what CuPy computes, and refuses what CuPy 14 refuses: arrays of the host among those of
the card, parameters and functions it does not have (cupy_api.txt lists what it has, with the types
of the ufuncs' loops), conversion to NumPy in passing, and while a stream captures, everything that
would wait for the card. What is launched during a capture is not computed but kept, and runs when
the graph is launched, in the memory it was captured with.

    double = install(monkeypatch)       minitf then finds one card (or several)
    double.log                          what happened on the streams, in order
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import shutil
import subprocess
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fast.cuda.cuda_double import FakeBlas, capturing, cuda, log, wait_for

_SCALARS = (bool, int, float, complex, np.generic)
#: They wait for the card, to learn how large their result is.
_WAITING = {"nonzero", "flatnonzero", "argwhere", "unique", "isin", "compress"}
#: They take arrays of the host.
_CREATORS = {"array", "asarray", "pad"}
_MUTATING = {"copyto", "fill_diagonal"}
_METHODS = """
all(axis=None, out=None, keepdims=False)
any(axis=None, out=None, keepdims=False)
argmax(axis=None, out=None, dtype=None, keepdims=False)
argmin(axis=None, out=None, dtype=None, keepdims=False)
argsort(axis=-1, kind=None)
astype(dtype, order="K", casting=None, subok=None, copy=True)
clip(min=None, max=None, out=None)
conj()
copy(order="C")
cumprod(axis=None, dtype=None, out=None)
cumsum(axis=None, dtype=None, out=None)
diagonal(offset=0, axis1=0, axis2=1)
dot(b, out=None)
flatten(order="C")
max(axis=None, out=None, keepdims=False)
mean(axis=None, dtype=None, out=None, keepdims=False)
min(axis=None, out=None, keepdims=False)
nonzero()
prod(axis=None, dtype=None, out=None, keepdims=False)
ravel(order="C")
repeat(repeats, axis=None)
reshape(*shape, order="C", copy=None)
round(decimals=0, out=None)
squeeze(axis=None)
std(axis=None, dtype=None, out=None, ddof=0, keepdims=False)
sum(axis=None, dtype=None, out=None, keepdims=False)
swapaxes(axis1, axis2)
take(indices, axis=None, out=None)
trace(offset=0, axis1=0, axis2=1, dtype=None, out=None)
transpose(*axes)
var(axis=None, dtype=None, out=None, ddof=0, keepdims=False)
view(dtype=None)
"""


def _read_api() -> tuple[dict[str, inspect.Signature], dict[str, list[str]]]:
    functions, ufuncs = {}, {}
    for line in (Path(__file__).parent / "cupy_api.txt").read_text().splitlines():
        name, loops = line.partition(" = ")[::2]
        if loops:
            ufuncs[name] = loops.split()
        else:
            functions.update(_signature(line))
    return functions, ufuncs


def _signature(line: str) -> dict[str, inspect.Signature]:
    name, rest = line.split("(", 1)
    return {name: inspect.signature(eval(f"lambda {rest.removesuffix(')')}: 0"))}


_FUNCTIONS, _UFUNCS = _read_api()
_SIGNATURES: dict[str, inspect.Signature] = {}
for _line in _METHODS.split("\n")[1:-1]:
    _SIGNATURES.update(_signature(_line))


def _bare(value: Any, host: bool = False) -> Any:
    """Arrays of the card as NumPy's; arrays of the host only where CuPy takes them."""
    if isinstance(value, ndarray):
        here = cuda.runtime.getDevice()
        assert value.device.id == here, f"an array of card {value.device.id} on card {here}"
        return value._a
    if isinstance(value, np.ndarray) and not host:
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, (list, tuple)):
        return type(value)(_bare(v, host) for v in value)
    return value


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, ndarray):
        return [value._a]
    if isinstance(value, (list, tuple)):
        return [a for v in value for a in _arrays(v)]
    return []


def _wrapped(result: Any, base: Any = None) -> Any:
    if isinstance(result, (list, tuple)):
        return [_wrapped(r, base) for r in result]
    return ndarray._of(np.asarray(result), base)


def _launch(name: str, compute: Callable[[], Any], inputs: Any, out: Any = None) -> Any:
    """One kernel: computed now, or while the stream captures, when the graph is launched."""
    with np.errstate(all="ignore"):
        result = compute()
    sources = _arrays(inputs)
    if out is None and isinstance(result, np.ndarray):
        if any(np.may_share_memory(result, s) for s in sources if s.size):
            return ndarray._of(result, inputs)  # a view: nothing is launched
    stream = cuda.get_current_stream()
    log.append(("kernel", name, stream.name))
    if out is not None:
        target = out._a

        def write() -> None:
            with np.errstate(all="ignore"):
                np.copyto(target, compute(), casting="same_kind")

        stream.do(write)
        return out
    if stream.graph is None:
        return _wrapped(result)
    many = isinstance(result, (list, tuple))
    made = [np.asarray(r) for r in (result if many else [result])]
    buffers = [np.full_like(r, 77 if r.dtype.kind == "f" else 0) for r in made]

    def fill() -> None:
        with np.errstate(all="ignore"):
            again = compute()
        for buffer, value in zip(buffers, again if many else [again], strict=True):
            buffer[...] = value

    stream.do(fill)
    return _wrapped(buffers) if many else _wrapped(buffers[0])


def _mutate(name: str, change: Callable[[], Any]) -> None:
    stream = cuda.get_current_stream()
    log.append(("kernel", name, stream.name))
    stream.do(change)


class _Ufunc:
    """A ufunc: no `where`, no loops but its own, no arrays of the host."""

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.loops = [loop.partition("->")[0] for loop in _UFUNCS[name]]

    def __call__(self, *args: Any, out: Any = None, dtype: Any = None, casting: Any = None) -> Any:
        for arg in args:
            if not isinstance(arg, (ndarray, *_SCALARS)):
                raise TypeError(f"Unsupported type {type(arg)} in {self.__name__}")
        ufunc = getattr(np, self.__name__)
        if len(args) > ufunc.nin:
            *args, out = args  # type: ignore[assignment]
        kinds = [a.dtype for a in args if isinstance(a, (ndarray, np.generic))]
        if dtype is None and not any(
            all(np.can_cast(k, c) for k in kinds for c in loop) for loop in self.loops
        ):
            if kinds and not self._mixed(kinds):
                raise TypeError(f"Wrong type ({kinds}) of arguments for cupy_{self.__name__}")
        bare = [_bare(a) for a in args]
        if out is not None:
            assert out.shape == np.broadcast_shapes(*(np.shape(b) for b in bare)), "out's shape"
        return _launch(self.__name__, lambda: ufunc(*bare, dtype=dtype), args, out)

    def _mixed(self, kinds: list[Any]) -> bool:
        common = np.result_type(*kinds)
        return any(np.can_cast(common, loop[0]) for loop in self.loops)

    def at(self, a: Any, indices: Any, b: Any = None) -> None:
        allowed = {"add": "ilefdIL", "subtract": "iI", "maximum": "ilfdIL", "minimum": "ilfdIL"}
        if a.dtype.char not in allowed.get(self.__name__, "").replace("l", "lq"):
            raise TypeError(f"cupy.{self.__name__}.at does not support {a.dtype}")
        index, value = _index(indices), _bare(b, host=True)
        _mutate("at", lambda: getattr(np, self.__name__).at(a._a, index, value))

    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"`cupy_{self.__name__}.reduce` is not supported yet")
        return getattr(array, "sum" if self.__name__ == "add" else "prod")(axis, dtype, out)


def _index(index: Any) -> Any:
    """What NumPy takes for an index of the card; lists and arrays of the host are copied over."""
    parts = index if isinstance(index, tuple) else (index,)
    found = []
    for part in parts:
        if isinstance(part, (list, tuple, np.ndarray)) and capturing():
            raise RuntimeError("the current stream is capturing, so H2D transfers are not allowed")
        found.append(np.array(_bare(part)) if isinstance(part, ndarray) else part)
        if isinstance(part, ndarray):
            found[-1] = part._a  # read again by every launch
    return tuple(found)


def _is_mask(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return any(str(getattr(p, "dtype", "")) == "bool" and np.ndim(p) for p in parts)


class ndarray:  # noqa: N801
    """An array on a card."""

    __module__ = "cupy"
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, shape: Any = (), dtype: Any = float) -> None:
        self._a, self.base = np.full(shape, 55, dtype), None
        self.device = cuda.Device()

    @classmethod
    def _of(cls, array: np.ndarray, base: Any = None) -> ndarray:
        self = cls.__new__(cls)
        while isinstance(base, (list, tuple)) and base:
            base = base[0]
        self._a, self.base = array, base if isinstance(base, ndarray) else None
        self.device = cuda.Device()
        return self

    shape = property(lambda self: self._a.shape)
    dtype = property(lambda self: self._a.dtype)
    ndim = property(lambda self: self._a.ndim)
    size = property(lambda self: self._a.size)
    nbytes = property(lambda self: self._a.nbytes)
    itemsize = property(lambda self: self._a.itemsize)
    strides = property(lambda self: self._a.strides)
    flags = property(lambda self: self._a.flags)
    T = property(lambda self: self.transpose())
    real = property(lambda self: _launch("real", lambda: self._a.real, [self]))
    imag = property(lambda self: _launch("imag", lambda: self._a.imag, [self]))
    data = property(lambda self: types.SimpleNamespace(ptr=self._a.ctypes.data, mem=self._a))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc.__name__ not in _UFUNCS:
            return NotImplemented
        function = globals()["module"].__getattr__(ufunc.__name__)
        if "out" in kwargs:
            kwargs["out"] = kwargs["out"][0]
        if ufunc.__name__ in (
            "greater",
            "greater_equal",
            "less",
            "less_equal",
            "equal",
            "not_equal",
        ):
            scalars = [isinstance(x, np.ndarray) and not x.ndim for x in inputs]
            inputs = tuple(x.item() if s else x for x, s in zip(inputs, scalars, strict=True))
        return (function if method == "__call__" else getattr(function, method))(*inputs, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        path = ".".join([*func.__module__.split(".")[1:], func.__name__])
        if path not in _FUNCTIONS:
            return NotImplemented
        return getattr(globals()["module"], path)(*args, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        if _is_mask(index):
            wait_for("masks")
        if isinstance(index, (int, np.integer)) and not -len(self) <= index < len(self):
            raise IndexError("Index is out of bounds.")
        where = _index(index)
        return _launch("getitem", lambda: np.asarray(self._a[where]), [self])

    def __setitem__(self, index: Any, value: Any) -> None:
        where = _index(index)
        advanced = any(isinstance(p, (np.ndarray, list)) for p in where)
        if isinstance(value, np.ndarray) and value.ndim and not advanced:
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        if isinstance(value, (np.ndarray, list)) and capturing():
            raise RuntimeError("the current stream is capturing, so H2D transfers are not allowed")
        if _is_mask(index):
            wait_for("masks")
        bare = _bare(value, host=True)

        def assign() -> None:
            self._a[where] = bare

        _mutate("setitem", assign)

    def __len__(self) -> int:
        return len(self._a)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def _scalar(self) -> Any:
        wait_for("D2H transfers")
        return self._a

    def __bool__(self) -> bool:
        return bool(self._scalar())

    def __int__(self) -> int:
        return int(self._scalar())

    def __float__(self) -> float:
        return float(self._scalar())

    def item(self) -> Any:
        return self._scalar().item()

    def tolist(self) -> Any:
        return self._scalar().tolist()

    def fill(self, value: Any) -> None:
        bare = _bare(value)
        _mutate("fill", lambda: self._a.fill(bare))

    def sort(self, axis: int = -1, kind: Any = None) -> None:
        _mutate("sort", lambda: self._a.sort(axis))

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True):
        stream = stream or cuda.get_current_stream()
        if stream.graph is not None:
            raise RuntimeError("the current stream is capturing, so D2H transfers are refused")
        log.append(("get", stream.name, "waits" if blocking else "goes on"))
        result = np.empty_like(self._a, order="C") if out is None else out
        assert result.dtype == self.dtype and result.shape == self.shape
        source = self._a
        stream.do(lambda: np.copyto(result, source))
        return result

    def set(self, arr: np.ndarray, stream: Any = None) -> None:
        stream = stream or cuda.get_current_stream()
        if stream.graph is not None:
            raise RuntimeError("the current stream is capturing, so H2D transfers are refused")
        if type(arr) is not np.ndarray or arr.dtype != self.dtype or arr.shape != self.shape:
            raise TypeError(f"{arr!r} cannot be set to an array of {self.dtype}{self.shape}")
        log.append(("set", stream.name))
        self._a[...] = arr


def _method(name: str) -> Callable[..., Any]:
    def call(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        _SIGNATURES[name].bind(*args, **kwargs)
        if name in _WAITING:
            wait_for(name)
        for axis in (kwargs.get("axis"), *args):
            if isinstance(axis, np.ndarray) and name != "take":
                raise TypeError(f"{name}: 'numpy.ndarray' object cannot be interpreted here")
        out = kwargs.pop("out", None)
        for unknown in ("subok",):
            kwargs.pop(unknown, None)
        if kwargs.get("casting", "") is None:
            kwargs.pop("casting")
        bare = [_bare(a) for a in args]
        _shapes_are_host(name, args)
        named = {k: _bare(v) for k, v in kwargs.items()}
        return _launch(name, lambda: getattr(self._a, name)(*bare, **named), [self], out)

    return call


def _shapes_are_host(name: str, args: Any) -> None:
    """Sizes and axes are numbers of the host: CuPy's arrays have no `__index__`."""
    if name in ("take", "dot", "clip", "searchsorted", "put"):
        return
    for arg in args:
        for each in arg if isinstance(arg, (list, tuple)) else [arg]:
            if isinstance(each, ndarray):
                raise TypeError("'cupy.ndarray' object cannot be interpreted as an integer")


for _name in _SIGNATURES:
    setattr(ndarray, _name, _method(_name))


def _operators() -> None:
    pairs = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
        "mod": "remainder", "floordiv": "floor_divide", "pow": "power", "matmul": "matmul",
        "lshift": "left_shift", "rshift": "right_shift",
        "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
        "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
        "eq": "equal", "ne": "not_equal",
    }  # fmt: skip
    for short, name in pairs.items():

        def forward(self: Any, other: Any, name: str = name) -> Any:
            return getattr(module, name)(self, other)

        def backward(self: Any, other: Any, name: str = name) -> Any:
            return getattr(module, name)(other, self)

        def in_place(self: Any, other: Any, name: str = name) -> Any:
            return getattr(module, name)(self, other, out=self)

        setattr(ndarray, f"__{short}__", forward)
        if short not in ("lt", "le", "gt", "ge", "eq", "ne"):
            setattr(ndarray, f"__r{short}__", backward)
            if short != "matmul":
                setattr(ndarray, f"__i{short}__", in_place)
    for short, name in {"neg": "negative", "abs": "absolute", "invert": "invert"}.items():
        setattr(ndarray, f"__{short}__", lambda self, n=name: getattr(module, n)(self))


_operators()


# ---- the module --------------------------------------------------------------------------


def _function(name: str) -> Callable[..., Any]:
    signature = _FUNCTIONS[name]
    numpys: Any = np
    for part in name.split("."):
        numpys = getattr(numpys, part)

    def call(*args: Any, **kwargs: Any) -> Any:
        signature.bind(*args, **kwargs)
        if name in ("shape", "ndim", "size"):
            return getattr(args[0], name)
        if name == "may_share_memory":
            return np.may_share_memory(*map(_bare, args))
        if name in _WAITING or (name == "where" and len(args) == 1):
            wait_for(name)
        if name.startswith("linalg.") or name in ("matmul", "dot", "einsum"):
            if capturing():
                raise NotImplementedError(f"{name} during stream capture is unsupported")
        if name == "where" and not isinstance(args[0], ndarray):
            raise AttributeError(f"{type(args[0])} has no attribute 'astype' of CuPy")
        if name in ("concatenate", "stack") and not all(isinstance(a, ndarray) for a in args[0]):
            raise TypeError("Only cupy arrays can be concatenated")
        if name in ("concatenate", "stack") and len(args[0]) > 8 and capturing():
            raise RuntimeError("the stream is capturing, so H2D transfers are not allowed")
        if name in _CREATORS and capturing():
            if any(isinstance(a, np.ndarray) for a in args[:1]):
                raise RuntimeError("the stream is capturing, so H2D transfers are not allowed")
        out, _ = kwargs.pop("out", None), kwargs.pop("blocking", None)
        if name == "copyto" and kwargs.get("where", ...) is None:
            kwargs.pop("where")
        if name == "array" and isinstance(args[0], ndarray):  # of any card
            args = (ndarray._of(args[0]._a), *args[1:])
        host = name in _CREATORS
        bare, named = [_bare(a, host) for a in args], _bare_dict(kwargs, host)
        if name in _MUTATING:
            return _mutate(name, lambda: numpys(*bare, **named))
        if name in ("array", "asarray", "copy"):
            log.append(("array", cuda.get_current_stream().name))
        return _launch(name, lambda: numpys(*bare, **named), [*args, *kwargs.values()], out)

    call.__name__ = name
    return call


def _bare_dict(kwargs: dict, host: bool) -> dict:
    return {k: _bare(v, host) for k, v in kwargs.items() if k not in ("subok",)}


class ElementwiseKernel:
    """A kernel made of source: here the host's C++ compiler makes it.

    Names that CUDA has and C++ has not are given to it.
    """

    _head = "#include <cmath>\nusing namespace std;\n" + "".join(
        f"static inline {t} rsqrt{e}({t} x) {{ return 1 / sqrt(x); }}\n"
        for t, e in (("float", ""), ("double", ""))
    )
    _types = {"float32": "float", "float64": "double", "float16": "_Float16", "bool": "bool"}

    def __init__(self, inputs: str, outputs: str, operation: str, name: str = "kernel") -> None:
        self.name, self.operation = name, operation
        self.inputs, self.outputs = inputs.split(", "), outputs.split(", ")

    @functools.cached_property
    def _run(self) -> Any:
        compiler = shutil.which("g++") or pytest.skip("there is no C++ compiler")
        pointers, loads = [], []
        for number, each in enumerate([*self.inputs, *self.outputs]):
            kind, name = each.split()
            pointers.append(f"{self._types[kind]} *p{number}")
            loads.append(f"{self._types[kind]} &{name} = p{number}[_n];")
        source = (
            f'{self._head}extern "C" void run(long size, {", ".join(pointers)}) {{\n'
            f"for (long _n = 0; _n < size; ++_n) {{ {' '.join(loads)}\n{self.operation}\n}} }}\n"
        )
        folder = Path(tempfile.mkdtemp())
        (folder / "kernel.cc").write_text(source)
        made = [compiler, "-O0", "-shared", "-fPIC", "kernel.cc", "-o", "kernel.so"]
        subprocess.run(made, cwd=folder, check=True)
        library = ctypes.CDLL(str(folder / "kernel.so"))
        shutil.rmtree(folder)
        return library.run

    def __call__(self, *args: Any) -> Any:
        count = len(self.inputs)
        assert len(args) in (count, count + 1)
        for arg in args:
            if not isinstance(arg, (ndarray, *_SCALARS)):
                raise TypeError(f"Unsupported type {type(arg)}")
        kinds = [np.dtype(each.split()[0]) for each in [*self.inputs, *self.outputs]]
        for arg, kind in zip(args, kinds, strict=False):
            if isinstance(arg, ndarray) and arg.dtype != kind:
                raise TypeError(f"Type is mismatched. {arg.dtype} {kind}")
        run = self._run
        shape = np.broadcast_shapes(*(np.shape(_bare(a)) for a in args[:count]))
        assert len(args) == count or args[-1].shape == shape

        def compute() -> np.ndarray:
            values = [
                np.ascontiguousarray(np.broadcast_to(np.asarray(_bare(a), k), shape))
                for a, k in zip(args[:count], kinds, strict=False)
            ]
            results = [np.empty(shape, kind) for kind in kinds[count:]]
            run(ctypes.c_long(results[0].size),
                *(v.ctypes.data_as(ctypes.c_void_p) for v in [*values, *results]))  # fmt: skip
            return results[0] if len(results) == 1 else results

        return _launch(self.name, compute, args, args[-1] if len(args) > count else None)


class _Generator:
    """Random numbers, from a state on the card: each launch of a graph goes on with it."""

    def __init__(self, seed: int) -> None:
        assert type(seed) is int
        self._own = np.random.default_rng(seed)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return _launch("random", lambda: np.asarray(self._own.random(size, dtype)), [], out)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return _launch("normal", lambda: np.asarray(self._own.standard_normal(size, dtype)), [])

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
        return _launch("integers", lambda: self._own.integers(low, high, size, dtype), [])


class _Module(types.ModuleType):
    ndarray = ndarray
    ElementwiseKernel = RawKernel = ElementwiseKernel

    def __getattr__(self, name: str) -> Any:
        if name == "random":
            made: Any = types.SimpleNamespace(default_rng=_Generator)
        elif name in _UFUNCS:
            made = _Ufunc(name)
        elif name in _FUNCTIONS:
            made = _function(name)
        elif name in ("linalg", "fft", "lib", "lib.stride_tricks"):
            made = _Module(f"cupy.{name}")
        elif self.__name__ != "cupy" and not name.startswith("_"):
            return getattr(module, f"{self.__name__.removeprefix('cupy.')}.{name}")
        elif isinstance(getattr(np, name, None), (type, float)) or name == "newaxis":
            made = getattr(np, name)
        else:
            raise AttributeError(f"module 'cupy' has no attribute {name!r}")
        setattr(self, name, made)
        return made


module = _Module("cupy")
module.__version__ = "14.2.0"
module.cuda = cuda


def install(monkeypatch: Any, count: int = 1) -> FakeBlas:
    """Makes minitf find `count` cards of this kind; returns their cuBLAS."""
    from minitf.fast.cuda import gpu, gpu_blas, gpu_graphs

    blas = FakeBlas()
    monkeypatch.setattr(gpu, "module", lambda: module)
    monkeypatch.setattr(gpu, "arrays", functools.cache(lambda: gpu._Arrays(module)))
    monkeypatch.setattr(gpu, "_streams", {})
    monkeypatch.setattr(gpu_graphs, "_streams", {})
    monkeypatch.setattr(gpu_graphs, "_locks", {})
    monkeypatch.setattr(gpu_blas, "_handles", {})
    monkeypatch.setattr(gpu_blas, "library", lambda cupy: blas)
    monkeypatch.setattr(cuda.runtime, "getDeviceCount", lambda: count)
    log.clear()
    return blas
