"""Machine code: kept when a kernel has been translated, and linked in milliseconds ever after.

    translator    numba ──object code──> FOLDER/_max.0.o ... + loops.json      keep()
    any program   FOLDER ──LLVM's linker──> functions that Python can call     link()

Importing numba takes a quarter of a second with Python's lock held, and so do SciPy's packages:
more than the first hundred steps of a small model. A program needs neither, only what is compiled:
LLVM to link, three extension modules of numba to which the kernels refer, and SciPy's BLAS. These
are loaded file by file, without the packages around them.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import importlib
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

_INDEX = "loops.json"


# ---- extension modules -------------------------------------------------------------------


@functools.cache
def extension(name: str) -> ModuleType:
    """An extension module of a package, by its dotted name, without the package's own Python.

    Importing the package later works as ever; both then use the same compiled code.

    Raises:
      ImportError: when there is no such file.
    """
    if name in sys.modules:
        return sys.modules[name]
    package, *path = name.split(".")
    found = importlib.util.find_spec(package)
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = Path(folder, *path[:-1], path[-1] + suffix)
            if file.exists():
                spec = importlib.util.spec_from_file_location(name, file)
                assert spec is not None and spec.loader is not None
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise ImportError(f"There is no extension module {name!r}.", name=name)


def cython_function(module: ModuleType, name: str) -> int:
    """The address of a function that a Cython module has for other compiled code."""
    capsule = module.__pyx_capi__[name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return int(api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule)))


# ---- keeping and linking -----------------------------------------------------------------


def keep(folder: Path, name: str, versions: Iterable[Any]) -> None:
    """Writes the object code of a loop into a folder.

    Args:
      folder: of the file in which the loop stands.
      name: of the loop.
      versions: what numba compiled, one for each of the loop's signatures.
    """
    index = _read(folder)
    index[name] = []
    for number, version in enumerate(versions):
        library = version.library
        code = library._codegen._tm.emit_object(library._final_module)
        (folder / f"{name}.{number}.o").write_bytes(code)
        index[name].append(
            {
                "call": version.fndesc.llvm_cpython_wrapper_name,
                "environment": version.fndesc.env_name,
                "arrays": [_array(kind) for kind in version.signature.args],
            }
        )
    (folder / _INDEX).write_text(json.dumps(index))


def _array(kind: Any) -> tuple[str, int, bool] | None:
    """The dtype of an argument of a loop, its rank, and whether it is written; None: a number."""
    return (str(kind.dtype), kind.ndim, kind.mutable) if hasattr(kind, "layout") else None


def link(folder: Path) -> dict[str, Callable[..., Any]]:
    """The loops of a folder that `keep` has filled, as functions to call, by name.

    A call costs half a microsecond: it looks whether the arrays are those that the loop was
    translated for. Their sizes must fit each other, which the contracts of the kernels say
    (minitf/core/kernels/table.py).
    """
    import llvmlite.binding as llvm

    link_symbols()
    engine = llvm.create_mcjit_compiler(
        llvm.parse_assembly(""), llvm.Target.from_default_triple().create_target_machine()
    )
    index = _read(folder)
    for name, versions in index.items():
        for number in range(len(versions)):
            code = (folder / f"{name}.{number}.o").read_bytes()
            engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return {name: _loop(engine, name, versions) for name, versions in index.items()}


def _read(folder: Path) -> dict[str, list[dict[str, Any]]]:
    file = folder / _INDEX
    return json.loads(file.read_text()) if file.exists() else {}


def _loop(engine: Any, name: str, versions: list[dict[str, Any]]) -> Callable[..., Any]:
    """One function for all versions of a loop, which chooses by the dtypes of its arrays."""
    arrays = {i: each for i, each in enumerate(versions[0]["arrays"]) if each is not None}
    by_dtypes = {
        tuple(np.dtype(version["arrays"][i][0]) for i in arrays): _function(engine, name, version)
        for version in versions
    }
    places = [(i, rank, written) for i, (_, rank, written) in arrays.items()]

    def run(*args: Any) -> None:
        found = []
        for place, rank, written in places:
            array = args[place]
            flags = array.flags
            if array.ndim == rank and (flags.carray if written else flags.c_contiguous):
                found.append(array.dtype)
        if (key := tuple(found)) not in by_dtypes:
            raise TypeError(f"The loop {name!r} was not made for arrays like those it was given.")
        by_dtypes[key](*args)

    return run


def _function(engine: Any, name: str, version: dict[str, Any]) -> Callable[..., Any]:
    """What Python calls. numba's code looks for its environment where a global points to."""
    dynfunc = extension("numba._dynfunc")
    environment = dynfunc.Environment({})
    where = engine.get_global_value_address(version["environment"])
    ctypes.c_void_p.from_address(where).value = id(environment)
    address = engine.get_function_address(version["call"])
    if not where or not address:
        raise ImportError(f"The translation of {name!r} lacks {version['call']!r}.")
    here = sys.modules[__name__]
    function: Callable[..., Any] = dynfunc.make_function(
        here, name, name, address, environment, (engine, environment)
    )
    return function


@functools.cache
def link_symbols() -> None:
    """Tells the linker where the things are that kernels refer to: Python's, numba's, BLAS'."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in ("numba._helperlib", "numba._dynfunc"):
        for function, address in extension(name).c_helpers.items():
            llvm.add_symbol(f"numba_{function}", address)
    for function, address in extension("numba.core.runtime._nrt_python").c_helpers.items():
        llvm.add_symbol(function if function.startswith("_") else f"NRT_{function}", address)
    llvm.add_symbol("_Py_NoneStruct", id(None))
    for name, kind in vars(builtins).items():
        if isinstance(kind, type) and issubclass(kind, BaseException):
            llvm.add_symbol(f"PyExc_{name}", id(kind))
