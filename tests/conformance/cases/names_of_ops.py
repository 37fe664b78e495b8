"""Names of 1.15 that stand alone: n-grams, boxes of classes, volumes in blocks, JSON, lapped sound."""

from ..case import programs, table

_NGRAMS = """
vector | tf.strings.ngrams(["a", "b", "c"], 2)
matrix | tf.strings.ngrams([["a", "b", "c"], ["d", "e", "f"]], 2)
cube | tf.strings.ngrams([[["a", "b"], ["c", "d"]]], 2, separator="")
several | tf.strings.ngrams(["a", "b", "c"], [2, 1], pad_values=("L", "R"))
padded | tf.strings.ngrams(["a", "b"], 3, pad_values="_")
padded_less | tf.strings.ngrams(["a", "b"], [4, 3], pad_values=b"P", padding_width=1)
padded_once | tf.strings.ngrams(["a", "b"], 1, pad_values="P", padding_width=5)
too_short | tf.strings.ngrams(["a", "b"], 5)
kept | tf.strings.ngrams(["a", "b"], [6, 7], pad_values="P", padding_width=1, preserve_short_sequences=True)
kept_unpadded | tf.strings.ngrams(["a", "b"], 6, preserve_short_sequences=True)
not_kept | tf.strings.ngrams(["a", "b"], [6, 2], preserve_short_sequences=True)
empty_kept | tf.strings.ngrams(tf.constant([], tf.string), 2, preserve_short_sequences=True)
empty_padded | tf.strings.ngrams(tf.constant([], tf.string), 2, pad_values="P")
ragged | tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], [], ["d"]]), 2).flat_values
ragged_splits | tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], [], ["d"]]), [1, 2]).row_splits
ragged_twice | tf.strings.ngrams(tf.ragged.constant([[["a", "b"], []], [["d"]]]), 2, pad_values="_").flat_values
unknown_sizes | tf.strings.ngrams(tf.placeholder_with_default([["a", "b"]], [None, None]), 2)
"""

_NGRAMS_FAIL = """
width | tf.strings.ngrams(["a"], 0)
widths | tf.strings.ngrams(["a"], [1, -2])
pad | tf.strings.ngrams(["a"], 2, pad_values=1)
pads | tf.strings.ngrams(["a"], 2, pad_values=("a", 2))
width_alone | tf.strings.ngrams(["a"], 2, padding_width=1)
no_width | tf.strings.ngrams(["a"], 2, pad_values="x", padding_width=0)
scalar | tf.strings.ngrams("a", 2)
unknown_rank | tf.strings.ngrams(tf.placeholder(tf.string), 2)
numbers | tf.strings.ngrams([1, 2], 2)
"""

_BOXES = """
rng = np.random.RandomState(3)
corners = rng.rand(2, 6, 1, 4).astype("f"); apart = rng.rand(2, 6, 3, 4).astype("f") * 2 - 0.5
scores = rng.rand(2, 6, 3).astype("f")
def best(boxes, *args, **kwargs):
    return list(tf.image.combined_non_max_suppression(boxes, scores, *args, **kwargs))
"""

_BOXES_EACH = """
shared | best(corners, 3, 5)
of_each_class | best(apart, 3, 5)
unclipped | best(apart, 2, 5, clip_boxes=False)
thresholds | best(apart, 3, 5, iou_threshold=0.1, score_threshold=0.5)
padded_to_classes | best(corners, 2, 40, pad_per_class=True)
padded_to_total | best(corners, 2, 4, pad_per_class=True)
more_places | best(corners, 1, 9)
unknown_sizes | best(corners, tf.placeholder_with_default(3, []), tf.placeholder_with_default(4, []))
unknown_boxes | best(tf.placeholder_with_default(corners, None), 3, 4)
no_images | list(tf.image.combined_non_max_suppression(np.zeros((0, 3, 1, 4), "f"), np.zeros((0, 3, 1), "f"), 3, 4))
no_boxes | list(tf.image.combined_non_max_suppression(np.zeros((1, 0, 1, 4), "f"), np.zeros((1, 0, 1), "f"), 3, 4))
no_area | list(tf.image.combined_non_max_suppression(np.zeros((1, 3, 1, 4), "f"), np.ones((1, 3, 1), "f"), 3, 4))
"""

