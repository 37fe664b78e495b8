"""The filter on its way: the same answers as a convolution, on the page and in the picture."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from minitf_widgets.lessons import FilterView  # noqa: E402

import minitf as tf  # noqa: E402

EDGE = np.float32([[1, 1, 1], [0, 0, 0], [-1, -1, -1]])


def test_the_answers_are_those_of_a_convolution():
    picture = np.random.default_rng(0).random((8, 8)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        result = tf.nn.conv2d(
            picture[None, :, :, None], EDGE[:, :, None, None], strides=[1, 1, 1, 1], padding="VALID"
        )
        expected = sess.run(result)[0, :, :, 0]
    np.testing.assert_allclose(FilterView(picture, EDGE).answers, expected, atol=1e-5)


def test_what_cannot_slide_is_refused():
    with pytest.raises(ValueError, match="rank 2"):
        FilterView(np.zeros(8), EDGE)
    with pytest.raises(ValueError, match="no square"):
        FilterView(np.zeros((2, 2)), EDGE)
    view = FilterView(np.zeros((4, 4)), EDGE)
    with pytest.raises(ValueError, match="no square"):
        view.weights = [[1, 2, 3]]


def test_picture_and_words():
    view = FilterView(np.eye(4), [[2, 0], [0, 2]], place=5)
    ET.fromstring(view.to_svg())
    assert "row 2, column 3 it answers 0.00" in view.to_text()
    view.place = 4
    assert "row 2, column 2 it answers 4.00" in view.to_text()
