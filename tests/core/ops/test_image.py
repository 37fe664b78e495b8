"""Images beyond the registry's promises: chance, files, boxes, and what a missing Pillow says."""

import builtins
import io
from typing import Any

import numpy as np
import pytest

import minitf as tf


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def picture(*sizes: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, sizes).astype(np.uint8)


# ---- chance ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flip", "axis"), [(tf.image.random_flip_left_right, 1), (tf.image.random_flip_up_down, 0)]
)
def test_random_flip_gives_both(flip: Any, axis: int) -> None:
    image = picture(4, 5, 3)
    flipped = flip(tf.constant(image), seed=3)
    turned = np.flip(image, axis)
    with tf.Session() as sess:
        drawn = [sess.run(flipped) for _ in range(40)]
    kept = sum(np.array_equal(each, image) for each in drawn)
    assert kept + sum(np.array_equal(each, turned) for each in drawn) == 40
    assert 8 <= kept <= 32


def test_random_flip_of_a_batch_is_for_each_image() -> None:
    batch = picture(64, 2, 3, 1)
    drawn = run(tf.image.random_flip_left_right(tf.constant(batch), seed=1))
    kept = [np.array_equal(a, b) for a, b in zip(drawn, batch, strict=True)]
    assert 10 < sum(kept) < 54
    for image, old, same in zip(drawn, batch, kept, strict=True):
        np.testing.assert_array_equal(image, old if same else old[:, ::-1])


def test_random_brightness_stays_in_its_range() -> None:
    brighter = tf.image.random_brightness(tf.fill([2, 2, 3], 0.5), 0.2)
    with tf.Session() as sess:
        drawn = np.array([sess.run(brighter) for _ in range(50)]) - 0.5
    assert drawn.min() >= -0.2 - 1e-6
    assert drawn.max() <= 0.2 + 1e-6
    assert np.ptp(drawn) > 0.1
    assert np.allclose(drawn, drawn[:, :1, :1, :1])


def test_random_contrast_and_saturation_keep_a_grey_image() -> None:
    gray = tf.fill([3, 3, 3], 0.25)
    for function in (tf.image.random_contrast, tf.image.random_saturation):
        np.testing.assert_allclose(run(function(gray, 0.5, 1.5)), 0.25, atol=1e-6)
    np.testing.assert_allclose(run(tf.image.random_hue(gray, 0.3)), 0.25, atol=1e-6)


def test_a_box_drawn_by_lot_shows_enough_of_an_object() -> None:
    begin, size, box = tf.image.sample_distorted_bounding_box(
        [50, 40, 3], [[[0.2, 0.2, 0.8, 0.6]]], min_object_covered=0.6, area_range=[0.3, 0.9]
    )
    with tf.Session() as sess:
        drawn = [sess.run([begin, size, box]) for _ in range(30)]
    for (top, left, _), (height, width, rest), part in drawn:
        assert rest == -1
        assert 0.29 < height * width / 2000 < 0.91
        assert 0.7 < width / height < 1.4
        shared = max(0, min(top + height, 40) - max(top, 10))
        shared *= max(0, min(left + width, 24) - max(left, 8))
        assert shared >= 0.6 * 30 * 16 - 1e-6
        np.testing.assert_allclose(part[0, 0, :2], [top / 50, left / 40], rtol=1e-6)
    assert len({tuple(b) for b, _, _ in drawn}) > 5


