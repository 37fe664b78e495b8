"""The files of a checkpoint: tensors by name, in safetensors files with an index beside them.

    model-7.index                  JSON: name -> dtype, shape, and where each part lies, with CRC-32
    model-7.data-00000-of-00002    safetensors: the parts that one device wrote
    model-7.data-00001-of-00002

A file is written under another name and renamed when it is whole, the index last: what a killed
program leaves behind is either the old checkpoint or the new one. Nothing in the files can run
code. A tensor may lie in several parts, each a slice of it: so a partitioned variable is one tensor
to whoever reads it.
"""

from __future__ import annotations

import json
import os
import uuid
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minitf.framework import dtypes, errors
from minitf.framework.dtypes import DType
from minitf.framework.file_io import file_errors, read_bytes

_FORMAT = "minitf checkpoint 1"
_OFFSETS = "/offsets"  # a string tensor is two arrays: its bytes, and where each string ends
_PLAIN = {t.numpy_dtype for t in (*dtypes.REALS, dtypes.bool)}


def _safetensors() -> Any:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise ImportError(
            "Checkpoints are kept in safetensors files: pip install 'minitf[checkpoint]'."
        ) from None
    return safetensors


def index_name(prefix: str) -> str:
    """The name of the index of the checkpoint `prefix`."""
    return prefix + ".index"


