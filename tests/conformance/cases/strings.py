"""Strings: constants, what moves them, joining, cutting, matching, codes and hashes."""

from ..case import programs, table

_EACH = """
constant | tf.constant(["a", b"b", "\u00e9"])
constant_of_array | tf.constant(np.array([["x", "yy"]]))
scripts | tf.strings.unicode_script([[97, 0x416, 0x3b1, 0x5b57], [49, 33, 0x300, -3]])
constant_of_nothing | tf.constant([], tf.string)
equal | tf.equal(["a", "b"], ["a", "c"])
equal_scalars | tf.equal("a", "a")
not_equal | tf.not_equal([["a", "b"]], "b")
add | tf.constant(["a", "b"]) + "c"
concat | tf.concat([["a"], ["b"]], 0)
stack | tf.stack(["a", "b"])
gather | tf.gather(["a", "b", "c"], [2, 0])
gather_one | tf.gather(["a", "b", "c"], 1)
slice | tf.constant(["a", "b", "c"])[1:]
item | tf.constant(["a", "b", "c"])[-1]
reshape | tf.reshape(["a", "b"], [2, 1])
reshape_scalar | tf.reshape("a", [1, 1])
where | tf.where([True, False], ["a", "b"], ["c", "d"])
tile | tf.tile(["a"], [3])
expand_dims | tf.expand_dims(tf.constant("a"), 0)
fill | tf.fill([2], "z")
pad | tf.pad(tf.constant(["a"]), [[0, 1]])
transpose | tf.transpose([["a", "b"]])
zeros_like | tf.zeros_like(tf.constant(["a", "b"]))
zeros | tf.zeros([2], tf.string)
boolean_mask | tf.boolean_mask(tf.constant(["a", "b"]), [True, False])
broadcast_to | tf.broadcast_to("a", [2])
one_hot | tf.one_hot([0], 2, on_value="y", off_value="n")
split_tensor | tf.split(tf.constant(["a", "b"]), 2)
shape | tf.shape(tf.constant([["a"]]))
as_string_int | tf.as_string([1, -22])
as_string_float | tf.as_string([1.5, -2e10, np.nan, np.inf])
as_string_precision | tf.as_string(3.14159, precision=2)
as_string_scientific | tf.as_string(31415.9, scientific=True)
as_string_shortest | tf.as_string([31415.9, 1e-10], shortest=True)
as_string_width | tf.as_string([1, -2], width=5)
as_string_zeros | tf.as_string([1, -2], width=5, fill="0")
as_string_left | tf.as_string([1], width=5, fill="-")
as_string_plus | tf.as_string([1.5], width=9, fill="+")
as_string_bool | tf.as_string([True, False])
as_string_complex | tf.as_string(1 + 2j)
as_string_double | tf.as_string(tf.constant(1 / 3, tf.float64), precision=12)
to_number | tf.string_to_number(["1.5", "-2e3", " 7 ", "inf"])
to_number_int | tf.string_to_number("12", tf.int32)
to_number_double | tf.strings.to_number(["3"], tf.float64)
length | tf.strings.length(["a", "bcd", "\u00e9"])
length_characters | tf.strings.length(["a", "\u00e9"], unit="UTF8_CHAR")
lower | tf.strings.lower(["ABc\u00c9"])
lower_unicode | tf.strings.lower(["ABc\u00c9"], encoding="utf-8")
strip | tf.strings.strip([" a \\n", "\\tb c "])
substr | tf.substr("hello", 1, 3)
substr_from_the_end | tf.substr(["hello", "world"], -3, 2)
substr_each | tf.strings.substr(["hello", "world"], [0, 2], [1, 9])
substr_to_the_end | tf.substr("abc", 1, -1)
substr_empty | tf.substr("abc", 3, 1)
substr_characters | tf.strings.substr("h\u00e9llo", 1, 2, unit="UTF8_CHAR")
substr_broadcast | tf.strings.substr([["ab", "cd"], ["ef", "gh"]], [0, 1], [1, 1])
substr_of_one | tf.strings.substr("thirteen", [0, 4], [4, 4])
join | tf.string_join(["a", "b"])
join_separator | tf.strings.join([["a", "b"], ["c", "d"], "e"], separator="-")
reduce_join | tf.reduce_join([["a", "b"], ["c", "d"]])
reduce_join_rows | tf.reduce_join([["a", "b"], ["c", "d"]], 1, separator=".")
reduce_join_columns | tf.reduce_join([["a", "b"], ["c", "d"]], [0, 1])
reduce_join_order | tf.reduce_join([["a", "b"], ["c", "d"]], [1, 0])
reduce_join_kept | tf.strings.reduce_join([["a", "b"], ["c", "d"]], -1, keepdims=True)
split | (lambda s: [s.values, s.indices, s.dense_shape])(tf.string_split(["hello world", " a  b "]))
split_delimiters | tf.string_split(["a,b;c"], ",;").values
split_keeping_empty | tf.string_split(["a,,b"], ",", skip_empty=False).values
split_bytes | tf.string_split(["abc", "d"], "").values
hash_bucket_fast | tf.string_to_hash_bucket_fast(["a", "b", ""], 10)
encode_base64 | tf.encode_base64(["", "a", "ab", "abc", b"\\xff\\xfe"])
encode_base64_padded | tf.encode_base64(["a", "ab"], pad=True)
format | tf.strings.format("x={} y={}", (tf.constant([1, 2, 3]), tf.constant(1.5)))
format_long | tf.strings.format("{}", tf.range(10))
format_matrix | tf.strings.format("{}", tf.reshape(tf.range(9), [3, 3]))
format_strings | tf.strings.format("{}", tf.constant(["a", "b"]))
format_summarize | tf.strings.format("%t", tf.range(10), placeholder="%t", summarize=1)
transcode | tf.strings.unicode_transcode(["h\u00e9"], "UTF-8", "UTF-16-BE")
transcode_ignoring | tf.strings.unicode_transcode([b"a\\xff"], "UTF-8", "UTF-8", errors="ignore")
transcode_latin | tf.strings.unicode_transcode([b"\\xe9"], "ISO-8859-1", "UTF-8")
"""

