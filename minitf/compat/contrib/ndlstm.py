"""`tf.contrib.ndlstm`: LSTMs that read images row by row and column by column.

    images [n, height, width, depth] ──> rows as sequences [width, n * height, depth] ──> LSTMs

Sequences come with their steps first; the shapes of all inputs have to be known.
"""

from __future__ import annotations

from minitf.compat.contrib.variables import model_variable
from minitf.compat.slim.layers import one_hot_encoding
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softmax
from minitf.core.ops.array_joining import concat, stack, unstack
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import reshape, reverse, transpose
from minitf.core.ops.reductions import reduce_mean
from minitf.core.variables.initializers import constant_initializer, truncated_normal_initializer
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.layers.rnn.cells import BasicLSTMCell
from minitf.library.layers.rnn.loops import dynamic_rnn
from minitf.library.nets.basics import xw_plus_b


def _shape(tensor: Tensor) -> list[int]:
    """Its sizes.

    Raises:
      ValueError: when one is not known.
    """
    if not tensor.shape.is_fully_defined():
        raise ValueError(f"The shape of {tensor.name} has to be known; it is {tensor.shape}")
    return [int(each) for each in tensor.shape.as_list() if each is not None]


# ---- sequences: [steps, batch, depth] ------------------------------------------------------


def ndlstm_base_unrolled(
    inputs: Tensor, noutput: int, scope: str | None = None, reverse: bool = False
) -> Tensor:
    """An LSTM over a sequence, built step by step; see `ndlstm_base`."""
    with variable_scope(scope, "SeqLstmUnrolled", [inputs]):
        outputs = _steps(inputs, noutput, reverse)
        return stack(outputs[::-1] if reverse else outputs)


def ndlstm_base_dynamic(
    inputs: Tensor, noutput: int, scope: str | None = None, reverse: bool = False
) -> Tensor:
    """An LSTM over a sequence, in a loop; see `ndlstm_base`."""
    with variable_scope(scope, "SeqLstm", [inputs]):
        cell = BasicLSTMCell(noutput, state_is_tuple=False)
        state = cell.zero_state(_shape(inputs)[1], inputs.dtype)
        outputs, _ = dynamic_rnn(
            cell, _turned(inputs) if reverse else inputs, initial_state=state, time_major=True
        )
        return _turned(outputs) if reverse else outputs


def _turned(sequence: Tensor) -> Tensor:
    return reverse(sequence, [0])


def ndlstm_base(
    inputs: Tensor, noutput: int, scope: str | None = None, reverse: bool = False,
    dynamic: bool = True,
) -> Tensor:  # fmt: skip
    """An LSTM over a sequence, forwards or backwards.

    Args:
      inputs: [steps, batch, depth].
      noutput: its units.
      scope: the scope of its variables.
      reverse: whether it begins at the last step.
      dynamic: whether it is a loop in the graph, and not one cell a step.
    Returns: [steps, batch, noutput].
    """
    base = ndlstm_base_dynamic if dynamic else ndlstm_base_unrolled
    return base(inputs, noutput, scope, reverse)


def _steps(inputs: Tensor, noutput: int, backwards: bool) -> list[Tensor]:
    """The outputs of a cell, step after step."""
    cell = BasicLSTMCell(noutput, state_is_tuple=False)
    state, outputs = cell.zero_state(_shape(inputs)[1], inputs.dtype), []
    steps = unstack(inputs)
    for each in reversed(steps) if backwards else steps:
        output, state = cell(each, state)
        outputs.append(output)
    return outputs


def sequence_to_final(
    inputs: Tensor, noutput: int, scope: str | None = None, name: str | None = None,
    reverse: bool = False,
) -> Tensor:  # fmt: skip
    """The last output of an LSTM over a sequence [steps, batch, depth]: [batch, noutput]."""
    with variable_scope(scope, "SequenceToFinal", [inputs]):
        last = _steps(inputs, noutput, reverse)[-1]
        return reshape(last, [_shape(inputs)[1], noutput], name=name)


def sequence_softmax(
    inputs: Tensor, noutput: int, scope: str | None = None, name: str | None = None,
    linear_name: str | None = None,
) -> Tensor:  # fmt: skip
    """A softmax layer at each step of a sequence, the same at all: [steps, batch, noutput]."""
    depth = _shape(inputs)[2]
    with variable_scope(scope, "SequenceSoftmax", [inputs]):
        weights = model_variable(
            "weights", [depth, noutput], initializer=truncated_normal_initializer(stddev=0.1)
        )
        biases = model_variable("biases", [noutput], initializer=constant_initializer(0.1))
        outputs = []
        for each in unstack(inputs):
            with variable_scope(scope, "SequenceSoftmaxStep", [each]):
                outputs.append(softmax(xw_plus_b(each, weights, biases, name=linear_name)))
        return stack(outputs, name=name or "stack")


# ---- images: [n, height, width, depth] -----------------------------------------------------


def images_to_sequence(tensor: Tensor) -> Tensor:
    """The rows of images, as sequences [width, n * height, depth]."""
    n, height, width, depth = _shape(tensor)
    return reshape(transpose(tensor, [2, 0, 1, 3]), [width, n * height, depth])


