"""The messages that summary ops make, beside plain Python."""

import io
import sys

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats import summary_protos
from minitf.library.summary.summary import png_bytes


def test_pictures_open_in_pillow():
    image = pytest.importorskip("PIL.Image", reason="needs Pillow")
    for channels in (1, 3, 4):
        pixels = np.arange(6 * channels, dtype=np.uint8).reshape(2, 3, channels)
        opened = np.asarray(image.open(io.BytesIO(png_bytes(pixels))))
        np.testing.assert_array_equal(opened.reshape(pixels.shape), pixels)


def test_without_tensorboard_one_sentence_says_so(monkeypatch):
    fresh = summary_protos._Messages("tensorboard.compat.proto", summary_protos._FILES)
    monkeypatch.setattr(summary_protos, "_events", fresh)
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.summary_pb2", None)
    merged = tf.summary.merge([tf.summary.scalar("loss", 1.0)])  # building needs nothing
    with tf.Session() as sess, pytest.raises(tf.errors.OpError, match="minitf.tensorboard"):
        sess.run(merged)
    with pytest.raises(ImportError, match="TensorBoard's format"):
        _ = summary_protos.Summary  # where the public API looks `tf.Summary` up