_FAILS = """
add_int | tf.constant("a") + 1
length_unit | tf.strings.length(["a"], unit="X")
buckets | tf.string_to_hash_bucket_fast(["a"], 0)
format_places | tf.strings.format("{} {}", tf.constant(1))
split_matrix | tf.string_split([["a"]])
substr_shapes | tf.strings.substr("abc", [0], [1, 2])
number_type | tf.string_to_number("1", tf.bool)
run_number | run(tf.string_to_number("abc"))
run_number_of_float | run(tf.string_to_number("1.5", tf.int64))
run_number_too_large | run(tf.string_to_number("99999999999", tf.int32))
run_substr | run(tf.substr("abc", 4, 1))
run_substr_later | run(tf.substr(["abc", "d"], -2, 1))
transcode_errors | tf.strings.unicode_transcode(["a"], "UTF-8", "UTF-8", errors="no")
transcode_encoding | tf.strings.unicode_transcode(["a"], "UTF-8", "UTF-9")
run_encoding | run(tf.strings.lower("a", encoding="x"))
run_fill | run(tf.as_string(1, width=3, fill="x"))
run_notation | run(tf.as_string(1., scientific=True, shortest=True))
run_precision | run(tf.as_string(1, precision=2))
run_strict | run(tf.strings.unicode_transcode(b"a\\xff", "UTF-8", "UTF-8", errors="strict"))
"""

CASES = [
    *table("strings", "", _EACH),
    *table("strings/fails", "", _FAILS, word="fails"),
    *programs(
        "strings",
        {
            "placeholders": """
            x = tf.placeholder(tf.string, [None], name="x"); y = tf.string_join([x, "!"])
            show(x, y, run(y, {x: ["a", b"b"]}), run(x, {x: np.array([b"q"])}))
            fails(run, y)
            fails(run, y, {x: "a"})
            """,
            "variables": """
            v = tf.Variable(["a", "b"], name="v"); w = tf.get_variable("w", initializer=tf.constant("x"))
            show(v, w, run(v), run(w), run(v.assign(["c", "d"])), run(v))
            """,
            "compat": """
            c = tf.compat
            show(c.as_bytes("\u00e9"), c.as_str(b"a"), c.as_text(b"\\xc3\\xa9"), c.as_str_any(3), c.as_bytes(bytearray(b"q")))
            fails(c.as_bytes, 3); fails(c.as_text, None)
            """,
        },
    ),
]
