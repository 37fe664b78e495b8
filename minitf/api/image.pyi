"""The names of `tf.image`."""

from minitf.library.images.image_boxes import draw_bounding_boxes as draw_bounding_boxes
from minitf.library.images.image_boxes import sample_distorted_bounding_box as sample_distorted_bounding_box
from minitf.library.images.image_codec import decode_and_crop_jpeg as decode_and_crop_jpeg
from minitf.library.images.image_codec import decode_image as decode_image
from minitf.library.images.image_codec import decode_jpeg as decode_jpeg
from minitf.library.images.image_codec import decode_png as decode_png
from minitf.library.images.image_codec import extract_jpeg_shape as extract_jpeg_shape
from minitf.library.images.image_color import adjust_brightness as adjust_brightness
from minitf.library.images.image_color import adjust_contrast as adjust_contrast
from minitf.library.images.image_color import adjust_hue as adjust_hue
from minitf.library.images.image_color import adjust_saturation as adjust_saturation
from minitf.library.images.image_color import convert_image_dtype as convert_image_dtype
from minitf.library.images.image_color import grayscale_to_rgb as grayscale_to_rgb
from minitf.library.images.image_color import hsv_to_rgb as hsv_to_rgb
from minitf.library.images.image_color import per_image_standardization as per_image_standardization
from minitf.library.images.image_color import random_brightness as random_brightness
from minitf.library.images.image_color import random_contrast as random_contrast
from minitf.library.images.image_color import random_hue as random_hue
from minitf.library.images.image_color import random_saturation as random_saturation
from minitf.library.images.image_color import rgb_to_grayscale as rgb_to_grayscale
from minitf.library.images.image_color import rgb_to_hsv as rgb_to_hsv
from minitf.library.images.image_geometry import central_crop as central_crop
from minitf.library.images.image_geometry import crop_to_bounding_box as crop_to_bounding_box
from minitf.library.images.image_geometry import extract_image_patches as extract_image_patches
from minitf.library.images.image_geometry import flip_left_right as flip_left_right
from minitf.library.images.image_geometry import flip_up_down as flip_up_down
from minitf.library.images.image_geometry import pad_to_bounding_box as pad_to_bounding_box
from minitf.library.images.image_geometry import random_flip_left_right as random_flip_left_right
from minitf.library.images.image_geometry import resize_image_with_crop_or_pad as resize_image_with_crop_or_pad
from minitf.library.images.image_geometry import resize_image_with_crop_or_pad as resize_with_crop_or_pad
from minitf.library.images.image_geometry import transpose_image as transpose
from minitf.library.images.image_geometry import transpose_image as transpose_image
from minitf.library.images.image_resize import ResizeMethod as ResizeMethod
from minitf.library.images.image_resize import resize_images as resize
from minitf.library.images.image_resize import resize_area as resize_area
from minitf.library.images.image_resize import resize_bicubic as resize_bicubic
from minitf.library.images.image_resize import resize_bilinear as resize_bilinear
from minitf.library.images.image_resize import resize_images as resize_images
from minitf.library.images.image_resize import resize_nearest_neighbor as resize_nearest_neighbor
from minitf.library.numeric.random_distributions import random_crop as random_crop

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation",
    "central_crop", "convert_image_dtype", "crop_to_bounding_box", "decode_and_crop_jpeg",
    "decode_image", "decode_jpeg", "decode_png", "draw_bounding_boxes", "extract_image_patches",
    "extract_jpeg_shape", "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb",
    "pad_to_bounding_box", "per_image_standardization", "random_brightness", "random_contrast",
    "random_crop", "random_flip_left_right", "random_hue", "random_saturation", "resize",
    "resize_area", "resize_bicubic", "resize_bilinear", "resize_image_with_crop_or_pad",
    "resize_images", "resize_nearest_neighbor", "resize_with_crop_or_pad", "rgb_to_grayscale",
    "rgb_to_hsv", "sample_distorted_bounding_box", "transpose", "transpose_image"
]
