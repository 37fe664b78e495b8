"""None in the place of an argument that an operation has a default for."""

from ..case import table

PRELUDE = """
    x = tf.constant([[4., 1., 2.], [1., 5., -.5], [2., -.5, 6.]], name="x")
    image = tf.reshape(tf.range(64.), [1, 4, 4, 4]) / 64.
    words = tf.constant(["One two", "three"])
    picture = tf.cast(image[0, :, :, :3] * 255., tf.uint8)
"""

ROWS = """
inverse | tf.matrix_inverse(x, None) | x
solve | tf.matrix_solve(x, x, adjoint=None) | x
qr | tf.qr(x, full_matrices=None)[1]
cumsum | tf.cumsum(x, 1, None, None) | x
argmax | tf.argmax(x, 1, output_type=None)
sum | tf.reduce_sum(x, 1, keepdims=None) | x
space_to_depth | tf.space_to_depth(image, 2, None, None)
depth_to_space | tf.depth_to_space(image, 2, data_format=None)
resize_area | tf.image.resize_area(image, [2, 2], None)
resize_bilinear | tf.image.resize_bilinear(image, [3, 3], None, half_pixel_centers=None) | x
resize_bicubic | tf.image.resize_bicubic(image, [3, 3], align_corners=None)
resize_nearest | tf.image.resize_nearest_neighbor(image, [3, 3], align_corners=None)
lrn | tf.nn.lrn(image, bias=None) | x
conv | tf.nn.conv2d(image, tf.ones([2, 2, 4, 1]), [1, 1, 1, 1], "SAME", None, None, None)
avg_pool | tf.nn.avg_pool(image, [1, 2, 2, 1], [1, 1, 1, 1], "SAME", data_format=None)
max_pool | tf.nn.max_pool(image, [1, 2, 2, 1], [1, 1, 1, 1], "SAME", data_format=None)
bias | tf.nn.bias_add(image, [1., 2., 3., 4.], None)
leaky | tf.nn.leaky_relu(x, None)
top_k | tf.nn.top_k(x, 2, None)[0]
ctc | tf.nn.ctc_greedy_decoder(tf.reshape(x, [3, 1, 3]), [3], None)[1]
lower | tf.strings.lower(words, None)
base64 | tf.encode_base64(words, None)
transcode | tf.strings.unicode_transcode(words, "UTF-8", "UTF-16-BE", None, None, None)
length | tf.strings.length(words, unit=None)
substr | tf.strings.substr(words, 1, 2, unit=None)
number | tf.string_to_number(tf.constant(["1.5"]), None)
hash_bucket | tf.string_to_hash_bucket_fast(words, 7)
join | tf.string_join([words, words], None)
reduce_join | tf.reduce_join(words, separator=None)
csv | tf.decode_csv(tf.constant(["1,2"]), [[0.], [0]], None, None)[1]
raw | tf.decode_raw(words[:1], tf.uint8, None)
unique | tf.unique(tf.constant([3, 1, 3]), None)[1]
counts | tf.unique_with_counts(tf.constant([3, 1, 3]), out_idx=None)[2]
setdiff | tf.setdiff1d([1, 2, 3], [2], None)[1]
shape | tf.shape(x, out_type=None)
size | tf.size(x, out_type=None)
cast_trunc | tf.gather(x, [1], None)
one_hot | tf.one_hot([1], 3, axis=None)
squeeze | tf.squeeze(x[:1], None)
print | tf.Print(x, [x], None, None, None)
"""

CASES = table("none", PRELUDE, ROWS, word="value", rtol=1e-4)
