"""Variables of models in HDF5 files, laid out as Keras lays them out.

    layer_names = ["dense", "dense_1"]          an attribute of the file
    dense/  weight_names = ["dense/kernel:0", "dense/bias:0"]
            dense/kernel:0                      an array
            dense/bias:0

Layers are matched by their order, or by name. A file may come from anyone: arrays are looked at
before they are read, and no link in it leads out of it.
"""

from __future__ import annotations

import itertools
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minitf.library.formats.file_io import naming, regular
from minitf.library.keras.backend.session import VERSION, batch_get_value, batch_set_value

_LARGEST_HEADER = 64512  # bytes that HDF5 takes in one attribute
_LARGEST_CHUNK = 2**24  # numbers that are read at once, whatever the size of their array


def library() -> Any:
    """The package `h5py`.

    Raises:
      ImportError: when it is not installed.
    """
    try:
        import h5py
    except ImportError:
        raise ImportError("Files of HDF5 need h5py: pip install 'minitf[keras]'") from None
    return h5py


def names_hdf5(path: Any) -> bool:
    """Whether a path ends as those of HDF5 files do."""
    return str(path).endswith((".h5", ".keras", ".hdf5"))


def is_hdf5(path: Any) -> bool:
    """Whether the file at a path begins as an HDF5 file does."""
    try:
        with open(path, "rb", opener=regular) as file:
            return file.read(8) == b"\x89HDF\r\n\x1a\n"
    except OSError:
        return False


@contextmanager
def opened(target: Any, mode: str) -> Iterator[Any]:
    """An HDF5 file to read ("r") or to write ("w").

    One that is written gets its name when it is whole.

    Args:
      target: a path.
      mode: "r" or "w".

    Raises:
      ValueError: when a file that is read does not hold what is looked for; it names the file.
    """
    h5py = library()
    path = os.fspath(target)
    if mode == "r":
        with open(path, opener=regular), naming(path), h5py.File(path, "r") as file:
            yield file
        return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    aside = f"{path}.tempstate{uuid.uuid4().hex[:16]}"
    try:
        with h5py.File(aside, "w") as file:
            yield file
        os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.remove(aside)


# ---- writing -----------------------------------------------------------------------------


def write_names(group: Any, attribute: str, names: Sequence[str]) -> None:
    """Writes a list of names, in parts when it is long.

    Args:
      group: the group that gets the attribute.
      attribute: its name; parts are called `attribute0`, `attribute1`, ...
      names: the names.

    Raises:
      RuntimeError: when one name alone is too long.
    """
    array = np.asarray([name.encode() for name in names])
    if array.size and array.itemsize > _LARGEST_HEADER:
        raise RuntimeError(
            f"The following attributes cannot be saved to HDF5 file because they are larger than "
            f"{_LARGEST_HEADER} bytes: {max(names, key=len)}"
        )
    parts = 1
    while any(part.nbytes > _LARGEST_HEADER for part in np.array_split(array, parts)):
        parts += 1
    for index, part in enumerate(np.array_split(array, parts)):
        group.attrs[f"{attribute}{index}" if parts > 1 else attribute] = part


def write_variables(group: Any, variables: Sequence[Any]) -> None:
    """Writes variables into a group, each under its name."""
    names = [variable.name for variable in variables]
    write_names(group, "weight_names", names)
    for name, value in zip(names, batch_get_value(list(variables)), strict=True):
        group.create_dataset(name, data=value)


def write_layers(group: Any, layers: Sequence[Any]) -> None:
    """Writes the variables of layers, a group for each layer."""
    write_names(group, "layer_names", [layer.name for layer in layers])
    group.attrs["backend"] = b"tensorflow"
    group.attrs["keras_version"] = VERSION.encode()
    for layer in sorted(layers, key=lambda x: x.name):  # none is made inside another by chance
        write_variables(group.create_group(layer.name), saved_weights(layer))


def saved_weights(layer: Any) -> list[Any]:
    """The variables of a layer in the order of files: those to train first."""
    return layer.trainable_weights + layer.non_trainable_weights


