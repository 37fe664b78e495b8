"""Images beyond the registry's promises: chance, boxes, and files that ask for much."""

import io
import struct
import tracemalloc
import zlib

import numpy as np
import PIL.Image
import pytest

import minitf as tf
from tests.graphs import run


def picture(*sizes: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, sizes).astype(np.uint8)


# ---- chance ------------------------------------------------------------------------------


def test_random_flip_of_a_batch_is_for_each_image() -> None:
    batch = picture(64, 2, 3, 1)
    drawn = run(tf.image.random_flip_left_right(tf.constant(batch), seed=1))
    kept = [np.array_equal(a, b) for a, b in zip(drawn, batch, strict=True)]
    assert 10 < sum(kept) < 54
    for image, old, same in zip(drawn, batch, kept, strict=True):
        np.testing.assert_array_equal(image, old if same else old[:, ::-1])


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


# ---- files -------------------------------------------------------------------------------


def test_bytes_that_are_no_image() -> None:
    for decode in (tf.image.decode_jpeg, tf.image.decode_png, tf.image.decode_image):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown image file format"):
            run(decode(b"nothing"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
        run(tf.image.decode_jpeg(b"\xff\xd8\xff broken"))
    with pytest.raises(ValueError, match="channels must be in"):
        tf.image.decode_image(b"", channels=2)


# ---- files that ask for much -----------------------------------------------------------


def gif(frames: int, width: int, height: int, wide: int = 1, high: int = 1) -> bytes:
    """Frames on a screen."""
    frame = b"," + struct.pack("<HHHHB", 0, 0, wide, high, 0) + b"\2\2L\1\0"
    screen = struct.pack("<HHBBB", width, height, 0x80, 0, 0)
    return b"GIF89a" + screen + b"\0\0\0\xff\xff\xff" + frame * frames + b";"


def png(width: int, height: int) -> bytes:
    """A head, and pixels that end at once."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def bmp(width: int, height: int) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 32, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + head


def jpeg(width: int, height: int) -> bytes:
    file = io.BytesIO()
    PIL.Image.fromarray(picture(4, 5, 3)).save(file, "JPEG")
    return file.getvalue().replace(struct.pack(">HH", 4, 5), struct.pack(">HH", height, width), 1)


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize(
    ("contents", "text"),
    [
        (gif(20, 3000, 3001), "GIF size too large: 20 x 3001 x 3000 x 3 values"),
        (gif(20, 1, 1, 3000, 3001), "GIF size too large: 20 x 3001 x 3000 x 3 values"),
        (gif(20, 1, 1, 60_000, 60_000), "GIF size too large"),
        (gif(1, 60_000, 60_000), "GIF size too large"),
        (png(13_000, 13_000), "PNG size too large: 1 x 13000 x 13000 x 4 values"),
        (png(60_000, 60_000), "PNG size too large"),
        (bmp(60_000, 60_000), "BMP size too large"),
        (jpeg(60_000, 60_000), "JPEG size too large"),
    ],
    ids=[
        "gif",
        "frames",
        "large frames",
        "large gif",
        "png",
        "large png",
        "large bmp",
        "large jpeg",
    ],
)
def test_a_small_file_is_no_large_picture(contents: bytes, text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(tf.image.decode_image(contents))
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()


def test_the_first_frame_needs_no_others() -> None:
    tracemalloc.start()
    try:
        image = run(tf.image.decode_image(gif(100, 1000, 1000), expand_animations=False))
        assert tracemalloc.get_traced_memory()[1] < 5e7
    finally:
        tracemalloc.stop()
    assert image.shape == (1000, 1000, 3)
    assert run(tf.image.decode_image(gif(3, 20, 10))).shape == (3, 10, 20, 3)


def test_pictures_are_not_read_to_know_a_shape(graph: tf.Graph) -> None:
    sizes = tf.cast(tf.image.decode_image(gif(1, 2, 2)), tf.int32)
    assert tf.contrib.util.constant_value(sizes) is None
