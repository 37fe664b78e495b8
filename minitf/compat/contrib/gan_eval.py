"""`tf.contrib.gan.eval`: how good generated images are, by a classifier, and images to look at.

    classifier_score               exp(E[KL(p(y|x) || p(y))]), "Inception score" (Salimans et al.)
    frechet_classifier_distance    |m - m'|^2 + Tr(C + C' - 2 (C C')^(1/2)), "FID" (Heusel et al.)

`run_inception` takes the network as a GraphDef; without one it fetches that of 2015.
"""

from __future__ import annotations

import functools
import math
import os
import tarfile
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.contrib.gan_models import CycleGANModel
from minitf.compat.slim.layers import flatten
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.importer import import_graph_def
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import log_softmax, softmax
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_joining import concat, split, stack, unstack
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, where
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import exp, log, sqrt, square
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.library.formats.file_io import FastGFile, load_resource
from minitf.library.graph_tools.functional import map_fn
from minitf.library.images.image_resize import resize_bilinear
from minitf.library.losses.util import get_regularization_loss
from minitf.library.numeric.diagonals import diag, trace
from minitf.library.numeric.svd import svd
from minitf.library.saving.tensorflow_graph import GraphDef
from minitf.library.summary import summary

INCEPTION_DEFAULT_IMAGE_SIZE = 299
INCEPTION_URL = "http://download.tensorflow.org/models/frozen_inception_v1_2015_12_05.tar.gz"
INCEPTION_FROZEN_GRAPH = "inceptionv1_for_inception_score.pb"
INCEPTION_INPUT = "Mul:0"
INCEPTION_OUTPUT = "logits:0"
INCEPTION_FINAL_POOL = "pool_3:0"

# ---- classifiers ---------------------------------------------------------------------------


def get_graph_def_from_disk(filename: str) -> Any:
    """The GraphDef in a file."""
    with FastGFile(filename, "rb") as file:
        return GraphDef.FromString(file.read())


def get_graph_def_from_resource(filename: str) -> Any:
    """The GraphDef in a file beside the program."""
    return GraphDef.FromString(load_resource(filename))


def get_graph_def_from_url_tarball(url: str, filename: str, tar_filename: str | None = None) -> Any:
    """The GraphDef in an archive of the web, which is fetched unless it is there.

    Args:
      url: the archive.
      filename: the file in it.
      tar_filename: where the archive is kept.
    """
    if not (tar_filename and os.path.exists(tar_filename)):
        tar_filename, _ = urllib.request.urlretrieve(url, tar_filename)
    with tarfile.open(tar_filename, "r:gz") as archive:
        inside: Any = archive.extractfile(filename)
        return GraphDef.FromString(inside.read())


def preprocess_image(
    images: Tensor, height: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    width: int = INCEPTION_DEFAULT_IMAGE_SIZE, scope: str | None = None,
) -> Tensor:  # fmt: skip
    """Images as Inception takes them: of one size, their values in [-1, 1].

    Args:
      images: [batch, height, width, channels], or one image, of values in [0, 255].
    """
    alone = len(images.shape) == 3
    with name_scope(scope, "preprocess", [images, height, width]):
        if not images.dtype.is_floating:
            images = cast(images, dtypes.float32)
        resized = resize_bilinear(expand_dims(images, 0) if alone else images, [height, width])
        resized = (resized - 128.0) / 128.0
        return squeeze(resized, axis=0) if alone else resized


def run_image_classifier(
    tensor: Any, graph_def: Any, input_tensor: str, output_tensor: Any, scope: str = "RunClassifier"
) -> Any:
    """What a frozen network makes of images.

    Args:
      graph_def: the network.
      input_tensor: the name of its input.
      output_tensor: the name of an output, or a list of names.
    """
    names = [output_tensor] if isinstance(output_tensor, str) else output_tensor
    made: Any = import_graph_def(graph_def, {input_tensor: tensor}, names, name=scope)
    return made[0] if isinstance(output_tensor, str) else made


def run_inception(
    images: Any, graph_def: Any = None, default_graph_def_fn: Callable[[], Any] | None = None,
    image_size: int = INCEPTION_DEFAULT_IMAGE_SIZE, input_tensor: str = INCEPTION_INPUT,
    output_tensor: Any = INCEPTION_OUTPUT,
) -> Any:  # fmt: skip
    """What Inception makes of images, flat.

    Args:
      images: [batch, image_size, image_size, channels] of values in [-1, 1].
      graph_def: the network; by default what `default_graph_def_fn` gives, or that of 2015.
    """
    images = convert_to_tensor(images)
    images.shape.assert_is_compatible_with([None, image_size, image_size, None])
    if graph_def is None:
        graph_def = (default_graph_def_fn or _inception)()
    made = run_image_classifier(images, graph_def, input_tensor, output_tensor)
    if isinstance(made, list):
        return [each if len(each.shape) == 2 else flatten(each) for each in made]
    return made if len(made.shape) == 2 else flatten(made)