def data_name(prefix: str, shard: int, shards: int) -> str:
    """The name of one data file: 'model.data-00000-of-00001'."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


# ---- slices: "4 5 0,2:-" says full shape [4, 5], rows 0 and 1, all columns ---------------


def _parse_slice(text: str) -> tuple[list[int], list[list[int]]]:
    """The full shape, and [start, length] along each axis."""
    *sizes, spec = text.split(" ")
    shape = [int(n) for n in sizes]
    places = [
        [0, size] if part == "-" else [int(n) for n in part.split(",")]
        for size, part in zip(shape, spec.split(":"), strict=True)
    ]
    return shape, places


def _window(places: Sequence[Sequence[int]]) -> tuple[slice, ...]:
    return tuple(slice(start, start + length) for start, length in places)


# ---- arrays as safetensors knows them ----------------------------------------------------


def _packed(key: str, array: np.ndarray) -> dict[str, np.ndarray]:
    """The plain arrays that stand for `array`."""
    if array.dtype.kind in "OSU":
        items = [v if isinstance(v, bytes) else str(v).encode() for v in array.ravel()]
        ends = np.cumsum([len(v) for v in items], dtype=np.int64)
        return {
            key: np.frombuffer(b"".join(items), np.uint8),
            key + _OFFSETS: ends,
        }
    array = np.asarray(array, order="C")
    return {key: array if array.dtype in _PLAIN else array.reshape(-1).view(np.uint8)}


def _unpacked(dtype: DType, shape: Sequence[int], parts: Sequence[np.ndarray]) -> np.ndarray:
    if dtype == dtypes.string:
        data, ends = parts[0].tobytes(), parts[1].tolist()
        array = np.empty(len(ends), object)
        array[:] = [data[start:end] for start, end in zip([0, *ends], ends)]
        return array.reshape(shape)
    array = parts[0]
    return array if dtype.numpy_dtype in _PLAIN else array.view(dtype.as_numpy_dtype)


def _checksum(arrays: Sequence[np.ndarray]) -> int:
    crc = 0
    for array in arrays:
        crc = zlib.crc32(memoryview(array.reshape(-1)).cast("B") if array.size else b"", crc)
    return crc


# ---- writing -----------------------------------------------------------------------------


def _aside(path: str) -> str:
    return f"{path}.tempstate{uuid.uuid4().hex[:16]}"


def _write_index(prefix: str, shards: int, tensors: Mapping[str, Any]) -> None:
    body = json.dumps(tensors, sort_keys=True)
    text = json.dumps(
        {"format": _FORMAT, "shards": shards, "crc32": zlib.crc32(body.encode()), "tensors": body}
    )
    aside = _aside(index_name(prefix))
    with open(aside, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(aside, index_name(prefix))


def write_checkpoint(
    prefix: str, names: Sequence[str], slices: Sequence[str], arrays: Sequence[Any]
) -> None:
    """Writes a checkpoint of one data file; the directory is made when it is not there.

    Args:
      prefix: path of the checkpoint, without any suffix.
      names: the name of each tensor; one that comes in slices is named once for each.
      slices: "" for a whole tensor, else its full shape and place: "4 5 0,2:0,5".
      arrays: the values.
    Raises:
      InvalidArgumentError: when a name comes twice.
      OpError: when the files cannot be written.
    """
    safetensors = _safetensors()
    tensors: dict[str, Any] = {}
    content: dict[str, np.ndarray] = {}
    for name, text, value in zip(names, slices, arrays, strict=True):
        array = np.asarray(value)
        shape, places = _parse_slice(text) if text else (list(array.shape), None)
        dtype = dtypes.as_dtype(array.dtype)
        entry = tensors.setdefault(name, {"dtype": dtype.name, "shape": shape, "parts": []})
        key = name if places is None else f"{name} {text}"
        packed = _packed(key, array)
        if not content.keys().isdisjoint(packed):
            raise errors.InvalidArgumentError(None, None, f"Adding duplicate key: {name}")
        content.update(packed)
        entry["parts"].append(
            {
                "shard": 0,
                "key": key,
                "slice": places,
                "crc32": _checksum(list(packed.values())),
            }
        )
    data = data_name(prefix, 0, 1)
    aside = _aside(data)
    try:
        with file_errors(prefix):
            os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
            safetensors.numpy.save_file(content, aside, metadata={"format": _FORMAT})
            os.replace(aside, data)
            _write_index(prefix, 1, tensors)
    except safetensors.SafetensorError as error:
        raise errors.UnknownError(None, None, f"{data}; {error}") from None
    finally:
        _remove(aside)


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)


def merge_checkpoints(prefixes: Sequence[str], destination: str, delete_old_dirs: bool) -> None:
    """Makes one checkpoint of several, by renaming their data files.

    Args:
      prefixes: the checkpoints to merge, which are gone afterwards.
      destination: the prefix of the one that is made.
      delete_old_dirs: also remove the directories they were in, when these are empty.
    """
    readers = [CheckpointReader(prefix) for prefix in prefixes]
    shards = sum(reader.shards for reader in readers)
    tensors: dict[str, Any] = {}
    moves: list[tuple[str, str]] = []
    for reader in readers:
        first = len(moves)
        moves += [
            (data_name(reader.prefix, i, reader.shards), data_name(destination, first + i, shards))
            for i in range(reader.shards)
        ]
        for name, entry in reader.tensors.items():
            for part in entry["parts"]:
                part["shard"] += first
            if name in tensors:
                tensors[name]["parts"] += entry["parts"]
            else:
                tensors[name] = entry
    with file_errors(destination):
        os.makedirs(os.path.dirname(destination) or ".", exist_ok=True)
        for source, target in moves:
            os.replace(source, target)
        _write_index(destination, shards, tensors)
        for reader in readers:
            os.remove(index_name(reader.prefix))
        if delete_old_dirs:
            for directory in {os.path.dirname(p) for p in prefixes} - {
                os.path.dirname(destination)
            }:
                os.rmdir(directory)


# ---- reading -----------------------------------------------------------------------------


class CheckpointReader:
    """What a checkpoint holds, `tf.train.NewCheckpointReader`.

    Args:
      prefix: path of the checkpoint, without any suffix.

    Raises:
      NotFoundError: when there is no checkpoint of that name.
      DataLossError: when its index is torn.
    Example:
      >>> tf.train.NewCheckpointReader("model-7").get_variable_to_shape_map()
      {'W': [3, 1], 'b': [1]}
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = os.fspath(prefix)
        path = index_name(self.prefix)
        try:
            text = read_bytes(path).decode()
        except (errors.NotFoundError, errors.FailedPreconditionError):
            raise errors.NotFoundError(
                None,
                None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{self.prefix}",
            ) from None
        except UnicodeDecodeError:
            text = ""
        try:
            index = json.loads(text)
            if index["format"] != _FORMAT or index["crc32"] != zlib.crc32(
                index["tensors"].encode()
            ):
                raise ValueError
            self.tensors: dict[str, Any] = json.loads(index["tensors"])
            self.shards = int(index["shards"])
        except (ValueError, TypeError, KeyError, AttributeError):
            raise errors.DataLossError(
                None, None, f"{path}: not the index of a checkpoint, or a torn one"
            ) from None

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor, by name."""
        return {name: list(entry["shape"]) for name, entry in self.tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The type of each tensor, by name."""
        return {name: dtypes.as_dtype(entry["dtype"]) for name, entry in self.tensors.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether it holds a tensor of that name."""
        return tensor_str in self.tensors

    def debug_string(self) -> bytes:
        """One line a tensor: name, type and shape."""
        lines = []
        for name in sorted(self.tensors):
            entry = self.tensors[name]
            sizes = ",".join(str(n) for n in entry["shape"])
            lines.append(f"{name} ({dtypes.as_dtype(entry['dtype']).as_datatype_enum}) [{sizes}]\n")
        return "".join(lines).encode()

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor.

        Raises:
          NotFoundError: when it holds none of that name.
          DataLossError: when the file is torn or changed.
        """
        return self.read([tensor_str], [""], None)[0]

    def read(
        self, names: Sequence[str], slices: Sequence[str], expected: Sequence[DType] | None
    ) -> list[Any]:
        """The values of several tensors, or slices of them; each data file is opened once.

        Args:
          names: their names.
          slices: "" for all of a tensor, or a slice, as "4 5 0,2:0,5".
          expected: the type each must have.
        """
        with _DataFiles(self) as files:
            result = []
            for i, (name, text) in enumerate(zip(names, slices, strict=True)):
                if name not in self.tensors:
                    raise errors.NotFoundError(
                        None,
                        None,
                        f"Key {name} not found in checkpoint (file: {index_name(self.prefix)})",
                    )
                self._check_type(name, expected[i] if expected is not None else None)
                result.append(self._value(files, name, text))
            return result

    def _check_type(self, name: str, expected: DType | None) -> None:
        original = dtypes.as_dtype(self.tensors[name]["dtype"])
        if expected is not None and expected != original:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"tensor_name = {name}; expected dtype {_c_name(expected)} does not equal original "
                f"dtype {_c_name(original)} (file: {index_name(self.prefix)})",
            )

    def _value(self, files: _DataFiles, name: str, text: str) -> Any:
        entry = self.tensors[name]
        dtype = dtypes.as_dtype(entry["dtype"])
        parts = entry["parts"]
        if parts[0]["slice"] is None:
            whole = files.array(name, dtype, entry["shape"], parts[0])
        else:
            whole = np.empty(entry["shape"], dtype.as_numpy_dtype)
            for part in parts:
                sizes = [length for _, length in part["slice"]]
                whole[_window(part["slice"])] = files.array(name, dtype, sizes, part)
        if text:
            shape, places = _parse_slice(text)
            if shape != entry["shape"]:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Shape in shape_and_slice spec {shape} does not match the shape stored in "
                    f"checkpoint: {entry['shape']} (file: {index_name(self.prefix)}, tensor: "
                    f"{name})",
                )
            whole = whole[_window(places)]
        return whole if whole.ndim else whole[()]


