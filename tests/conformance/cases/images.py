"""Images: resizing, cropping, colours, boxes and files; values, dtypes, shapes, errors."""

from ..case import programs, table

PRELUDE = """
    R = np.random.RandomState(11)
    x = tf.constant(R.rand(2, 7, 6, 3).astype("f"), name="x"); u = tf.constant(R.randint(0, 256, [2, 7, 6, 3]).astype("u1"), name="u")
    one = tf.constant(R.rand(5, 4, 3).astype("f")); byte = tf.constant(R.randint(0, 256, [5, 4, 3]).astype("u1")); gray = tf.constant(R.rand(5, 4, 1).astype("f"))
    short = tf.constant(R.randint(-300, 300, [3, 3, 3]).astype("i2")); dyn = tf.placeholder_with_default(one, [None, None, 3]); dyn4 = tf.placeholder_with_default(x, [None, None, None, 3])
    boxes = tf.constant([[.1, .2, .8, .9], [0., 0., 1., 1.], [-.3, .1, .6, 1.4], [.7, .6, .2, .1]]); of = [0, 1, 1, 0]; N = tf.image.ResizeMethod
    def look(t, *xs, tf=tf, show=show, run=run):
        show(t.dtype, t.shape, run(t))
        ramp = tf.reshape(tf.cast(tf.range(tf.size(t)) % 7 + 1, tf.float32), tf.shape(t))
        for g in tf.gradients(t, list(xs), ramp) if xs else (): show(run(g))
"""