_BOXES_FAIL = """
classes | best(apart[:, :, :2], 3, 4)
rank | best(corners[0], 3, 4)
count | best(corners[:, :4], 3, 4)
sides | best(corners[..., :3], 3, 4)
total | best(corners, 3, 0)
run_per_class | run(best(corners, 0, 4))
run_total | run(best(corners, 3, tf.placeholder_with_default(0, [])))
run_threshold | run(best(corners, 3, 4, iou_threshold=2.0))
run_classes | run(best(tf.placeholder_with_default(apart[:, :, :2], None), 3, 4))
"""

_VOLUMES = """
rng = np.random.RandomState(4)
x = tf.constant(rng.rand(2, 4, 5, 3, 2).astype("f"))
def blocks(x, ksizes, strides, padding):
    return tf.extract_volume_patches(x, [1, *ksizes, 1], [1, *strides, 1], padding)
"""

_VOLUMES_EACH = """
valid | blocks(x, [2, 2, 2], [1, 1, 1], "VALID") | x
same | blocks(x, [2, 3, 2], [2, 2, 1], "SAME") | x
apart | blocks(x, [1, 2, 1], [2, 3, 2], "VALID") | x
whole | blocks(x, [4, 5, 3], [1, 1, 1], "VALID") | x
too_large | blocks(x, [5, 1, 1], [1, 1, 1], "VALID")
ints | blocks(tf.cast(x * 10, tf.int32), [2, 1, 1], [1, 1, 1], "SAME")
double | blocks(tf.cast(x, tf.float64), [2, 1, 2], [1, 1, 1], "SAME") | x
nothing | blocks(x[:0], [2, 1, 1], [1, 1, 1], "SAME")
unknown_batch | blocks(tf.placeholder_with_default(x, [None, 4, 5, 3, 2]), [2, 1, 1], [1, 1, 1], "SAME")
"""

_VOLUMES_FAIL = """
rank | blocks(x[0], [2, 2, 2], [1, 1, 1], "VALID")
ksizes | tf.extract_volume_patches(x, [1, 2, 2, 1], [1, 1, 1, 1, 1], "VALID")
strides | tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 1, 1, 1], "VALID")
stride_zero | blocks(x, [2, 2, 2], [0, 1, 1], "VALID")
much_too_large | blocks(x, [7, 2, 2], [1, 1, 1], "VALID")
padding | blocks(x, [2, 2, 2], [1, 1, 1], "FULL")
bool | blocks(x > 0, [2, 2, 2], [1, 1, 1], "VALID")
run_ksizes | run(tf.extract_volume_patches(x, [2, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID"))
run_strides | run(tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 1, 1, 1, 2], "VALID"))
"""

_CTC = """
collapsed | list(tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [1, 2, 3, 4, 5]], [5, 4]))
collapsed_long | list(tf.nn.collapse_repeated(tf.constant([[1, 1], [2, 2]], tf.int64), tf.constant([2, 0], tf.int64)))
collapsed_nothing | list(tf.nn.collapse_repeated(tf.zeros([2, 3], tf.int32), [0, 0]))
collapsed_unknown | list(tf.nn.collapse_repeated(tf.placeholder_with_default([[1, 1, 2]], [None, None]), [3]))
collapsed_text | list(tf.nn.collapse_repeated([[5.0, 5.0, 1.0]], [3]))
"""

_CTC_VALUES = """
unique | tf.nn.ctc_unique_labels([[3, 4, 4, 3], [1, 1, 1, 1]])[0]
unique_places | tf.nn.ctc_unique_labels([[3, 4, 4, 3], [1, 2, 1, 5]])[1]
"""

_CTC_FAIL = """
collapsed_rank | tf.nn.collapse_repeated([1, 1], [2])
unique_scalar | tf.nn.ctc_unique_labels(3)
"""

