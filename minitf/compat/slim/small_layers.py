"""Small functions of `tf.contrib.layers`: bags of words, sparse forms, gradients that are changed.

bow_encoder, embedding_lookup_unique     vectors of symbols
dense_to_sparse, inner_flatten           forms
poincare_normalize, scale_gradient       numbers
recompute_grad, rev_block                what may be computed again on the way back
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.arg_scope import add_arg_scope
from minitf.compat.slim.layers import collect_named_outputs, model_getter
from minitf.compat.slim.sparse_labels import dense_to_sparse_tensor
from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.math import minimum, multiply, rsqrt, square
from minitf.core.ops.reductions import reduce_mean, reduce_prod, reduce_sum
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.checks.assertions import assert_rank_at_least
from minitf.library.eager.custom_gradient import custom_gradient
from minitf.library.layers.base import Layer
from minitf.library.nets.embeddings import embedding_lookup, safe_embedding_lookup_sparse
from minitf.library.numeric.uniqueness import unique
from minitf.library.sparse.sparse_shaping import sparse_reshape

# ---- symbols -------------------------------------------------------------------------------------


def bow_encoder(
    ids: Any, vocab_size: int, embed_dim: int, sparse_lookup: bool = True, initializer: Any = None,
    regularizer: Callable | None = None, trainable: bool = True, scope: Any = None,
    reuse: Any = None,
) -> Tensor:  # fmt: skip
    """The mean vector of a bag of symbols.

    Args:
      ids: [batch, length] integers, or a `SparseTensor` of them.
      vocab_size, embed_dim: how many vectors there are, and how long they are.
      sparse_lookup: whether negative numbers (or, when dense, zeros) count as nothing.
      initializer, regularizer, trainable, scope, reuse: of the variable `embeddings`.
    Returns: [batch, embed_dim].
    """
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse, custom_getter=model_getter):
        table = get_variable(
            "embeddings", [vocab_size, embed_dim], None, initializer, regularizer, trainable
        )
        if sparse_lookup:
            sparse = ids if isinstance(ids, SparseTensor) else dense_to_sparse(ids)
            return safe_embedding_lookup_sparse([table], sparse, None, "mean", default_id=0)
        if isinstance(ids, SparseTensor):
            raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
        return reduce_mean(embedding_lookup(table, ids), axis=1)


def embedding_lookup_unique(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None
) -> Tensor:
    """`tf.nn.embedding_lookup` that looks up each symbol once."""
    with stacks.name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        distinct, places = unique(reshape(ids, [-1]))
        rows = embedding_lookup(params, distinct, partition_strategy)
        flat = gather(rows, places)
        result = reshape(flat, concat([shape_of(ids), shape_of(flat)[1:]], 0))
        result.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return result


# ---- forms ---------------------------------------------------------------------------------------


@add_arg_scope
def dense_to_sparse(
    tensor: Any, eos_token: Any = 0, outputs_collections: Any = None, scope: Any = None
) -> Any:
    """A sparse tensor of what is not `eos_token`."""
    with variable_scope(scope, "dense_to_sparse", [tensor]) as sc:
        outputs: Any = dense_to_sparse_tensor(tensor, eos_token)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def inner_flatten(
    inputs: Any, new_rank: int, output_collections: Any = None, scope: str | None = None
) -> Any:
    """Makes one axis of the last ones, so that `new_rank` remain; dense or sparse."""
    with stacks.name_scope(scope, "InnerFlatten", [inputs, new_rank]) as sc:
        if isinstance(inputs, SparseTensor):
            sizes, rank = inputs.dense_shape, inputs.dense_shape.shape[0].value
            if rank < new_rank:
                raise ValueError(
                    f"Inputs has rank less than new_rank. {inputs} must have rank at least "
                    f"{new_rank}. Received rank {rank}, shape {inputs.shape}"
                )
            inner = reshape(reduce_prod(sizes[new_rank - 1 :]), [1])
            flat: Any = sparse_reshape(inputs, concat([sizes[: new_rank - 1], inner], 0))
            return collect_named_outputs(output_collections, sc, flat)
        inputs = convert_to_tensor(inputs)
        enough = assert_rank_at_least(
            inputs, new_rank, message="inputs has rank less than new_rank"
        )
        with stacks.control_dependencies([enough]):
            flat = reshape(inputs, concat([shape_of(inputs)[: new_rank - 1], [-1]], 0))
        if isinstance(new_rank, int) and inputs.shape.ndims is not None:
            outer, inner = inputs.shape[: new_rank - 1], inputs.shape[new_rank - 1 :]
            flat.set_shape([*outer.as_list(), inner.num_elements()])
        return collect_named_outputs(output_collections, sc, flat)


# ---- numbers -------------------------------------------------------------------------------------


def poincare_normalize(
    x: Any, axis: Any = 1, epsilon: float = 1e-5, name: str | None = None
) -> Any:
    """Brings vectors into the unit ball: what is longer than 1 - epsilon becomes so long.

    Nickel and Kiela, "Poincaré Embeddings for Learning Hierarchical Representations" (2017).
    """
    with stacks.name_scope(name, "poincare_normalize", [x]) as scope:
        x = convert_to_tensor(x)
        length = rsqrt(reduce_sum(square(x), axis, keepdims=True))
        return multiply(x, minimum((1.0 - epsilon) * length, 1.0), name=scope)


@custom_gradient
def scale_gradient(inputs: Any, gradient_multiplier: Any) -> tuple[Any, Callable]:
    """The inputs; the gradient that flows back is multiplied."""
    return inputs, lambda dy: (dy * gradient_multiplier, None)


# ---- on the way back -----------------------------------------------------------------------------


def recompute_grad(
    fn: Callable | None = None, use_data_dep: Any = "auto", tupleize_grads: bool = False
) -> Callable:
    """The function itself: its gradients come from the values that the graph keeps.

    In TensorFlow the parts of a decorated function are computed again on the way back, which saves
    memory; the numbers are the same.

    Args:
      fn: from tensors to tensors.
      use_data_dep, tupleize_grads: accepted.
    """
    return recompute_grad if fn is None else fn


class RevBlock(Layer):
    """Layers whose inputs follow from their outputs: y1 = x1 + f(x2), y2 = x2 + g(y1).

    Gomez et al., "The Reversible Residual Network" (2017). The gradients are those of the paper;
    they come from the values that the graph keeps, and need as much memory as other layers.

    Args:
      f, g: functions from a tensor (and side inputs), or a list of them, one a layer.
      num_layers: how many layers.
      f_side_input, g_side_input: lists of further tensors for them.
      use_efficient_backprop: accepted.
      name, kwargs: see `tf.layers.Layer`.
    """

    def __init__(
        self, f: Any, g: Any, num_layers: int = 1, f_side_input: Any = None,
        g_side_input: Any = None, use_efficient_backprop: bool = True, name: str = "revblock",
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.num_layers = num_layers
        self.f, self.g = (
            each if isinstance(each, list) else [each] * num_layers for each in (f, g)
        )
        self._sides = {"f": f_side_input or [], "g": g_side_input or []}

    def _apply_to(self, which: str, number: int, x: Tensor) -> Tensor:
        with variable_scope(f"revlayer_{number}/{which}"):
            function, side = getattr(self, which)[number], self._sides[which]
            return function(x, side) if side else function(x)

    def forward(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        """The outputs of both halves."""
        return self([x1, x2])

    def backward(self, y1: Tensor, y2: Tensor) -> tuple[Tensor, Tensor]:
        """The inputs whose outputs these are."""
        return self([y1, y2], forward=False)

    def call(self, inputs: Any, forward: bool = True) -> tuple[Tensor, Tensor]:
        """Adds the operations."""
        one, two = inputs
        for number in range(self.num_layers) if forward else range(self.num_layers)[::-1]:
            if forward:
                one = one + self._apply_to("f", number, two)
                two = two + self._apply_to("g", number, one)
            else:
                two = two - self._apply_to("g", number, one)
                one = one - self._apply_to("f", number, two)
        return one, two


def rev_block(
    x1: Tensor, x2: Tensor, f: Any, g: Any, num_layers: int = 1, f_side_input: Any = None,
    g_side_input: Any = None, is_training: bool = True,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Applies a `RevBlock` of such layers."""
    return RevBlock(f, g, num_layers, f_side_input, g_side_input, is_training).forward(x1, x2)
