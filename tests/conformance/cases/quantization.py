"""Numbers rounded to few bits, and the gradients through the rounding."""

from ..case import table

PRELUDE = """
    q = tf.quantization
    x = tf.constant([[-7., -.4, -.1, 0., .26], [.55, 1.1, 2.9, 3.1, 9.]], name="x")
    lo = tf.constant(-1.2); hi = tf.constant(3.3)
    los = tf.constant([-1., -2., 0., -.5, -3.]); his = tf.constant([1., 2., 3., 4., 5.])
"""

ROWS = """
args | q.fake_quant_with_min_max_args(x) | x
args_narrow | q.fake_quant_with_min_max_args(x, -2., 3., num_bits=4, narrow_range=True) | x
vars | q.fake_quant_with_min_max_vars(x, lo, hi) | x lo hi
vars_4_bits | q.fake_quant_with_min_max_vars(x, lo, hi, num_bits=4) | x lo hi
vars_narrow | tf.fake_quant_with_min_max_vars(x, lo, hi, num_bits=3, narrow_range=True) | x lo hi
vars_from_zero | q.fake_quant_with_min_max_vars(x, 0., hi) | x hi
vars_positive_range | q.fake_quant_with_min_max_vars(x, .5, hi, num_bits=4) | x hi
vars_nothing | q.fake_quant_with_min_max_vars(x, 0., 0.)
per_channel | q.fake_quant_with_min_max_vars_per_channel(x, los, his, num_bits=5) | x los his
per_channel_vector | q.fake_quant_with_min_max_vars_per_channel(x[0], los, his) | x los his
vars_gradient | tf.concat([tf.reshape(g, [-1]) for g in q.fake_quant_with_min_max_vars_gradient(x * 2., x, lo, hi)], 0)
args_gradient | q.fake_quant_with_min_max_args_gradient(x * 2., x, -2., 2.)
per_channel_gradient | tf.concat([tf.reshape(g, [-1]) for g in q.fake_quant_with_min_max_vars_per_channel_gradient(x * 2., x, los, his)], 0)
args_none | q.fake_quant_with_min_max_args(x, None, None, None, None)
vars_none | q.fake_quant_with_min_max_vars(x, lo, hi, num_bits=None, narrow_range=None)
args_gradient_none | q.fake_quant_with_min_max_args_gradient(x * 2., x, min=None, num_bits=None)
batch_norm_none | tf.nn.fused_batch_norm(tf.reshape(x, [1, 2, 5, 1]), [2.], [1.], epsilon=None, data_format=None)[0]
response_none | tf.nn.lrn(tf.reshape(x, [1, 1, 2, 5]), None, None, alpha=None, beta=None)
text_none | tf.as_string(x, None, fill=None)
both | q.quantize_and_dequantize(x, 0., 0.) | x
both_given | q.quantize_and_dequantize(x, -2., 3., range_given=True)
both_narrow | q.quantize_and_dequantize(x, -2., 3., range_given=True, narrow_range=True, num_bits=4)
both_unsigned | q.quantize_and_dequantize(tf.abs(x), 0., 3., signed_input=False, range_given=True, num_bits=3)
both_half_up | q.quantize_and_dequantize(x, 0., 0., num_bits=4, round_mode="HALF_UP")
both_axis | q.quantize_and_dequantize(x, los, his, range_given=True, axis=1, num_bits=4)
both_axis_found | q.quantize_and_dequantize(x, [0., 0.], [0., 0.], axis=0, num_bits=4)
both_float64 | q.quantize_and_dequantize(tf.cast(x, tf.float64), -2., 3., range_given=True, num_bits=5)
"""

CASES = [*table("quantization", PRELUDE, ROWS, rtol=1e-4, word="value")]