ROWS = """
bilinear | tf.image.resize_bilinear(x, [4, 9]) | x
bilinear_uint8 | tf.image.resize_bilinear(u, [14, 3])
bilinear_corners | tf.image.resize_bilinear(x, [4, 9], align_corners=True) | x
bilinear_half_pixels | tf.image.resize_bilinear(x, [4, 9], half_pixel_centers=True) | x
bilinear_to_one | tf.image.resize_bilinear(x, [1, 1], align_corners=True) | x
bilinear_up | tf.image.resize_bilinear(x, [21, 20]) | x
nearest | tf.image.resize_nearest_neighbor(x, [4, 9]) | x
nearest_uint8 | tf.image.resize_nearest_neighbor(u, [14, 3])
nearest_corners | tf.image.resize_nearest_neighbor(x, [4, 9], align_corners=True) | x
nearest_half_pixels | tf.image.resize_nearest_neighbor(x, [15, 5], half_pixel_centers=True) | x
bicubic | tf.image.resize_bicubic(x, [4, 9]) | x
bicubic_up | tf.image.resize_bicubic(x, [20, 17])
bicubic_corners | tf.image.resize_bicubic(x, [10, 3], align_corners=True) | x
bicubic_half_pixels | tf.image.resize_bicubic(x, [10, 3], half_pixel_centers=True) | x
area | tf.image.resize_area(x, [3, 2])
area_uneven | tf.image.resize_area(u, [5, 4])
area_up | tf.image.resize_area(x, [9, 13])
area_corners | tf.image.resize_area(x, [3, 4], align_corners=True)
resize_images | tf.image.resize_images(x, [3, 4]) | x
resize_images_3d | tf.image.resize_images(one, [8, 8]) | one
resize_images_uint8 | tf.image.resize_images(byte, (3, 3))
resize_images_nearest | tf.image.resize_images(byte, [3, 3], method=N.NEAREST_NEIGHBOR)
resize_images_bicubic | tf.image.resize_images(one, [3, 3], N.BICUBIC)
resize_images_area | tf.image.resize_images(one, [3, 3], method=N.AREA)
resize_images_same | tf.image.resize_images(byte, [5, 4])
resize_images_corners | tf.image.resize_images(one, [9, 7], align_corners=True)
resize_proportions | tf.image.resize(x, [10, 6], preserve_aspect_ratio=True)
resize_proportions_3d | tf.image.resize(one, [2, 9], preserve_aspect_ratio=True)
resize_dynamic | tf.image.resize_images(dyn, [3, 9]) | one
resize_tensor_size | tf.image.resize_images(one, tf.shape(dyn)[:2] * 2)
flip_left_right | tf.image.flip_left_right(one) | one
flip_up_down | tf.image.flip_up_down(u)
flip_batch | tf.image.flip_left_right(x) | x
transpose_image | tf.image.transpose_image(one) | one
transpose_batch | tf.image.transpose_image(u)
central_crop | tf.image.central_crop(x, .5) | x
central_crop_3d | tf.image.central_crop(one, .7)
central_crop_all | tf.image.central_crop(one, 1.)
central_crop_dynamic | tf.image.central_crop(dyn, .4)
crop | tf.image.crop_to_bounding_box(x, 1, 2, 3, 4) | x
crop_3d | tf.image.crop_to_bounding_box(byte, 0, 1, 5, 2)
crop_dynamic | tf.image.crop_to_bounding_box(dyn, 1, 1, 2, 3)
pad | tf.image.pad_to_bounding_box(x, 1, 2, 10, 9) | x
pad_of_unknown_rank | tf.image.pad_to_bounding_box(tf.placeholder_with_default(byte, None), 0, 1, 5, 7)
crop_of_unknown_rank | tf.image.crop_to_bounding_box(tf.placeholder_with_default(byte, None), 0, 1, 2, 2)
pad_3d | tf.image.pad_to_bounding_box(byte, 0, 1, 5, 7)
pad_dynamic | tf.image.pad_to_bounding_box(dyn, 2, 1, 8, 8)
crop_or_pad | tf.image.resize_image_with_crop_or_pad(x, 10, 3) | x
crop_or_pad_odd | tf.image.resize_image_with_crop_or_pad(byte, 2, 7)
crop_or_pad_same | tf.image.resize_image_with_crop_or_pad(byte, 5, 4)
crop_or_pad_dynamic | tf.image.resize_image_with_crop_or_pad(dyn, 4, 9)
crop_or_pad_dynamic_batch | tf.image.resize_with_crop_or_pad(dyn4, 9, 3)
patches | tf.image.extract_image_patches(x, [1, 3, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID") | x
patches_same | tf.image.extract_image_patches(x, ksizes=[1, 3, 3, 1], strides=[1, 2, 1, 1], rates=[1, 1, 1, 1], padding="SAME") | x
patches_rates | tf.image.extract_image_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 3, 1], "VALID") | x
to_float | tf.image.convert_image_dtype(byte, tf.float32)
to_uint8 | tf.image.convert_image_dtype(one, tf.uint8)
to_uint8_saturated | tf.image.convert_image_dtype(one * 2. - .5, tf.uint8, saturate=True)
to_uint16 | tf.image.convert_image_dtype(byte, tf.uint16)
to_int16 | tf.image.convert_image_dtype(byte, tf.int16)
from_int16 | tf.image.convert_image_dtype(short, tf.uint8, saturate=True)
to_float64 | tf.image.convert_image_dtype(one, tf.float64)
to_float16 | tf.image.convert_image_dtype(byte, tf.float16)
brightness | tf.image.adjust_brightness(one, .2) | one
brightness_uint8 | tf.image.adjust_brightness(byte, -.3)
brightness_float64 | tf.image.adjust_brightness(tf.cast(one, tf.float64), .1)
contrast | tf.image.adjust_contrast(x, 2.)
contrast_uint8 | tf.image.adjust_contrast(u, .5)
hue | tf.image.adjust_hue(one, .3)
hue_back | tf.image.adjust_hue(x, -.7)
hue_uint8 | tf.image.adjust_hue(u, .1)
saturation | tf.image.adjust_saturation(one, .4)
saturation_uint8 | tf.image.adjust_saturation(u, 3.)
rgb_to_hsv | tf.image.rgb_to_hsv(x)
hsv_to_rgb | tf.image.hsv_to_rgb(x)
hsv_of_grays | tf.image.rgb_to_hsv(tf.constant([[[0., 0., 0.], [.5, .5, .5], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 0., 1.]]]))
gradient_of_hsv | tf.gradients(tf.image.rgb_to_hsv(x) * [3., 5., 7.], x)[0]
gradient_of_hsv_of_grays | (lambda c: tf.gradients(tf.image.rgb_to_hsv(c) * [3., 5., 7.], c)[0])(tf.constant([[[0., 0., 0.], [.5, .5, .5], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 1., .5], [.2, .8, .8], [.3, .9, .3], [.7, .2, .7], [.4, .1, .1]]]))
there_and_back | tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(one))
to_grayscale | tf.image.rgb_to_grayscale(one) | one
to_grayscale_uint8 | tf.image.rgb_to_grayscale(u)
to_rgb | tf.image.grayscale_to_rgb(gray) | gray
standardization | tf.image.per_image_standardization(one) | one
standardization_batch | tf.image.per_image_standardization(x)
standardization_uint8 | tf.image.per_image_standardization(byte)
standardization_flat | tf.image.per_image_standardization(tf.ones([4, 4, 3]))
draw | tf.image.draw_bounding_boxes(x, tf.reshape(boxes[:2], [2, 1, 4]))
draw_several | tf.image.draw_bounding_boxes(x, [[[.1, .1, .5, .5], [.2, .3, .9, .8]], [[-1., 0., .5, 2.], [0., 0., 1., 1.]]])
draw_colours | tf.image.draw_bounding_boxes(x, [[[.1, .1, .5, .5]], [[0., 0., 1., 1.]]], colors=[[.2, .4, .6]])
draw_gray | tf.image.draw_bounding_boxes(x[..., :1], [[[.1, .1, .5, .5]], [[0., 0., 1., 1.]]])
"""

