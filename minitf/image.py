"""The namespace `tf.image`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.image_boxes: crop_and_resize draw_bounding_boxes non_max_suppression
    non_max_suppression_overlaps non_max_suppression_padded
    sample_distorted_bounding_box
minitf.ops.image_codec: adjust_jpeg_quality decode_and_crop_jpeg decode_bmp decode_gif
    decode_image decode_jpeg decode_png encode_jpeg encode_png extract_jpeg_shape is_jpeg
    random_jpeg_quality
minitf.ops.image_color: adjust_brightness adjust_contrast adjust_gamma adjust_hue
    adjust_saturation convert_image_dtype grayscale_to_rgb hsv_to_rgb per_image_standardization
    random_brightness random_contrast random_hue random_saturation rgb_to_grayscale rgb_to_hsv
    rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb
minitf.ops.image_geometry: central_crop crop_to_bounding_box extract_image_patches
    extract_patches=extract_image_patches flip_left_right flip_up_down pad_to_bounding_box
    random_flip_left_right random_flip_up_down resize_image_with_crop_or_pad resize_image_with_pad
    resize_with_crop_or_pad=resize_image_with_crop_or_pad rot90 transpose=transpose_image
    transpose_image
minitf.ops.image_quality: image_gradients psnr sobel_edges ssim ssim_multiscale total_variation
minitf.ops.image_resize: ResizeMethod resize=resize_images resize_area resize_bicubic
    resize_bilinear resize_images resize_nearest_neighbor
minitf.ops.random_more: random_crop
""",
)