_SPACE = """
image = tf.constant(np.arange(35, dtype="f").reshape(1, 5, 7, 1))
def pooled(rate, padding, *args, x=image, size=(2, 2), **kwargs):
    kind = kwargs.get("data_format", "NHWC")
    step = lambda x, n, p: tf.nn.max_pool(x, list(size), 1, p, data_format=kind) if n < 3 else x
    return tf.nn.with_space_to_batch(x, rate, padding, step, *args, **kwargs)
"""

_SPACE_EACH = """
same | pooled([2, 2], "SAME", [2, 2]) | image
valid | pooled([2, 3], "VALID") | image
one | pooled([1, 1], "SAME") | image
rows | pooled([2], "SAME", [2], [2], size=(1, 2)) | image
columns | pooled([2], "VALID", spatial_dims=[1], size=(2, 1)) | image
margins | pooled([2, 2], [[0, 0], [1, 1], [0, 2], [0, 0]]) | image
unknown | pooled([2, 2], "SAME", [2, 2], x=tf.placeholder_with_default(image, [None, None, None, 1]))
unknown_rate | pooled(tf.placeholder_with_default([2, 2], [2]), "SAME", [2, 2])
unknown_rate_of_rows | pooled(tf.placeholder_with_default([2], [1]), "VALID", spatial_dims=[2], size=(1, 2))
"""

_SPACE_FAIL = """
no_filter | pooled([2, 2], "SAME")
rate_zero | pooled([2, 0], "SAME", [2, 2])
padding | pooled([2, 2], "SAM", [2, 2])
axes | pooled([2], "SAME", [2], [0])
axes_order | pooled([2, 2], "SAME", [2, 2], [2, 1])
rank | pooled([2, 2, 2, 2], "SAME", [2, 2])
"""

_OTHERS = """
xlog1py | tf.math.xlog1py(x, y) | x y
xlog1py_zero | tf.math.xlog1py([0.0, 0.0, 1.0], [-1.0, np.nan, -1.0])
xlog1py_broadcast | tf.math.xlog1py(x, 2.0) | x
erfcinv | tf.math.erfcinv([0.0, 0.1, 0.5, 1.5, 1.9, 2.0, 3.0])
erfcinv_gradient | tf.math.erfcinv(p) | p
silu | tf.nn.silu(x) | x
silu_beta | tf.nn.silu(x, 2.0) | x
kaiser | tf.signal.kaiser_window(7)
kaiser_even | tf.signal.kaiser_window(6, beta=3.0, dtype=tf.float64)
kaiser_one | tf.signal.kaiser_window(1)
kaiser_unknown | tf.signal.kaiser_window(tf.placeholder_with_default(5, []))
derived | tf.signal.kaiser_bessel_derived_window(8)
derived_odd | tf.signal.kaiser_bessel_derived_window(7, beta=4.0)
vorbis | tf.signal.vorbis_window(5)
vorbis_double | tf.signal.vorbis_window(8, dtype=tf.float64)
vorbis_nothing | tf.signal.vorbis_window(0)
mdct | tf.signal.mdct(s, 8) | s
mdct_batch | tf.signal.mdct(tf.reshape(s, [2, 12]), 4)
mdct_padded | tf.signal.mdct(s[:23], 8, pad_end=True, norm="ortho")
mdct_plain | tf.signal.mdct(s, 8, window_fn=None)
inverse_mdct | tf.signal.inverse_mdct(c) | c
inverse_mdct_ortho | tf.signal.inverse_mdct(c, norm="ortho")
inverse_mdct_plain | tf.signal.inverse_mdct(c, window_fn=None)
inverse_mdct_derived | tf.signal.inverse_mdct(c, window_fn=tf.signal.kaiser_bessel_derived_window)
"""

_OTHERS_NOTHING = """
fft_of_nothing | tf.fft(np.zeros([2, 0], "F"))
ifft2d_of_nothing | tf.ifft2d(np.zeros([0, 3], "D"))
"""