def _inception() -> Any:
    archive = os.path.basename(INCEPTION_URL)
    return get_graph_def_from_url_tarball(INCEPTION_URL, INCEPTION_FROZEN_GRAPH, archive)


# ---- scores --------------------------------------------------------------------------------


def _by_batches(images: Sequence[Any], classifier_fn: Callable, num_batches: int) -> list[Tensor]:
    """What the classifier makes of each tensor of images, a batch at a time."""
    parts = [part for each in images for part in split(each, num_batches)]
    mapped = map_fn(classifier_fn, stack(parts), None, 1, False, True, name="RunClassifier")
    made: Any = unstack(mapped, len(parts))
    return [concat(made[i : i + num_batches], 0) for i in range(0, len(parts), num_batches)]


def classifier_score(images: Any, classifier_fn: Callable, num_batches: int = 1) -> Tensor:
    """How sure a classifier is of each image, and how unlike images are.

    Args:
      images: [batch, ...].
      classifier_fn: from images to logits.
      num_batches: into how many parts the images are split.
    """
    return classifier_score_from_logits(_by_batches([images], classifier_fn, num_batches)[0])


def classifier_score_from_logits(logits: Tensor) -> Tensor:
    """`classifier_score` of logits, [batch, classes]."""
    logits.shape.assert_has_rank(2)
    exact = cast(logits, dtypes.float64)
    p = softmax(exact)
    divergence = reduce_sum(p * (log_softmax(exact) - log(reduce_mean(p, axis=0))), axis=1)
    return cast(exp(reduce_mean(divergence)), logits.dtype)


def _root(matrix: Tensor) -> Tensor:
    """The root of a symmetric matrix; singular values near 0 stay, for their roots are noise."""
    s, u, v = svd(matrix)
    return matmul(matmul(u, diag(where(less(s, 1e-10), s, sqrt(s)))), v, transpose_b=True)


def trace_sqrt_product(sigma: Tensor, sigma_v: Tensor) -> Tensor:
    """Tr((AB)^(1/2)) of two covariances; that of the symmetric A^(1/2) B A^(1/2) is the same."""
    root = _root(sigma)
    return trace(_root(matmul(root, matmul(sigma_v, root))))


def _distance(
    real: Tensor, generated: Tensor, of_covariances: Callable[[Tensor, Tensor], Any]
) -> Tensor:
    real.shape.assert_has_rank(2)
    generated.shape.assert_has_rank(2)
    x, y = cast(real, dtypes.float64), cast(generated, dtypes.float64)
    m, m_v = reduce_mean(x, 0), reduce_mean(y, 0)
    count = cast(shape_of(x)[0], dtypes.float64)
    sigma, sigma_v = (matmul(z, z, transpose_a=True) / (count - 1) for z in (x - m, y - m_v))
    apart = reduce_sum(square(m - m_v)) + of_covariances(sigma, sigma_v)
    return cast(apart, real.dtype)


def frechet_classifier_distance_from_activations(
    real_activations: Tensor, generated_activations: Tensor
) -> Tensor:
    """`frechet_classifier_distance` of activations, [batch, n]."""
    return _distance(
        real_activations, generated_activations,
        lambda a, b: trace(a + b) - 2.0 * trace_sqrt_product(a, b),
    )  # fmt: skip


def mean_only_frechet_classifier_distance_from_activations(
    real_activations: Tensor, generated_activations: Tensor
) -> Tensor:
    """|m - m'|^2 of activations."""
    return _distance(real_activations, generated_activations, lambda a, b: 0.0)


def diagonal_only_frechet_classifier_distance_from_activations(
    real_activations: Tensor, generated_activations: Tensor
) -> Tensor:
    """As `frechet_classifier_distance_from_activations`, as if activations were independent."""
    real, generated = real_activations, generated_activations
    x, y = cast(real, dtypes.float64), cast(generated, dtypes.float64)
    means, spreads = [], []
    for each in (x, y):
        means.append(reduce_mean(each, 0))
        spreads.append(reduce_mean(square(each - means[-1]), 0))
    both = spreads[0] + spreads[1] - 2.0 * sqrt(spreads[0] * spreads[1])
    return cast(reduce_sum(square(means[0] - means[1]) + both), real.dtype)


def frechet_classifier_distance(
    real_images: Any, generated_images: Any, classifier_fn: Callable, num_batches: int = 1
) -> Tensor:
    """How far two normal distributions are apart that have the activations' moments.

    Args:
      real_images, generated_images: [batch, ...].
      classifier_fn: from images to activations, [batch, n].
      num_batches: into how many parts the images are split.
    """
    both = _by_batches([real_images, generated_images], classifier_fn, num_batches)
    return frechet_classifier_distance_from_activations(*both)


inception_score = functools.partial(classifier_score, classifier_fn=run_inception)
frechet_inception_distance = functools.partial(
    frechet_classifier_distance,
    classifier_fn=functools.partial(run_inception, output_tensor=INCEPTION_FINAL_POOL),
)

# ---- images and summaries ------------------------------------------------------------------


