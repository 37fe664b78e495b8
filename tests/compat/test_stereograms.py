"""`tf.contrib.image.single_image_random_dot_stereograms`."""

import numpy as np
import pytest

import minitf as tf

make = tf.contrib.image.single_image_random_dot_stereograms
DEPTH = [
    [1, 2, 3, 3, 2, 1],
    [1, 2, 3, 4, 5, 2],
    [1, 2, 3, 4, 5, 3],
    [1, 2, 3, 4, 5, 4],
    [6, 5, 4, 4, 5, 5],
]


@pytest.mark.parametrize(
    "settings,shape",
    [
        ({"number_colors": 256}, [768, 1024, 1]),
        ({"number_colors": 512}, [768, 1024, 3]),
        ({"output_image_shape": [1200, 800, 1]}, [800, 1200, 1]),
    ],
)
def test_shapes_are_tensorflows(settings: dict, shape: list[int]) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        made = make(tf.constant(DEPTH), convergence_dots_size=8, normalize=True, **settings)
        assert made.shape.as_list() == shape and made.dtype == tf.uint8
        picture = sess.run(made)
    assert list(picture.shape) == shape
    assert len(np.unique(picture)) == 256


@pytest.mark.parametrize("hidden", [True, False])
@pytest.mark.parametrize("near", [0.0, 0.5, 1.0])
def test_a_plane_repeats_at_its_distance(near: float, hidden: bool) -> None:
    """Of a plane every dot is the one as far to its right as the eyes' two lines are apart."""
    with tf.Graph().as_default(), tf.Session() as sess:
        picture = sess.run(
            make(
                np.full((2, 3), near),
                hidden,
                0,
                number_colors=2,
                normalize=False,
                border_level=near,
                output_image_shape=[200, 20, 1],
                output_data_window=[200, 20],
                dots_per_inch=20,
            )  # fmt: skip
        )[..., 0]
    apart = int((1 - 0.3333 * near) * 50 / (2 - 0.3333 * near) + 0.5)
    np.testing.assert_array_equal(picture[:, :-apart], picture[:, apart:])
    assert set(np.unique(picture)) == {0, 255}
    assert (picture[:, :-1] != picture[:, 1:]).any() and (picture[0] != picture[1]).any()


def test_a_step_is_nearer_and_hides_what_is_beside_it() -> None:
    depth = np.zeros((1, 300))
    depth[0, 100:200] = 1.0
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = tf.placeholder(tf.float64, [None, None])
        made = make(
            fed, convergence_dots_size=6, normalize_min=0.0, normalize_max=1.0, dots_per_inch=20,
            output_image_shape=[300, 40, 1], output_data_window=[300, 30],
        )  # fmt: skip
        picture = sess.run(made, {fed: depth})[..., 0]
    near, far = 20, 25  # (1 - mu) E / (2 - mu) and E / 2, rounded
    middle = picture[2:30, 120:180]
    np.testing.assert_array_equal(middle[:, :-near], middle[:, near:])
    beyond = picture[2:30, 230:]
    np.testing.assert_array_equal(beyond[:, :-far], beyond[:, far:])
    assert (middle[:, :-far] != middle[:, far:]).any()
    black = np.argwhere((picture[33:39] == 0).all(0))[:, 0].tolist()
    assert set(range(135, 141)) <= set(black) and set(range(159, 165)) <= set(black)