def sequence_to_images(tensor: Tensor, num_image_batches: int) -> Tensor:
    """The way back from `images_to_sequence`, to so many images."""
    width, rows, depth = _shape(tensor)
    apart = reshape(tensor, [width, num_image_batches, rows // num_image_batches, depth])
    return transpose(apart, [1, 2, 0, 3])


def horizontal_lstm(images: Tensor, num_filters_out: int, scope: str | None = None) -> Tensor:
    """Two LSTMs over each row, one from either side: [n, height, width, num_filters_out]."""
    with variable_scope(scope, "HorizontalLstm", [images]):
        sequence, half = images_to_sequence(images), num_filters_out // 2
        with variable_scope("lr"):
            onwards = ndlstm_base(sequence, half)
        with variable_scope("rl"):
            backwards = ndlstm_base(sequence, num_filters_out - half, reverse=True)
        both = concat([onwards, backwards], 2)
        return sequence_to_images(both, _shape(images)[0])


def get_blocks(images: Tensor, kernel_size: list[int]) -> Tensor:
    """Blocks of images as depth: [n, height / rows, width / columns, depth * rows * columns].

    Zeros fill what is missing at the end. In a block depth counts before rows.
    """
    with variable_scope("image_blocks"):
        rows, columns = kernel_size
        n, height, width, depth = _shape(images)
        images = pad(images, [[0, 0], [0, -height % rows], [0, -width % columns], [0, 0]])
        down, right = -(-height // rows), -(-width // columns)
        blocks = reshape(images, [n, down, rows, right, columns, depth])
        blocks = transpose(blocks, [0, 1, 3, 4, 5, 2])
        return reshape(blocks, [n, down, right, columns * depth * rows])


def separable_lstm(
    images: Tensor, num_filters_out: int, kernel_size: list[int] | None = None,
    nhidden: int | None = None, scope: str | None = None,
) -> Tensor:  # fmt: skip
    """LSTMs along the rows, then along the columns of what they gave.

    Args:
      images: [n, height, width, depth].
      num_filters_out: the depth of the result.
      kernel_size: the size of blocks, if the image is cut into such first; see `get_blocks`.
      nhidden: the depth in between; that of the result by default.
      scope: the scope of its variables.
    """
    with variable_scope(scope, "SeparableLstm", [images]):
        if kernel_size is not None:
            images = get_blocks(images, kernel_size)
        hidden = horizontal_lstm(images, nhidden or num_filters_out)
        with variable_scope("vertical"):
            columns = horizontal_lstm(transpose(hidden, [0, 2, 1, 3]), num_filters_out)
        return transpose(columns, [0, 2, 1, 3])


def _columns(images: Tensor) -> Tensor:
    n, height, width, depth = _shape(images)
    return reshape(transpose(images, [1, 0, 2, 3]), [height, n * width, depth])


def reduce_to_sequence(images: Tensor, num_filters_out: int, scope: str | None = None) -> Tensor:
    """The last output of an LSTM down each column: [n, width, num_filters_out]."""
    with variable_scope(scope, "ReduceToSequence", [images]):
        reduced = sequence_to_final(_columns(images), num_filters_out)
        n, _, width, _ = _shape(images)
        return reshape(reduced, [n, width, num_filters_out])


def reduce_to_final(
    images: Tensor, num_filters_out: int, nhidden: int | None = None, scope: str | None = None
) -> Tensor:
    """An LSTM down each column, then one over their last outputs: [n, num_filters_out]."""
    with variable_scope(scope, "ReduceToFinal", [images]):
        nhidden = nhidden or num_filters_out
        n, _, width, _ = _shape(images)
        with variable_scope("reduce1"):
            reduced = sequence_to_final(_columns(images), nhidden)
            hidden = transpose(reshape(reduced, [n, width, nhidden]), [1, 0, 2])
        with variable_scope("reduce2"):
            return sequence_to_final(hidden, num_filters_out)


def pixels_as_vector(images: Tensor, scope: str | None = None) -> Tensor:
    """All pixels of an image, one after the other: [n, height * width * depth]."""
    with name_scope(scope, "PixelsAsVector", [images]):
        n, height, width, depth = _shape(images)
        return reshape(images, [n, height * width * depth])


def pool_as_vector(images: Tensor, scope: str | None = None) -> Tensor:
    """The mean of an image's pixels: [n, depth]."""
    with name_scope(scope, "PoolAsVector", [images]):
        return reduce_mean(images, [1, 2])


def one_hot_planes(labels: Tensor, num_classes: int, scope: str | None = None) -> Tensor:
    """Labels [n] as images of one pixel: [n, 1, 1, num_classes]."""
    with name_scope(scope, "OneHotPlanes", [labels]):
        return reshape(one_hot_encoding(labels, num_classes), [-1, 1, 1, num_classes])


def one_hot_mask(labels: Tensor, num_classes: int, scope: str | None = None) -> Tensor:
    """A label for each pixel, [height, width, 1], as [height, width, num_classes]."""
    with name_scope(scope, "OneHotMask", [labels]):
        height, width, _ = _shape(labels)
        return reshape(
            one_hot_encoding(reshape(labels, [-1]), num_classes), [height, width, num_classes]
        )