_OTHERS_FAIL = """
xlog1py_types | tf.math.xlog1py([1], [2])
silu_int | tf.nn.silu([1])
kaiser_type | tf.signal.kaiser_window(6, dtype=tf.int32)
kaiser_rank | tf.signal.kaiser_window([5])
vorbis_rank | tf.signal.vorbis_window([5])
mdct_length | tf.signal.mdct(s, 6)
mdct_norm | tf.signal.mdct(s, 8, norm="x")
fingerprint_method | tf.fingerprint(["a"], "x")
fingerprint_scalar | tf.fingerprint("a")
run_fingerprint_method | run(tf.fingerprint(["a"], tf.placeholder_with_default("x", [])))
run_fingerprint_scalar | run(tf.fingerprint(tf.placeholder_with_default("a", None)))
"""

_HASHES = """
strings | tf.fingerprint(["a", "bc", ""])
string_rows | tf.fingerprint([["a", "bc"], ["", "d"]])
string_column | tf.fingerprint([["a"], ["bc"]])
ints | tf.fingerprint([[1, 2], [3, 4]])
floats | tf.fingerprint(np.arange(24, dtype="d").reshape(2, 3, 4))
bools | tf.fingerprint([True, False])
no_rows | tf.fingerprint(np.zeros((0, 3), "f"))
empty_rows | tf.fingerprint(np.zeros((2, 0), "f"))
unknown | tf.fingerprint(tf.placeholder_with_default([1, 2], None))
"""

#: what `tf.decode_json_example` is given; `*` stands for the feature a
_JSON = r"""
{}
{"features": null}
{"features": {"feature": null}}
{"features": {"feature": {"a": null}}}
{"features": {}}
{"features": {"feature": {"": {}, "\u00e9": {"floatList": {}}}}}
{"int64List": {"value": [1, "2", -3, "-4", 1.0, 1e2, 0]}}
{"int64_list": {"value": []}}
{"int64List": {"value": 7}}
{"int64List": {"value": null}}
{"int64List": null}
{"floatList": {"value": [1.5, "2.5", "NaN", "Infinity", "-Infinity", 0, [3]]}}
{"bytesList": {"value": ["aGk=", "aGk", "_-8", "", "/+8="]}}
{"floatList": {"value": [null, 1]}}
"""

_JSON_FAILS = r"""
[]
1
{"bad": 1}
{"features": 1}
{"features": [1]}
{"features": {"bad": 1}}
{"features": {"feature": 1}}
{"features": {"feature": [{"key": "a"}]}}
* {"bad": 1}
* {"int64List": {"bad": 1}}
* {"int64List": {"value": ["x"]}}
* {"int64List": {"value": ["1e2"]}}
* {"int64List": {"value": [1.5]}}
* {"int64List": {"value": [1, true]}}
* {"int64List": {"value": [99999999999999999999]}}
* {"int64List": {"value": ["9223372036854775808"]}}
* {"floatList": {"value": [1e300]}}
* {"floatList": {"value": ["x"]}}
* {"floatList": {"value": [true]}}
* {"bytesList": {"value": ["!"]}}
* {"bytesList": {"value": ["a"]}}
* {"bytesList": {"value": [1]}}
* {"int64List": {"value": [1]}, "floatList": {"value": [2]}}
* {"int64List": {"value": [1]}, "int64List": {"value": [2]}}
* 3
* [1]
"""


def _examples(rows: str) -> list[str]:
    found = []
    for row in rows.strip().splitlines():
        inner = (
            row.lstrip("* ")
            if row.startswith("*") or "List" in row[:12] or "_list" in row
            else None
        )
        found.append(row if inner is None else f'{{"features": {{"feature": {{"a": {inner}}}}}}}')
    return found


_NUMBERS = """
x = tf.constant([0.0, 1.0, 2.0, -1.5]); y = tf.constant([0.5, 2.0, 3.0, 4.0]); p = tf.constant([0.2, 1.0, 1.7])
s = tf.constant(np.sin(np.arange(24.0)).astype("f")); c = tf.constant(np.cos(np.arange(12.0)).reshape(3, 4).astype("f"))
"""