def _c_name(dtype: DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


class _DataFiles:
    """The data files of one checkpoint, opened as they are needed."""

    def __init__(self, reader: CheckpointReader) -> None:
        self._reader = reader
        self._library = _safetensors()
        self._open: dict[int, Any] = {}

    def __enter__(self) -> _DataFiles:
        return self

    def __exit__(self, *exc_info: Any) -> None:
        for file in self._open.values():
            file.__exit__(None, None, None)

    def _file(self, path: str, shard: int) -> Any:
        if shard not in self._open:
            self._open[shard] = self._library.safe_open(path, "numpy").__enter__()
        return self._open[shard]

    def array(self, name: str, dtype: DType, shape: Sequence[int], part: Mapping) -> np.ndarray:
        """One part of a tensor, after a look at its checksum."""
        path = data_name(self._reader.prefix, part["shard"], self._reader.shards)
        keys = [part["key"]]
        if dtype == dtypes.string:
            keys.append(part["key"] + _OFFSETS)
        try:
            file = self._file(path, part["shard"])
            arrays = [file.get_tensor(key) for key in keys]
        except FileNotFoundError:
            raise errors.NotFoundError(
                None, None, f"{path}; No such file or directory (tensor: {name})"
            ) from None
        except self._library.SafetensorError as error:
            raise errors.DataLossError(
                None, None, f"{path}: cannot read tensor {name}: {error}"
            ) from None
        crc = _checksum(arrays)
        if crc != part["crc32"]:
            raise errors.DataLossError(
                None,
                None,
                f"{path}: Checksum does not match: stored {part['crc32']} vs. calculated on the "
                f"restored bytes {crc} (tensor: {name})",
            )
        return _unpacked(dtype, shape, arrays).reshape(shape)
