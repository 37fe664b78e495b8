"""The namespace `tf.image`: names only."""

from minitf.ops.image_boxes import (
    crop_and_resize,
    draw_bounding_boxes,
    non_max_suppression,
    sample_distorted_bounding_box,
)
from minitf.ops.image_codec import (
    adjust_jpeg_quality,
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from minitf.ops.image_color import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    grayscale_to_rgb,
    hsv_to_rgb,
    per_image_standardization,
    random_brightness,
    random_contrast,
    random_hue,
    random_saturation,
    rgb_to_grayscale,
    rgb_to_hsv,
    rgb_to_yiq,
    rgb_to_yuv,
    yiq_to_rgb,
    yuv_to_rgb,
)
from minitf.ops.image_geometry import (
    central_crop,
    crop_to_bounding_box,
    extract_image_patches,
    flip_left_right,
    flip_up_down,
    pad_to_bounding_box,
    random_flip_left_right,
    random_flip_up_down,
    resize_image_with_crop_or_pad,
    resize_image_with_pad,
    rot90,
    transpose_image,
)
from minitf.ops.image_geometry import extract_image_patches as extract_patches
from minitf.ops.image_geometry import (
    resize_image_with_crop_or_pad as resize_with_crop_or_pad,
)
from minitf.ops.image_geometry import transpose_image as transpose
from minitf.ops.image_quality import (
    image_gradients,
    psnr,
    sobel_edges,
    ssim,
    ssim_multiscale,
    total_variation,
)
from minitf.ops.image_resize import (
    ResizeMethod,
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_images,
    resize_nearest_neighbor,
)
from minitf.ops.image_resize import resize_images as resize
from minitf.ops.random_more import random_crop

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