ERRORS = """
flip_rank | tf.image.flip_left_right(one[0])
crop_rank | tf.image.crop_to_bounding_box(one[0], 0, 0, 1, 1)
crop_negative | tf.image.crop_to_bounding_box(one, -1, 2, 3, 4)
crop_too_high | tf.image.crop_to_bounding_box(one, 1, 0, 5, 4)
crop_too_wide | tf.image.crop_to_bounding_box(one, 1, 2, 3, 4)
crop_empty | tf.image.crop_to_bounding_box(one, 1, 2, 0, 4)
pad_negative | tf.image.pad_to_bounding_box(one, -1, 2, 10, 9)
pad_too_small | tf.image.pad_to_bounding_box(one, 1, 2, 5, 9)
pad_too_narrow | tf.image.pad_to_bounding_box(one, 1, 2, 10, 5)
pad_of_nothing | tf.image.pad_to_bounding_box(one[:0], 0, 0, 5, 9)
crop_of_nothing | tf.image.crop_to_bounding_box(one[:0], 0, 0, 5, 9)
crop_or_pad_zero | tf.image.resize_image_with_crop_or_pad(one, 0, 4)
fraction_zero | tf.image.central_crop(one, 0.)
fraction_two | tf.image.central_crop(one, 2.)
negative_delta | tf.image.random_brightness(one, -.1)
lower_above_upper | tf.image.random_contrast(one, .5, .1)
negative_lower | tf.image.random_saturation(one, -.5, .1)
large_hue | tf.image.random_hue(one, .6)
hsv_of_two_channels | tf.image.rgb_to_hsv(one[..., :2])
rgb_of_three_channels | tf.image.grayscale_to_rgb(one)
resize_rank | tf.image.resize_images(one[0], [2, 2])
resize_size | tf.image.resize_images(one, [2, 2, 3])
bilinear_rank | tf.image.resize_bilinear(one, [2, 2])
"""


CASES = [
    *table("images", PRELUDE, ROWS, word="look"),
    *table("images_errors", PRELUDE, ERRORS, word="fails"),
    *programs(
        "image_files",
        {
            "no_image": """
            for decode in (tf.image.decode_jpeg, tf.image.decode_png):
                t = decode(tf.placeholder_with_default(b"nothing of the kind", []))
                try:
                    run(t)
                except tf.errors.InvalidArgumentError:
                    show("invalid")
        """,
        },
    ),
]
