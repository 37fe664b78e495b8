"""`tf.contrib.image`: images bent by flows, and splines that tell a flow from a few of its arrows.

    control points ──interpolate_spline──> flow ──dense_image_warp──> image

A flow has for each pixel the arrow (down, right) along which its value has come. A polyharmonic
spline is a plane and a hill about each point, f(x) = sum w_i phi(|x - c_i|) + v x + b, whose
weights come of one linear system (Duchon, "Splines minimizing rotation-invariant semi-norms in
Sobolev spaces", 1977).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import constant
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, range, zeros
from minitf.core.ops.array_gathering import gather_nd
from minitf.core.ops.array_joining import concat, stack, unstack
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import floor, log, maximum, minimum, pow, sqrt, square
from minitf.core.ops.reductions import reduce_sum
from minitf.library.checks.assertions import assert_equal, assert_greater_equal
from minitf.library.numeric.decompositions import matrix_solve
from minitf.library.numeric.diagonals import eye, matrix_diag_part

EPSILON = 1e-10  # squared distances are no smaller: the root and the logarithm have slopes there


# ---- dense flows -------------------------------------------------------------------------


def _interpolate_bilinear(
    grid: Any, query_points: Any, name: str = "interpolate_bilinear", indexing: str = "ij"
) -> Tensor:
    """The values of a grid between its points; beyond its edges, those of the edge.

    Args:
      grid: [batch, height, width, channels], at least 2 x 2.
      query_points: [batch, n, 2] of any float type.
      name: the name of the scope.
      indexing: "ij" when a point is (row, column), "xy" when it is (column, row).
    Returns: [batch, n, channels] of the grid's type.
    Raises:
      ValueError: when `indexing` is another, or the grid has another rank.
    """
    if indexing not in ("ij", "xy"):
        raise ValueError("Indexing mode must be 'ij' or 'xy'")
    with name_scope(name):
        grid, points = convert_to_tensor(grid), convert_to_tensor(query_points)
        if grid.shape.ndims != 4:
            raise ValueError(f"Grid must be 4 dimensional. Received size: {grid.shape}")
        sizes = shape_of(grid)
        checks = [
            assert_equal(points.shape.ndims, 3, message="Query points must be 3 dimensional"),
            assert_equal(shape_of(points)[2], 2, message="Query points must be size 2 in dim 2."),
            assert_greater_equal(sizes[1], 2, message="Grid height must be at least 2"),
            assert_greater_equal(sizes[2], 2, message="Grid width must be at least2"),
        ]
        with control_dependencies([check for check in checks if check is not None]):
            places = unstack(points, axis=2)
        lows, parts = [], []
        for axis, place in enumerate(places if indexing == "ij" else places[::-1], 1):
            nought, last = constant(0.0, place.dtype), cast(sizes[axis] - 2, place.dtype)
            low = minimum(maximum(nought, floor(place)), last)
            part = maximum(constant(0.0, grid.dtype), cast(place - low, grid.dtype))
            parts.append(expand_dims(minimum(part, constant(1.0, grid.dtype)), 2))
            lows.append(cast(low, dtypes.int32))
        entry = range(sizes[0])[:, None] + lows[0] * 0

        def between(row: Any) -> Any:
            left, right = (
                gather_nd(grid, stack([entry, row, column], -1))
                for column in (lows[1], lows[1] + 1)
            )
            return parts[1] * (right - left) + left

        above = between(lows[0])
        return parts[0] * (between(lows[0] + 1) - above) + above


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Tensor:
    """Images whose pixels come from elsewhere: output[row, column] = image[(row, column) - flow].

    Between pixels it is bilinear; outside, the nearest pixel of the edge counts.

    Args:
      image: [batch, height, width, channels], at least 2 x 2, of any float type.
      flow: [batch, height, width, 2] of any float type: down, and to the right.
      name: the name of the scope.
    Returns: as `image`.
    Raises:
      InvalidArgumentError: when the images are smaller.
    """
    with name_scope(name):
        image, flow = convert_to_tensor(image), convert_to_tensor(flow)
        sizes = shape_of(image)
        rows, columns = range(sizes[1])[:, None], range(sizes[2])[None, :]
        grid = cast(stack([rows + columns * 0, columns + rows * 0], 2), flow.dtype)
        points = reshape(grid[None] - flow, [sizes[0], sizes[1] * sizes[2], 2])
        return reshape(_interpolate_bilinear(image, points), sizes)


# ---- splines -----------------------------------------------------------------------------


def _phi(r: Any, order: Any) -> Any:
    """The hill of an order at squared distances: r^order, times log r where the order is even."""
    with name_scope("phi"):
        safe = maximum(r, constant(EPSILON, r.dtype))
        if order == 1:
            return sqrt(safe)
        if order % 2:
            return pow(safe, 0.5 * order)
        power = {2: lambda: r, 4: lambda: square(r)}.get(order, lambda: pow(safe, 0.5 * order))
        return 0.5 * power() * log(safe)


def _with_ones(points: Any) -> Any:
    return concat([points, ones_like(points[..., :1])], 2)


def _spline_weights(points: Any, values: Any, order: Any, smoothness: float) -> tuple[Any, Any]:
    """The weights of the hills, [batch, n, k], and of the plane, [batch, d + 1, k]."""
    for what, letter, tensor in (
        ("input points", "d", points),
        ("output values", "k", values),
    ):
        if tensor.shape[-1].value is None:
            raise ValueError(
                f"The dimensionality of the {what} ({letter}) must be statically-inferrable."
            )
    batch, count = unstack(shape_of(points), num=3)[:2]
    products = matmul(points, points, adjoint_b=True)
    # Of the same products, so that a point is no distance at all from itself.
    lengths = expand_dims(matrix_diag_part(products), 2)
    hills = _phi(lengths - 2.0 * products + transpose(lengths, [0, 2, 1]), order)
    if smoothness > 0:
        hills += smoothness * eye(count, dtype=points.dtype)[None]
    plane = _with_ones(points)
    size = plane.shape[2].value
    above = concat([hills, plane], 2)
    below = concat([transpose(plane, [0, 2, 1]), zeros([batch, size, size], points.dtype)], 2)
    wanted = concat([values, zeros([batch, size, values.shape[-1].value], points.dtype)], 1)
    weights = matrix_solve(concat([above, below], 1), wanted)
    return weights[:, :count], weights[:, count:]


def interpolate_spline(
    train_points: Any, train_values: Any, query_points: Any, order: Any,
    regularization_weight: float = 0.0, name: str = "interpolate_spline",
) -> Tensor:  # fmt: skip
    """Values between scattered points, by a polyharmonic spline; differentiable in all tensors.

    Args:
      train_points: [batch, n, d] float.
      train_values: [batch, n, k], the values there.
      query_points: [batch, m, d].
      order: 1 for phi(r) = r, 2 for r^2 log r (a thin plate), 3 for r^3, ...
      regularization_weight: 0 goes through all values; more is smoother.
      name: the name of the scope.
    Returns: [batch, m, k].
    Raises:
      ValueError: when d or k is not known.
    """
    with name_scope(name):
        points, values, queries = map(convert_to_tensor, (train_points, train_values, query_points))
        with name_scope("solve"):
            hills, plane = _spline_weights(points, values, order, regularization_weight)
        with name_scope("predict"):
            here, there = (reduce_sum(square(each), 2) for each in (queries, points))
            products = matmul(queries, points, adjoint_b=True)
            distances = expand_dims(here, 2) - 2.0 * products + expand_dims(there, 1)
            return matmul(_phi(distances, order), hills) + matmul(_with_ones(queries), plane)


# ---- a few control points ----------------------------------------------------------------


def _lattice(height: int, width: int, rows: int, columns: int) -> np.ndarray:
    """[rows, columns, 2] evenly spaced places from one corner of an image to the other."""
    axes = np.linspace(0, height - 1, rows), np.linspace(0, width - 1, columns)
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1)


def sparse_image_warp(
    image: Any, source_control_point_locations: Any, dest_control_point_locations: Any,
    interpolation_order: Any = 2, regularization_weight: float = 0.0,
    num_boundary_points: int = 0, name: str = "sparse_image_warp",
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Images bent so that some points come to lie elsewhere, and the others go with them.

    Args:
      image: [batch, height, width, channels] float, all known but the channels.
      source_control_point_locations: [batch, points, 2]: rows and columns.
      dest_control_point_locations: [batch, points, 2]: where they come to lie.
      interpolation_order: see `interpolate_spline`.
      regularization_weight: see `interpolate_spline`.
      num_boundary_points: how many pieces of each edge have ends that stay; 0: no point stays.
      name: the name of the scope.
    Returns: the images, and the flow [batch, height, width, 2].
    """
    image = convert_to_tensor(image)
    source = convert_to_tensor(source_control_point_locations)
    goal = convert_to_tensor(dest_control_point_locations)
    moved = goal - source
    with name_scope(name):
        batch, height, width, _ = image.shape.as_list()

        def of_all(places: np.ndarray, dtype: Any) -> Any:
            return constant(np.broadcast_to(places, (batch, *places.shape)), dtype)

        if num_boundary_points > 0:
            edge = np.ones([num_boundary_points + 1] * 2, bool)
            edge[1:-1, 1:-1] = False
            fixed = of_all(_lattice(height, width, *edge.shape)[edge], goal.dtype)
            goal, moved = concat([goal, fixed], 1), concat([moved, fixed * 0.0], 1)
        everywhere = of_all(_lattice(height, width, height, width).reshape(-1, 2), image.dtype)
        flow = interpolate_spline(
            goal, moved, everywhere, interpolation_order, regularization_weight
        )
        flow = reshape(flow, [batch, height, width, 2])
        return dense_image_warp(image, flow), flow