CASES = [
    *table("names/ngrams", "", _NGRAMS, word="value"),
    *table("names/ngrams_fail", "", _NGRAMS_FAIL, word="fails"),
    *table("names/boxes", _BOXES, _BOXES_EACH),
    *table("names/boxes_fail", _BOXES, _BOXES_FAIL, word="fails"),
    *table("names/volumes", _VOLUMES, _VOLUMES_EACH),
    *table("names/volumes_fail", _VOLUMES, _VOLUMES_FAIL, word="fails"),
    *table("names/ctc", "", _CTC),
    *table("names/ctc_values", "", _CTC_VALUES, word="value"),
    *table("names/ctc_fail", "", _CTC_FAIL, word="fails"),
    *table("names/space", _SPACE, _SPACE_EACH, word="value"),
    *table("names/space_fail", _SPACE, _SPACE_FAIL, word="fails"),
    *table("names/numbers", _NUMBERS, _OTHERS, word="value"),
    *table("names/numbers", "", _OTHERS_NOTHING),
    *table("names/numbers_fail", _NUMBERS, _OTHERS_FAIL, word="fails"),
    *table("names/hashes", "", _HASHES),
    *programs(
        "names/json",
        {
            f"{i}": f"t = tf.io.decode_json_example([{text!r}])\nshow(t, run(t), run(tf.decode_json_example({text!r})))"
            for i, text in enumerate(_examples(_JSON))
        },
    ),
    *programs(
        "names/json_fails",
        {
            f"{i}": f"fails(run, tf.decode_json_example({text!r}))"
            for i, text in enumerate(_examples(_JSON_FAILS))
        },
    ),
    *programs(
        "names",
        {
            "json_syntax": """
            for text in ("", "  "):
                fails(run, tf.decode_json_example(text))
            """,
            "ngrams_op": """
            def of(splits, data=("a", "b"), **attrs):
                attrs = {"separator": "-", "ngram_widths": [2], "left_pad": "L", "right_pad": "R", "pad_width": 1, "preserve_short_sequences": True, **attrs}
                return run(tf.raw_ops.StringNGrams(data=tf.constant(list(data), tf.string), data_splits=tf.constant(splits, tf.int64), **attrs))
            show(list(of([0, 2])), list(of([0, 1, 2], ngram_widths=[9], pad_width=2)), list(of([0, 0], data=[])), list(of([0, 2], ngram_widths=[])), list(of([0, 2], ngram_widths=[3, 4], pad_width=-1)))
            for splits in ([0, 3], [1, 2], [0, 2, 1], [0, 1], [0]):
                fails(of, splits)
            fails(of, [0, 2], ngram_widths=[0])
            fails(of, [[0, 2]])
            """,
            "passed_through": """
            x = tf.constant([0.4, 1.6, -2.5]); v = tf.Variable(1.0); w = tf.get_variable("w", [], use_resource=True, initializer=tf.ones_initializer())
            y = tf.grad_pass_through(tf.round)(x)
            z = tf.grad_pass_through(lambda a, b: (a * 2, tf.floor(b)))(x, x + 1)
            u = tf.grad_pass_through(lambda a: a * w)(x)
            show(y.shape, run(y), run(tf.gradients(y * y, x)), run(z), run(tf.gradients(z[0] + 3 * z[1], x)), run(u), run(tf.gradients(u, x)))
            show(tf.grad_pass_through(tf.round).__name__, tf.gradients(u, w))
            """,
            "passed_through_eagerly": """
            # eager
            x = tf.constant(3.0); v = tf.Variable(1.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.grad_pass_through(v.assign)(x ** 2)
            show(y.numpy(), tape.gradient(y, x).numpy(), v.numpy())
            """,
            "time": """
            import time
            t = tf.timestamp()
            show(t, abs(run(t) - time.time()) < 60, run(t) <= run(t), tf.timestamp(name="now"))
            """,
            "patches_of_unknown_volumes": """
            x = tf.placeholder(tf.float32, [None, 2, 3, 4, 1])
            y = tf.extract_volume_patches(x, [1, 2, 1, 1, 1], [1, 1, 1, 1, 1], "VALID")
            rows = np.arange(48.0).reshape(2, 2, 3, 4, 1)
            show(run(y, {x: rows}), run(tf.gradients(y, x), {x: rows}))
            """,
        },
    ),
]