def test_no_object_is_an_error_unless_the_image_is_one() -> None:
    nothing = np.zeros((1, 0, 4), np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No bounding boxes provided"):
        run(tf.image.sample_distorted_bounding_box([5, 5, 3], nothing))
    begin, size, _ = run(
        tf.image.sample_distorted_bounding_box(
            [5, 5, 3], nothing, use_image_if_no_bounding_boxes=True, max_attempts=0
        )
    )
    assert (begin.tolist(), size.tolist()) == ([0, 0, 0], [5, 5, -1])


# ---- values by hand ----------------------------------------------------------------------


def test_resizing_by_two_repeats_and_mixes() -> None:
    row = tf.constant([[[0.0], [1.0]]])
    nearest = tf.image.resize_images(row, [1, 4], tf.image.ResizeMethod.NEAREST_NEIGHBOR)
    assert run(nearest).ravel().tolist() == [0, 0, 1, 1]
    assert run(tf.image.resize_images(row, [1, 4])).ravel().tolist() == [0, 0.5, 1, 1]
    corners = tf.image.resize_images(row, [1, 3], align_corners=True)
    assert run(corners).ravel().tolist() == [0, 0.5, 1]


def test_unknown_method_and_same_size() -> None:
    image = tf.constant(picture(3, 4, 3))
    with pytest.raises(ValueError, match="Resize method is not implemented"):
        tf.image.resize_images(image, [2, 2], method=7)
    assert tf.image.resize_images(image, [3, 4]).dtype == tf.uint8


def test_rot90_turns_as_often_as_it_is_fed() -> None:
    image, k = picture(2, 3, 1), tf.placeholder(tf.int32, [])
    turned = tf.image.rot90(tf.constant(image), k)
    for count in range(-1, 6):
        np.testing.assert_array_equal(run(turned, {k: count}), np.rot90(image, count))


def test_gradients_of_crop_and_resize() -> None:
    image, boxes = (
        tf.constant(picture(1, 4, 4, 1).astype(np.float32)),
        tf.constant([[0.0, 0, 1, 1]]),
    )
    crops = tf.image.crop_and_resize(image, boxes, [0], [4, 4])
    by_image, by_boxes = tf.gradients(crops, [image, boxes])
    np.testing.assert_allclose(run(by_image), 1.0, atol=1e-5)
    part = tf.constant([[0.1, 0.2, 0.7, 0.85]])
    crops = tf.image.crop_and_resize(image / 9.0, part, [0], [3, 2])
    with tf.Session():
        numeric, theirs = tf.test.compute_gradient(
            part, [1, 4], crops, [1, 3, 2, 1], np.float32([[0.1, 0.2, 0.7, 0.85]]), delta=1e-2
        )
    np.testing.assert_allclose(numeric, theirs, atol=2e-2)
    assert run(by_boxes).shape == (1, 4)


def test_soft_suppression_lowers_what_overlaps() -> None:
    boxes = [[0.0, 0, 1, 1], [0, 0, 1, 0.9], [0, 2, 1, 3]]
    places, scores = tf.image.non_max_suppression_with_scores(
        boxes, [0.9, 0.8, 0.7], 3, iou_threshold=1.0, soft_nms_sigma=0.5
    )
    assert run(places).tolist() == [0, 2, 1]
    np.testing.assert_allclose(run(scores), [0.9, 0.7, 0.8 * np.exp(-0.81)], rtol=1e-5)
    hard = tf.image.non_max_suppression_with_scores(boxes, [0.9, 0.8, 0.7], 3)
    assert run(hard[0]).tolist() == [0, 2]


def test_a_box_of_no_image_is_an_error() -> None:
    with pytest.raises(tf.errors.OutOfRangeError, match="box_index has values outside"):
        run(tf.image.crop_and_resize(tf.zeros([1, 2, 2, 1]), [[0.0, 0, 1, 1]], [3], [2, 2]))


def test_suppression_by_hand() -> None:
    boxes = [[0, 0, 2, 2], [0, 0, 2, 1.9], [0, 5, 2, 7.0]]
    scores = [0.5, 0.9, 0.7]
    assert run(tf.image.non_max_suppression(boxes, scores, 5)).tolist() == [1, 2]
    assert run(tf.image.non_max_suppression(boxes, scores, 5, 0.99)).tolist() == [1, 2, 0]
    assert run(tf.image.non_max_suppression(boxes, scores, 1)).tolist() == [1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="iou_threshold must be in"):
        run(tf.image.non_max_suppression(boxes, scores, 5, 2.0))


# ---- files -------------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png_keeps_every_pixel(channels: int) -> None:
    image = picture(6, 5, channels)
    stored = tf.image.encode_png(image)
    assert stored.dtype == tf.string
    assert run(stored).startswith(b"\x89PNG")
    np.testing.assert_array_equal(run(tf.image.decode_png(stored)), image)
    np.testing.assert_array_equal(run(tf.image.decode_image(stored)), image)


def test_jpeg_is_near_and_smaller_when_asked() -> None:
    ramp = np.add.outer(np.arange(32) * 4, np.arange(48) * 2)[..., None].repeat(3, -1)
    ramp = ramp.astype(np.uint8)
    stored = tf.image.encode_jpeg(ramp)
    assert abs(run(tf.image.decode_jpeg(stored)).astype(int) - ramp).max() < 8
    assert run(tf.image.decode_jpeg(stored, channels=1)).shape == (32, 48, 1)
    assert run(tf.image.decode_jpeg(stored, channels=3, ratio=2)).shape == (16, 24, 3)
    assert run(tf.image.extract_jpeg_shape(stored)).tolist() == [32, 48, 3]
    part = run(tf.image.decode_and_crop_jpeg(stored, [4, 8, 10, 20]))
    np.testing.assert_array_equal(part, run(tf.image.decode_jpeg(stored))[4:14, 8:28])
    four = tf.image.decode_jpeg(stored, channels=4)  # may stand in a branch that is not taken
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be 0, 1, or 3 for JPEG"):
        run(four)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be 0, 1, 3, or 4, got 7"):
        run(tf.image.decode_png(stored, channels=7))
    sizes = [len(run(tf.image.encode_jpeg(ramp, quality=q))) for q in (10, 95)]
    assert sizes[0] < sizes[1]
    worse = run(tf.image.adjust_jpeg_quality(tf.constant(ramp), 50))
    assert worse.dtype == np.uint8
    assert worse.shape == ramp.shape


def test_gif_and_bmp() -> None:
    image_module = pytest.importorskip("PIL.Image")
    frames = [image_module.new("RGB", (4, 3), colour) for colour in ("red", "lime")]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    values = run(tf.image.decode_gif(buffer.getvalue()))
    assert values.shape == (2, 3, 4, 3)
    assert values[0, 0, 0].tolist() == [255, 0, 0]
    assert values[1, 0, 0].tolist() == [0, 255, 0]
    contents = tf.constant(buffer.getvalue())
    assert run(tf.image.decode_image(contents)).shape == (2, 3, 4, 3)
    assert run(tf.image.decode_image(contents, expand_animations=False)).shape == (3, 4, 3)
    buffer = io.BytesIO()
    frames[0].save(buffer, "BMP")
    assert run(tf.image.decode_bmp(buffer.getvalue()))[2, 3].tolist() == [255, 0, 0]


def test_bytes_that_are_no_image() -> None:
    for decode in (tf.image.decode_jpeg, tf.image.decode_png, tf.image.decode_image):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown image file format"):
            run(decode(b"nothing"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
        run(tf.image.decode_jpeg(b"\xff\xd8\xff broken"))
    with pytest.raises(ValueError, match="channels must be in"):
        tf.image.decode_image(b"", channels=2)


def test_a_missing_pillow_is_one_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_pillow(name: str, *rest: Any, **named: Any) -> Any:
        if name == "PIL":
            raise ImportError(name)
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_pillow)
    with pytest.raises(tf.errors.UnimplementedError, match=r"pip install 'minitf\[image\]'"):
        run(tf.image.encode_png(picture(2, 2, 3)))