# ---- reading -----------------------------------------------------------------------------


def read_names(group: Any, attribute: str) -> list[str]:
    """Reads a list of names, whether in one part or several."""
    several = (f"{attribute}{number}" for number in itertools.count())
    one = attribute in group.attrs
    parts = [attribute] if one else itertools.takewhile(group.attrs.__contains__, several)
    names = [name for part in parts for name in np.ravel(group.attrs[part])]
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]


def member(group: Any, name: str, kind: str = "Group") -> Any:
    """A group, or a dataset, in a group of a file.

    Raises:
      ValueError: when it is not there, of another kind, or not in this file.
    """
    h5py = library()
    at = group
    for part in name.strip("/").split("/"):
        named = isinstance(at, h5py.Group) and part.strip(".")
        link = at.get(part, getlink=True) if named else None
        at = at[part] if isinstance(link, h5py.HardLink) else None
    if not isinstance(at, getattr(h5py, kind)):
        raise ValueError(f"{group.file.filename}: there is no {name!r} in {group.name!r}.")
    return at


def array_in(group: Any, name: str) -> Any:
    """A dataset whose numbers are in the file; `[()]` reads them, when its shape is as expected.

    Raises:
      ValueError: when there is none.
    """
    found = member(group, name, "Dataset")
    read_at_once = np.prod(found.chunks or 0, dtype=float)
    if found.external or found.is_virtual or read_at_once > max(found.size or 0, _LARGEST_CHUNK):
        raise ValueError(f"{group.file.filename}: {name!r} is no array of this file.")
    return found


def read_layers(group: Any, layers: Sequence[Any], by_name: bool = False) -> None:
    """Gives the variables of layers the values in a file.

    Args:
      group: the file.
      layers: the layers.
      by_name: whether layers get the values of their names, and others keep theirs; else those
        that have variables get them in order.

    Raises:
      ValueError: when the layers, or their variables, are not as many as those saved, or a shape
        differs.
    """
    names = read_names(group, "layer_names")
    pairs = [(i, layer) for i, name in enumerate(names) for layer in layers if layer.name == name]
    if not by_name:
        having = [layer for layer in layers if saved_weights(layer)]
        names = [name for name in names if _weight_names(group, name)]
        if len(names) != len(having):
            raise ValueError(
                f"You are trying to load a weight file containing {len(names)} layers into a model "
                f"with {len(having)} layers."
            )
        pairs = list(enumerate(having))
    found: list[tuple[Any, np.ndarray]] = []
    for index, layer in pairs:
        name = names[index]
        variables, saved = saved_weights(layer), _weight_names(group, name)
        if len(variables) != len(saved):
            expects, have = len(variables), len(saved)
            raise ValueError(
                f'Layer #{index} (named "{layer.name}") expects {expects} weight(s), but the saved '
                f"weights have {have} element(s)."
                if by_name
                else f'Layer #{index} (named "{layer.name}" in the current model) was found to '
                f"correspond to layer {name} in the save file. However the new layer {layer.name} "
                f"expects {expects} weights, but the saved weights have {have} elements."
            )
        found += _values(member(group, name), saved, variables, index, layer)
    batch_set_value(found)


def _weight_names(group: Any, layer_name: str) -> list[str]:
    return read_names(member(group, layer_name), "weight_names")


def _values(
    group: Any, saved: Sequence[str], variables: Sequence[Any], index: int, layer: Any
) -> list[tuple[Any, np.ndarray]]:
    """The variables of a layer, each with the array that a file has for it."""
    pairs = []
    for name, variable in zip(saved, variables, strict=True):
        try:
            found, own = array_in(group, name), tuple(variable.shape.as_list())
            if found.shape != own:
                raise ValueError(f"has shape {own}, but the saved weight has shape {found.shape}.")
        except ValueError as error:
            raise ValueError(
                f'Layer #{index} (named "{layer.name}"), weight {variable} {error}'
            ) from None
        pairs.append((variable, found[()]))
    return pairs
