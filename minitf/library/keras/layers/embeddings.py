"""`Embedding`: whole numbers become vectors that are learned."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import not_equal
from minitf.library.keras.backend.config import floatx
from minitf.library.keras.layers.configured import Configured
from minitf.library.nets.embeddings import embedding_lookup


class Embedding(Configured):
    """A table of vectors, which its inputs are the rows of.

    Args:
      input_dim: how many vectors there are: the inputs are less.
      output_dim: how many numbers a vector has.
      embeddings_initializer, embeddings_regularizer, embeddings_constraint: of the table.
      activity_regularizer: a function from the output to a loss.
      mask_zero: whether an input of 0 is a step that does not count.
      input_length: how long the sequences are, where it is known.
      kwargs: see `Layer`.

    Example:
      >>> tf.keras.layers.Embedding(1000, 8)(tf.zeros([2, 5], tf.int32)).shape.as_list()
      [2, 5, 8]
    """

    _casts = False  # row numbers may be floats

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            lengths = input_length if isinstance(input_length, (list, tuple)) else [input_length]
            kwargs["input_shape"] = tuple(lengths)
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = floatx()
        super().__init__(**kwargs)
        self._keep(locals())
        self.supports_masking = mask_zero

    def build(self, input_shape: Any) -> None:
        """Makes `embeddings` [input_dim, output_dim]."""
        self.embeddings = self._add_own("embeddings", [self.input_dim, self.output_dim])
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where the input is not 0; None when zeros count."""
        return not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[..., output_dim]."""
        sizes = as_shape(input_shape).as_list()
        if self.input_length is not None:
            given = self.input_length
            lengths = list(given) if isinstance(given, (list, tuple)) else [given]
            if len(lengths) != len(sizes) - 1:
                raise ValueError(
                    f'"input_length" is {given}, but received input has shape {input_shape}'
                )
            for wanted, found in zip(lengths, sizes[1:], strict=True):
                if None not in (wanted, found) and wanted != found:
                    raise ValueError(
                        f'"input_length" is {given}, but received input has shape {input_shape}'
                    )
            sizes[1:] = [w if f is None else f for w, f in zip(lengths, sizes[1:], strict=True)]
        return TensorShape([*sizes, self.output_dim])

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        if inputs.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
            inputs = cast(inputs, dtypes.int32)
        return embedding_lookup(self.embeddings, inputs)
