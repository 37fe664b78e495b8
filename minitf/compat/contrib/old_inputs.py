"""Functions of `tf.contrib.data` and `tf.contrib.lookup` that have another form in TensorFlow 1.15.

dataset.apply(tf.contrib.data.batch_and_drop_remainder(64))
table = tf.contrib.lookup.index_table_from_tensor(mapping=["a", "b"], num_oov_buckets=1)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.tensor import Tensor
from minitf.library.checks.assertions import ensure_shape
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.experimental import parallel_interleave
from minitf.library.input.data.file_datasets import TFRecordDataset
from minitf.library.input.data.structure import map_up_to
from minitf.library.input.tables import make_batched_features_dataset
from minitf.library.text.lookup import tables

Transformation = Callable[[Dataset], Dataset]

# ---- datasets ------------------------------------------------------------------------------------


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Batches, without a last one that is smaller."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """Padded batches, without a last one that is smaller."""
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """Batches that overlap: windows that slide over the elements.

    Args:
      window_size: how many elements a window has.
      stride: the older name of `window_shift`.
      window_shift: how far it is from one window to the next; 1 by default.
      window_stride: how far it is from one element of a window to the next.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = stride or window_shift or 1

    def joined(*windows: Any) -> Any:
        batches = tuple(window.batch(window_size) for window in windows)
        return batches[0] if len(batches) == 1 else Dataset.zip(batches)

    def apply(dataset: Dataset) -> Dataset:
        windows = dataset.window(window_size, shift, window_stride, drop_remainder=True)
        return windows.flat_map(joined)

    return apply


def sloppy_interleave(
    map_func: Callable, cycle_length: Any, block_length: Any = 1
) -> Transformation:
    """Elements of several datasets in turn, in no sure order."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def assert_element_shape(expected_shapes: Any) -> Transformation:
    """The elements, checked to have these shapes."""

    def checked(*elements: Any) -> Any:
        element = elements if len(elements) > 1 else elements[0]
        return map_up_to(element, ensure_shape, element, expected_shapes)

    return lambda dataset: dataset.map(checked)


def reduce_dataset(dataset: Dataset, reducer: Any) -> Any:
    """The final state of a `Reducer` over all elements."""
    if not isinstance(dataset, Dataset):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    return reducer.finalize_func(dataset.reduce(reducer.init_func(0), reducer.reduce_func))


def read_batch_features(
    file_pattern: Any, batch_size: int, features: dict, reader: Any = TFRecordDataset,
    reader_args: Any = None, randomize_input: bool = True, num_epochs: int | None = None,
    capacity: int = 10000,
) -> dict[str, Any]:  # fmt: skip
    """Batches of parsed examples, as tensors; see `make_batched_features_dataset`."""
    dataset = make_batched_features_dataset(
        file_pattern, batch_size, features, reader=reader, reader_args=reader_args,
        num_epochs=num_epochs, shuffle=randomize_input, shuffle_buffer_size=capacity,
    )  # fmt: skip
    return dataset.make_one_shot_iterator().get_next()


# ---- tables --------------------------------------------------------------------------------------


def _given(mapping: Any) -> Any:
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return mapping


def index_table_from_tensor(
    mapping: Any, num_oov_buckets: int = 0, default_value: int = -1,
    hasher_spec: Any = tables.FastHashSpec, dtype: Any = dtypes.string, name: str | None = None,
) -> Any:  # fmt: skip
    """A table from the words of a vector to their places.

    Args:
      mapping: the vector.
      num_oov_buckets, default_value, hasher_spec, dtype, name: see
        `tf.lookup.StaticVocabularyTable`.
    """
    return tables.index_table_from_tensor(
        _given(mapping), num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """A table from places to the words of a vector."""
    return tables.index_to_string_table_from_tensor(_given(mapping), default_value, name)


string_to_index_table_from_tensor = index_table_from_tensor


def string_to_index(
    tensor: Any, mapping: Any, default_value: int = -1, name: str | None = None
) -> Tensor:
    """The places of words in a vector; the table must be initialized."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(
    tensor: Any, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Tensor:
    """The words at places of a vector; the table must be initialized."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)
