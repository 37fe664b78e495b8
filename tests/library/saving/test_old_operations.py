"""Operations that TensorFlow has given up since, as `tf.raw_ops` and in graphs of 2016."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats.message_text import from_text
from minitf.library.saving.tensorflow_graph import read_graph

raw = tf.raw_ops
X = np.array([[4, 1, 2], [1, 5, -0.5], [2, -0.5, 6]], np.float32)
VOLUME = np.arange(16, dtype=np.float32).reshape(1, 2, 2, 2, 2)
WINDOW = np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2, 1)
IMAGE = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 10
STRIDES: dict[str, Any] = {"strides": [1] * 5, "padding": "SAME"}


@pytest.fixture
def sess() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


#: what an old operation gives, and what it is called today
PAIRS = {
    "BatchCholesky": lambda: (raw.BatchCholesky(input=X), tf.cholesky(X)),
    "BatchFFT": lambda: (raw.BatchFFT(input=X * (1 + 2j)), tf.fft(X * (1 + 2j))),
    "BatchIFFT2D": lambda: (raw.BatchIFFT2D(input=X * (1 + 2j)), tf.ifft2d(X * (1 + 2j))),
    "BatchMatrixBandPart": lambda: (
        raw.BatchMatrixBandPart(input=X, num_lower=0, num_upper=1), tf.matrix_band_part(X, 0, 1)
    ),
    "BatchMatrixDeterminant": lambda: (
        raw.BatchMatrixDeterminant(input=X), tf.matrix_determinant(X)
    ),
    "BatchMatrixDiag": lambda: (raw.BatchMatrixDiag(diagonal=X), tf.matrix_diag(X)),
    "BatchMatrixDiagPart": lambda: (raw.BatchMatrixDiagPart(input=X), tf.matrix_diag_part(X)),
    "BatchMatrixInverse": lambda: (
        raw.BatchMatrixInverse(input=X, adjoint=True), tf.matrix_inverse(X, True)
    ),
    "BatchMatrixSetDiag": lambda: (
        raw.BatchMatrixSetDiag(input=X, diagonal=X[0]), tf.matrix_set_diag(X, X[0])
    ),
    "BatchMatrixSolve": lambda: (raw.BatchMatrixSolve(matrix=X, rhs=X * 2), tf.eye(3) * 2),
    "BatchMatrixTriangularSolve": lambda: (
        raw.BatchMatrixTriangularSolve(matrix=X, rhs=X, lower=False),
        tf.matrix_triangular_solve(X, X, lower=False),
    ),
    "BatchSelfAdjointEigV2": lambda: (
        raw.BatchSelfAdjointEigV2(input=X, compute_v=False)[0], tf.self_adjoint_eigvals(X)
    ),
    "BatchSvd": lambda: (
        raw.BatchSvd(input=X, compute_uv=False)[0], tf.svd(X, compute_uv=False)
    ),
    "BatchNormWithGlobalNormalization": lambda: (
        raw.BatchNormWithGlobalNormalization(
            t=IMAGE, m=[1.0, 2.0], v=[2.0, 3.0], beta=[0.0, 1.0], gamma=[1.0, 2.0],
            variance_epsilon=0.1, scale_after_normalization=True,
        ),
        tf.nn.batch_normalization(IMAGE, [1.0, 2.0], [2.0, 3.0], [0.0, 1.0], [1.0, 2.0], 0.1),
    ),
    "Conv3DBackpropFilter": lambda: (
        raw.Conv3DBackpropFilter(
            input=VOLUME, filter=WINDOW, out_backprop=VOLUME[..., :1], **STRIDES
        ),
        tf.nn.conv3d_backprop_filter(VOLUME, WINDOW.shape, VOLUME[..., :1], **STRIDES),
    ),
    "Conv3DBackpropInput": lambda: (
        raw.Conv3DBackpropInput(
            input=VOLUME, filter=WINDOW, out_backprop=VOLUME[..., :1], **STRIDES
        ),
        tf.nn.conv3d_transpose(VOLUME[..., :1], WINDOW, VOLUME.shape, **STRIDES),
    ),
    "QuantizeAndDequantize": lambda: (
        raw.QuantizeAndDequantize(input=X, input_min=-1.0, input_max=4.0, range_given=True),
        tf.quantization.quantize_and_dequantize(X, -1.0, 4.0, range_given=True),
    ),
    "TopK": lambda: (raw.TopK(input=X, k=2).indices, tf.nn.top_k(X, 2).indices),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_what_was_given_up_is_what_took_its_place(name: str, sess: Any) -> None:
    old, new = sess.run(PAIRS[name]())
    assert old.shape == new.shape
    np.testing.assert_allclose(old, new, rtol=1e-5, atol=1e-6)


GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "m" op: "BatchMatrixInverse" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "inv" op: "Inv" input: "m" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "best" op: "TopK" input: "inv" attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "k" value { i: 1 } } }
node { name: "queue" op: "FIFOQueue"
  attr { key: "component_types" value { list { type: DT_FLOAT type: DT_INT32 } } }
  attr { key: "shapes" value { list { shape { dim { size: 1 } } shape { dim { size: 1 } } } } } }
node { name: "put" op: "QueueEnqueueMany" input: "queue" input: "best" input: "best:1"
  attr { key: "Tcomponents" value { list { type: DT_FLOAT type: DT_INT32 } } } }
node { name: "take" op: "QueueDequeue" input: "queue"
  attr { key: "component_types" value { list { type: DT_FLOAT type: DT_INT32 } } } }
node { name: "left" op: "QueueSize" input: "queue" }
"""


def test_a_graph_of_2016_runs() -> None:
    data = from_text(GRAPH, "GraphDef")
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(read_graph(data), name="")
        sess.run("put", {"x:0": X})
        value, place = sess.run(["take:0", "take:1"])
        inverse = 1 / np.linalg.inv(X)
        assert place == [inverse[0].argmax()] and sess.run("left:0") == 2
        np.testing.assert_allclose(value, [inverse[0].max()], rtol=1e-4)


def test_raw_operations_check_what_they_are_given(sess: Any) -> None:
    made = raw.SparseSplit(
        split_dim=np.int64(0), indices=np.array([[0, 0], [1, 0]]), values=[1.0, 2.0],
        shape=np.array([2, 1]), num_split=2, name="halves",
    )  # fmt: skip
    assert made._fields == ("output_indices", "output_values", "output_shape")
    assert made.output_values[0].name.startswith("halves/")
    assert [v.tolist() for v in sess.run(made.output_values)] == [[1.0], [2.0]]
    with pytest.raises(TypeError, match="missing a required argument: 'input_values'"):
        raw.SparseReorder(input_indices=[[0]])
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        raw.ClipByValue(t=1.0, clip_value_min=0.0, clip_value_max=1.0, size=3)
    assert raw.Inv(x=2.0).op.type == "Reciprocal"