def image_grid(
    input_tensor: Tensor, grid_shape: Sequence[int], image_shape: Sequence[int] = (32, 32),
    num_channels: int = 3,
) -> Tensor:  # fmt: skip
    """A batch of images as one image, [1, rows * height, columns * width, channels].

    Args:
      input_tensor: [batch, height, width, channels], or flat.
      grid_shape: rows and columns.
      image_shape: height and width.
    Raises:
      ValueError: when the sizes do not fit.
    """
    batch, *shape = input_tensor.shape.as_list()
    rows, columns = grid_shape
    height, width = image_shape
    if rows * columns != batch:
        raise ValueError(f"Grid shape {grid_shape} incompatible with minibatch size {batch}.")
    if len(shape) not in (1, 3):
        raise ValueError("Unrecognized input tensor format.")
    if shape not in ([height * width * num_channels], [height, width, num_channels]):
        raise ValueError("Image shape and number of channels incompatible with input tensor.")
    tiles = reshape(input_tensor, [rows, columns, height, width, num_channels])
    tiles = transpose(tiles, [0, 2, 1, 3, 4])
    return reshape(tiles, [1, rows * height, columns * width, num_channels])


def image_reshaper(images: Any, num_cols: int | None = None) -> Tensor:
    """Images of one size as one image, in nearly as many rows as columns; the rest is black.

    Args:
      images: [batch, height, width, 1 or 3], or a list of images.
      num_cols: how many columns.
    """
    images = unstack(images) if isinstance(images, Tensor) else list(images)
    for image in images:
        image.shape.assert_has_rank(3)
        image.shape.assert_is_fully_defined()
        if image.shape.as_list()[-1] not in (1, 3):
            raise ValueError("image_reshaper only supports 1 or 3 channel images.")
    columns = num_cols or math.ceil(math.sqrt(len(images)))
    images += [zeros_like(images[-1])] * (-len(images) % columns)
    rows = [concat(images[i : i + columns], 1) for i in range(0, len(images), columns)]
    return expand_dims(concat(rows, 0), 0)


def _of_each_pair(add: Callable[..., None]) -> Callable[..., None]:
    """Adds the summaries of both models of a `CycleGANModel`."""

    @functools.wraps(add)
    def add_all(gan_model: Any, *args: Any, **kwargs: Any) -> None:
        if not isinstance(gan_model, CycleGANModel):
            return add(gan_model, *args, **kwargs)
        what = add.__name__.removeprefix("add_gan_model_").removeprefix("add_")
        for name, model in (("x2y", gan_model.model_x2y), ("y2x", gan_model.model_y2x)):
            with name_scope(f"cyclegan_{name}_{what}"):
                add(model, *args, **kwargs)
        return None

    return add_all


def _check_images(*tensors: Tensor) -> None:
    for each in tensors:
        each.shape.assert_has_rank(4)
        each.shape[1:].assert_is_fully_defined()


@_of_each_pair
def add_gan_model_image_summaries(
    gan_model: Any, grid_size: int = 4, model_summaries: bool = True
) -> None:
    """Adds a grid of real and one of generated images, and `add_gan_model_summaries`."""
    _check_images(gan_model.real_data, gan_model.generated_data)
    for tag in ("real_data", "generated_data"):
        images = getattr(gan_model, tag)
        *size, channels = images.shape.as_list()[1:]
        grid = image_grid(images[: grid_size**2], (grid_size, grid_size), size, channels)
        summary.image(tag, grid, max_outputs=1)
    if model_summaries:
        add_gan_model_summaries(gan_model)


@_of_each_pair
def add_image_comparison_summaries(
    gan_model: Any, num_comparisons: int = 2, display_diffs: bool = False
) -> None:
    """Adds an image with rows of inputs, generated and real images, and of their differences."""
    inputs, generated = gan_model.generator_inputs, gan_model.generated_data
    _check_images(inputs, generated, gan_model.real_data)
    generated.shape.assert_is_compatible_with(inputs.shape)
    gan_model.real_data.shape.assert_is_compatible_with(generated.shape)
    rows = [each[:num_comparisons] for each in (inputs, generated, gan_model.real_data)]
    if display_diffs:
        rows.append(absolute(cast(rows[1], dtypes.float32) - cast(rows[2], dtypes.float32)))
    images = [image for row in rows for image in unstack(row)]
    summary.image("image_comparison", image_reshaper(images, num_comparisons), max_outputs=1)


@_of_each_pair
def add_gan_model_summaries(gan_model: Any) -> None:
    """Adds histograms of all variables."""
    for name in ("generator_variables", "discriminator_variables"):
        with name_scope(name):
            for variable in getattr(gan_model, name):
                summary.histogram(variable.name, variable)


@_of_each_pair
def add_regularization_loss_summaries(gan_model: Any) -> None:
    """Adds what regularizers make of each network."""
    for name in ("generator", "discriminator"):
        scope = getattr(gan_model, f"{name}_scope")
        if scope:
            loss = get_regularization_loss(scope.name)
            summary.scalar(f"{name}_regularization_loss", loss)
