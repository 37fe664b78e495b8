"""`tf.contrib.image`: which pixels hang together, and which rows of a table go with which columns.

[[1 1 0 1]      [[1 1 0 2]
 [0 1 0 0]  ──>  [0 1 0 0]      connected_components
 [1 0 0 1]]      [3 0 0 4]]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_host
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid

_PIXELS = np.array([[[1, 1, 0, 1], [0, 1, 0, 0], [1, 0, 0, 1]]])


def _roots(pixels: np.ndarray, some: np.ndarray) -> np.ndarray:
    """For each pixel the first one, in reading order, of its component.

    Neighbors take the lesser of their roots, and roots their own, until nothing changes: the
    number of turns grows with the logarithm of the size, where steps from pixel to pixel would be
    as many as the component is long.
    """
    places = np.arange(pixels.size).reshape(pixels.shape)
    down = some[:, 1:] & (pixels[:, 1:] == pixels[:, :-1])
    right = some[:, :, 1:] & (pixels[:, :, 1:] == pixels[:, :, :-1])
    first = np.concatenate([places[:, :-1][down], places[:, :, :-1][right]])
    second = np.concatenate([places[:, 1:][down], places[:, :, 1:][right]])
    root = places.ravel()
    while (differ := root[first] != root[second]).any():
        first, second = first[differ], second[differ]
        one, other = root[first], root[second]
        np.minimum.at(root, np.maximum(one, other), np.minimum(one, other))
        while ((above := root[root]) != root).any():
            root = above
    return root


@op(
    "ImageConnectedComponents",
    "image: T -> components: int64",
    T=dtypes.ALL,
    differentiable=False,
    samples=[lambda rng: (_PIXELS.astype(np.float32), {})],
)
def image_connected_components_op(xp: Any, image: Any) -> Any:
    """Numbers the components of equal pixels; pixels of nothing have 0."""
    pixels = on_host(image)
    some = pixels != (b"" if pixels.dtype == object else 0)
    _, numbers = np.unique(_roots(pixels, some)[some.ravel()], return_inverse=True)
    result = np.zeros(pixels.shape, np.int64)
    result[some] = numbers.reshape(-1) + 1
    return xp.asarray(result)


image_connected_components_op.shape(lambda image: image.shape)


def connected_components(images: Any) -> Tensor:
    """Numbers the components of images: neighbors, not across corners, that are equal and not 0.

    Args:
      images: [height, width] or [batch, height, width].
    Returns: int32 of the same shape: from 1 on in reading order, through all images; 0 where an
      image is 0.
    Raises:
      TypeError: when the rank is another.
    Example:
      >>> sess.run(tf.contrib.image.connected_components([[True, True, False], [False, False, True]]))
      array([[1, 1, 0],
             [0, 0, 2]], dtype=int32)
    """  # noqa: E501
    with name_scope("connected_components"):
        images = convert_to_tensor(images, name="images")
        if images.shape.ndims not in (2, 3):
            raise TypeError(
                f"images should have rank 2 (HW) or 3 (NHW). Static shape is {images.shape}"
            )
        flat = images.shape.ndims == 2
        found = cast(image_connected_components_op(images[None] if flat else images), dtypes.int32)
        return found[0] if flat else found


@op(
    "BipartiteMatch",
    "distance_mat: float32, num_valid_rows: float32 -> row_to_col_match_indices: int32, "
    "col_to_row_match_indices: int32",
    differentiable=False,
    samples=[
        lambda rng: (rng.uniform(size=(3, 2)).astype(np.float32), np.float32(-1), {}),
        lambda rng: (rng.uniform(size=(3, 4)).astype(np.float32), np.float32(2), {"top_k": 1}),
    ],
)
def bipartite_match_op(xp: Any, distance_mat: Any, num_valid_rows: Any, *, top_k: int = -1) -> Any:
    """Pairs rows with columns, the nearest first, each at most once."""
    table, valid = on_host(distance_mat), on_host(num_valid_rows)
    if table.ndim != 2:
        raise invalid(f"distance_mat should be 2-dimensional, but got {list(table.shape)}")
    if np.size(valid) != 1:
        raise invalid(
            f"num_valid_rows argument should be a tensor with 1 element, but got {np.size(valid)}"
        )
    asked = float(np.ravel(valid)[0])
    rows = len(table) if asked < 0 else int(asked + 0.1)
    if rows > len(table):
        raise invalid(
            f"There should be at least {rows} rows in distance_mat, but only got {len(table)} rows."
        )
    columns_of, rows_of = (np.full(size, -1, np.int32) for size in table.shape)
    left = min(top_k if top_k > 0 else table.size, rows, table.shape[1])
    for place in np.argsort(table[:rows], axis=None, kind="stable"):
        if left == 0:
            break
        row, column = divmod(int(place), table.shape[1])
        if columns_of[row] == rows_of[column] == -1:
            columns_of[row], rows_of[column] = column, row
            left -= 1
    return xp.asarray(columns_of), xp.asarray(rows_of)


@bipartite_match_op.shape
def _bipartite_match_shapes(distance_mat: Any, num_valid_rows: Any, *, top_k: int) -> list:
    table = distance_mat.shape.with_rank(2)
    return [TensorShape([table[0]]), TensorShape([table[1]])]


def bipartite_match(
    distance_mat: Any, num_valid_rows: Any, top_k: int = -1, name: str = "bipartite_match"
) -> Any:
    """Pairs rows with columns greedily: the nearest pair first, then the nearest of the others.

    Args:
      distance_mat: [rows, columns] float32.
      num_valid_rows: a scalar or [1]: how many of the first rows count; all, when negative.
      top_k: how many pairs to find at most; as many as there are, when not positive.
      name: the name of the operation.
    Returns: `(row_to_col_match_indices, col_to_row_match_indices)`, [rows] and [columns] int32:
      the partner of each, or -1.
    Raises:
      InvalidArgumentError: when there are fewer rows than should count.
    """
    return bipartite_match_op(distance_mat, num_valid_rows, top_k=top_k, name=name)
