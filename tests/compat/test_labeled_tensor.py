"""Tensors whose axes have names: what TensorFlow's own tests of `labeled_tensor` ask."""

import operator
import subprocess
import sys

import numpy as np
import pytest

import minitf as tf

lt = tf.contrib.labeled_tensor

CHANNELS = ("channel", ["red", "green", "blue"])
NUMBERS = np.arange(7 * 3 * 4 * 5).reshape(7, 3, 4, 5)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.fixture
def whole():
    axes = [("x", range(7)), CHANNELS, "z", ("probs", np.linspace(0.0, 1.0, 5))]
    return lt.LabeledTensor(tf.constant(NUMBERS, tf.int32), axes)


def _named(shape, names, dtype=tf.float32):
    numbers = np.arange(np.prod(shape)).reshape(shape)
    return lt.LabeledTensor(tf.constant(numbers, dtype=dtype), names)


def _check(found, expected, axes, op_name=None):
    """Values, axes and the operation's name."""
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(found), expected, rtol=1e-6)
    assert list(found.axes.items()) == list(lt.LabeledTensor(found.tensor, axes).axes.items())
    if op_name:
        assert found.name.startswith(op_name)


def _of(tensor, *names):
    return [tensor.axes[name] for name in names]


def test_an_axis_has_a_size_or_labels():
    seven, colours, any_size = lt.Axis("7", 7), lt.Axis(*CHANNELS), lt.Axis("any", None)
    assert seven == lt.as_axis(("7", tf.Dimension(7))) and lt.as_axis(seven) is seven
    assert len({seven, colours, any_size, lt.Axis("7prime", 7), lt.Axis("7", range(7))}) == 5
    assert lt.Axis("r", range(7)) == lt.Axis("r", np.arange(7))
    assert lt.Axis("r", range(7)).value == tuple(range(7))
    assert seven.value == tf.Dimension(7) and seven.labels is None
    assert (len(colours), any_size.size, colours.index("blue")) == (3, None, 2)
    assert lt.Axis("none", 0).labels == ()
    assert repr(seven) == "Axis('7', Dimension(7))"
    with pytest.raises(ValueError, match="axis 'any' has unknown length"):
        len(any_size)
    with pytest.raises(ValueError, match="Axis does not have tick labels"):
        seven.index(3)
    with pytest.raises(ValueError, match=r"Tick labels must be unique, but got \(1, 2, 1\)"):
        lt.Axis("a", [1, 2, 1])
    for name, value in (("a", [{}]), ("a", "abc"), (1, 2)):
        with pytest.raises(TypeError):
            lt.Axis(name, value)


def test_axes_are_a_mapping_in_order():
    axes = lt.Axes([("d7", 7), CHANNELS])
    assert axes == lt.Axes([CHANNELS, ("d7", 7)]) != lt.Axes([("d7", 7)])
    assert axes.remove("channel") == lt.Axes([("d7", 7)])
    assert (
        repr(axes) == "Axes([('d7', Dimension(7)),\n      ('channel', ('red', 'green', 'blue'))])"
    )
    with pytest.raises(KeyError):
        axes.remove("z")
    with pytest.raises(ValueError, match="Duplicate axis name: a"):
        lt.Axes([("a", 1), ("a", 2)])


def test_a_labeled_tensor_is_a_tensor_with_axes(whole):
    again = lt.LabeledTensor(whole.tensor, whole.axes.values())
    assert again == whole and hash(again) == hash(whole)
    assert whole != whole.tensor and whole != lt.identity(whole)
    assert (whole.name, whole.dtype) == (whole.tensor.name, tf.int32)
    assert whole.get_shape() == [7, 3, 4, 5]
    assert tf.convert_to_tensor(whole) is whole.tensor
    lines = repr(whole).split("\n")
    assert lines[0] == "<LabeledTensor 'Const:0' shape=(7, 3, 4, 5) dtype=int32"
    assert lines[2:4] == [
        "       ('channel', ('red', 'green', 'blue')),",
        "       ('z', Dimension(4)),",
    ]
    assert lt.LabeledTensor(tf.placeholder(tf.string, [None]), ["x"]).axes["x"].size is None
    with pytest.raises(ValueError, match="Tensor rank was not equal to the number of axes"):
        lt.LabeledTensor(tf.ones([2]), [("x", 2), ("y", 1)])
    with pytest.raises(ValueError, match="axis size 3 does not match tensor dimension size 2"):
        lt.LabeledTensor(tf.ones([2]), [("x", 3)])
    with pytest.raises(TypeError):
        lt.LabeledTensor([0.0, 0.5], ["x"])


def test_what_has_no_axes_is_converted():
    for value in (42, np.array(42), tf.constant(42)):
        _check(lt.convert_to_labeled_tensor(value), 42, [])
    for value in (tf.range(5), np.array([1, 2])):
        with pytest.raises(ValueError, match="cannot automatically convert unlabeled arrays"):
            lt.convert_to_labeled_tensor(value)


def test_places_are_taken_as_of_a_tensor(whole):
    _check(whole[1, :, :, 0], NUMBERS[1, :, :, 0], _of(whole, "channel", "z"), "lt_slice")
    _check(whole[1, 2, :, 0][3], NUMBERS[1, 2, 3, 0], [])
    axes = [("x", range(1, 5)), ("channel", ["green", "blue"]), "z", whole.axes["probs"]]
    found = lt.slice(whole, {"x": slice(1, 5), "channel": slice(1, None), "z": slice(1, 3)})
    _check(found, NUMBERS[1:5, 1:, 1:3], axes)
    open_lt = lt.placeholder(tf.float32, ["x", ("y", 1)])
    assert list(lt.slice(open_lt, {"y": 0}).axes.values()) == [open_lt.axes["x"]]
    for key in (0, (slice(None),) * 5):
        with pytest.raises(ValueError, match=r"must have the same length as the Tensor rank \(4\)"):
            whole[key]


def test_axes_are_transposed_by_name(whole):
    order = ["z", "channel", "x", "probs"]
    _check(lt.transpose(whole, order), NUMBERS.transpose(2, 1, 0, 3), _of(whole, *order))
    _check(lt.transpose(whole), NUMBERS.T, _of(whole, "probs", "z", "channel", "x"), "lt_transpose")
    for names in (["channel", "x", "probs"], ["z", "foo", "x", "probs"]):
        with pytest.raises(ValueError, match="must have the same names as the original axes"):
            lt.transpose(whole, names)


def test_axes_are_put_between(whole):
    wide = lt.expand_dims(whole, ["x", "bar", "channel", ("foo", "label"), "z", "probs"])
    x, channel, z, probs = whole.axes.values()
    axes = [x, "bar", channel, ("foo", ["label"]), z, probs]
    _check(wide, NUMBERS.reshape(7, 1, 3, 1, 4, 5), axes, "lt_expand_dims")
    open_lt = lt.placeholder(tf.float32, ["x"])
    assert lt.expand_dims(open_lt, ["x", "y"]).axes == lt.Axes([("x", None), ("y", 1)])
    with pytest.raises(lt.AxisOrderError, match="not all axis names appear"):
        lt.expand_dims(whole, ["not_x", "channel", "z", "probs"])
    with pytest.raises(lt.AxisOrderError, match="do not appear in the same order"):
        lt.expand_dims(whole, ["z", "channel", "x", "probs"])


def test_an_order_is_imposed_and_checked():
    order = ["w", "x", "y", "z"]
    tensor = _named([1, 2, 3], order[:3])
    numbers = np.arange(6).reshape(1, 2, 3)
    lt.check_axis_order(tensor, order)
    _check(lt.impose_axis_order(tensor, order), numbers, _of(tensor, "w", "x", "y"))
    turned = _of(tensor, "y", "x", "w")
    _check(lt.impose_axis_order(tensor, order[::-1]), numbers.T, turned, "lt_impose_axis_order")
    with lt.axis_order_scope(order[::-1]) as given:
        assert given == order[::-1]
        _check(lt.impose_axis_order(tensor), numbers.T, turned)
        with (
            lt.axis_order_scope(),
            pytest.raises(lt.AxisOrderError, match="an explicit axis order"),
        ):
            lt.check_axis_order(tensor)
        with pytest.raises(lt.AxisOrderError):
            lt.check_axis_order(tensor)
    with pytest.raises(lt.AxisOrderError):
        lt.impose_axis_order(tensor)
    with pytest.raises(ValueError):
        lt.impose_axis_order(tensor, ["x"])


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        ("", "", ""), ("x", "", "x"), ("", "x", "x"), ("x", "x", "x"), ("y", "x", "yx"),
        ("xy", "yx", None), ("xy", "yz", "xyz"), ("xz", "yz", "xyz"), ("xy", "xz", "xyz"),
        ("wx", "yz", "wxyz"), ("xyz", "zx", None), ("xyz", "x", "xyz"), ("", "xyz", "xyz"),
    ],
)  # fmt: skip
def test_axes_of_two_tensors_find_an_order(a, b, order):
    first, second = (_named([2] * len(names), list(names)) for names in (a, b))
    if order is None:
        with pytest.raises(lt.AxisOrderError, match="No consistent axis order allows"):
            lt.align(first, second)
    else:
        assert list(lt.align(first, second)[2]) == list(order)


def test_tensors_are_aligned(whole):
    xp = lt.slice(whole, {"z": 0, "channel": 0})
    cp = lt.slice(whole, {"x": 3, "z": 0})
    first, second, axes = lt.align(xp, cp)
    x, channel, probs = _of(whole, "x", "channel", "probs")
    _check(first, NUMBERS[:, :1, 0], [x, "channel", probs])
    _check(second, NUMBERS[3:4, :, 0], ["x", channel, probs])
    assert axes == lt.Axes([x, channel, probs])
    assert [first.name, second.name] == [f"lt_align/lt_align/{place}:0" for place in (0, 1)]

    xz, yz = _named([2, 3], ["x", "z"]), _named([4, 3], ["y", "z"])
    assert list(lt.align(yz, xz)[2]) == ["y", "x", "z"]
    with lt.axis_order_scope(["x", "y", "z"]):
        assert list(lt.align(yz, xz)[2]) == ["x", "y", "z"]
    with lt.axis_order_scope(["x", "y"]), pytest.raises(lt.AxisOrderError):
        lt.align(xz, yz)
    one, other = (lt.LabeledTensor(tf.zeros([5]), [("a", range(k, k + 5))]) for k in (0, 1))
    with pytest.raises(ValueError, match="Mismatched 'a' axis on input tensors"):
        lt.align(one, other)


UNARY = (
    "abs neg sign reciprocal square round sqrt rsqrt exp log ceil floor cos sin tan acos asin atan "
    "lgamma digamma erf erfc tanh sigmoid"
).split()


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_each_element(name):
    values = np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3)
    tensor = lt.LabeledTensor(tf.constant(values), ["x", ("y", "u v w".split())])
    function = getattr(lt, name)
    old = {"ceil": tf.math.ceil, "neg": tf.negative, "reciprocal": tf.math.reciprocal}
    with tf.Session() as sess:
        expected = sess.run(old.get(name, getattr(tf, name, None))(tensor.tensor))
    _check(function(tensor), expected, tensor.axes, f"lt_{name}")
    assert function.__name__ == name and f"tf.{name}" in function.__doc__


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "mod": np.mod,
    "pow": np.power, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "maximum": np.maximum, "minimum": np.minimum, "squared_difference": lambda x, y: (x - y) ** 2,
}  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_tensors_that_meet_by_name(name):
    first, second = _named([2, 4], ["x", "z"]), _named([3, 4], ["y", "z"]) + 1.0
    a, b = np.arange(8.0).reshape(2, 1, 4), np.arange(12.0).reshape(1, 3, 4) + 1
    found = getattr(lt, name)(first, second)
    _check(found, BINARY[name](a, b), ["x", "y", "z"], f"lt_{name}")
    assert getattr(lt, name).__name__ == name


@pytest.mark.parametrize("name", ["igamma", "igammac", "zeta", "polygamma"])
def test_special_functions_of_two_tensors(name):
    first, second = _named([4], ["x"]) + 2.0, _named([4], ["x"]) + 1.5
    with tf.Session() as sess:
        expected = sess.run(getattr(tf, name)(first.tensor, second.tensor))
    _check(getattr(lt, name)(first, second), expected, ["x"], f"lt_{name}")


def test_operators_work_on_either_side():
    x, values = _named([2, 3], ["x", "y"]) + 1.0, np.arange(6.0).reshape(2, 3) + 1
    for sign in (
        operator.add, operator.sub, operator.mul, operator.truediv, operator.mod, operator.pow,
        operator.lt, operator.le, operator.gt, operator.ge,
    ):  # fmt: skip
        _check(sign(x, 2.0), sign(values, 2.0), ["x", "y"])
        _check(sign(2.0, x), sign(2.0, values), ["x", "y"])
    assert (2.0 < x).name.startswith("lt_greater")
    _check(-x, -values, ["x", "y"], "lt_neg")
    _check(abs(-x), values, ["x", "y"], "lt_abs")
    assert +x is x
    a, b = x < 4.0, x > 2.0
    for sign in (operator.and_, operator.or_, operator.xor):
        _check(sign(a, b), sign(values < 4, values > 2), ["x", "y"])
    _check(~a, values >= 4, ["x", "y"], "lt_logical_not")


def test_layers_keep_axes():
    x = _named([2, 3], ["x", "y"]) - 2.0
    values = np.arange(6.0).reshape(2, 3) - 2
    _check(lt.nn.relu(x), np.maximum(values, 0), ["x", "y"], "lt_relu")
    power = np.exp(values)
    _check(lt.nn.softmax(x), power / power.sum(1, keepdims=True), ["x", "y"], "lt_softmax")
    with pytest.raises(ValueError, match="Tensor rank"):
        lt.nn.l2_loss(x)
    with pytest.raises(ValueError, match="named arguments"):
        lt.nn.sigmoid_cross_entropy_with_logits(x, x)


def test_parts_are_selected_by_label(whole):
    x, _, z, probs = whole.axes.values()
    _check(lt.select(whole, {"channel": "green"}), NUMBERS[:, 1], [x, z, probs], "lt_select")
    _check(lt.select(whole, {"x": 1, "channel": "green"}), NUMBERS[1, 1], [z, probs])
    parts = {"x": slice(1, 4), "channel": slice("green", None)}
    axes = [("x", range(1, 5)), ("channel", ["green", "blue"]), z, probs]
    _check(lt.select(whole, parts), NUMBERS[1:5, 1:], axes)
    for labels in (["blue", "red"], ["red"], []):
        places = [CHANNELS[1].index(label) for label in labels]
        found = lt.select(whole, {"channel": labels})
        _check(found, NUMBERS[:, places], [x, ("channel", labels), z, probs], "lt_select")
    for error, selection in (
        (ValueError, {"foo": 1}), (ValueError, {"z": 1}), (KeyError, {"channel": "purple"}),
        (KeyError, {"channel": ["red", "purple"]}),
        (NotImplementedError, {"channel": ["red"], "x": [1]}),
        (NotImplementedError, {"channel": ["red"], "x": 1}),
        (NotImplementedError, {"channel": slice("red", "green", 2)}),
    ):  # fmt: skip
        with pytest.raises(error):
            lt.select(whole, selection)


def test_tensors_are_joined(whole):
    red, green = (lt.select(whole, {"channel": [colour]}) for colour in ("red", "green"))
    axes = lt.select(whole, {"channel": ["red", "green"]}).axes
    _check(lt.concat([red, green], "channel"), NUMBERS[:, :2], axes, "lt_concat")
    both = lt.concat([whole, whole], "z")
    assert both.axes["z"] == lt.Axis("z", 8)
    for tensors, axis in (
        ([], "channel"), ([red, red], "channel"), ([red, red], "foo"),
        ([red, lt.transpose(green, ["probs", "channel", "z", "x"])], "channel"),
        ([red, lt.rename_axis(green, "x", "w")], "channel"),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            lt.concat(tensors, axis)


def test_tensors_are_packed_and_unpacked(whole):
    axes = list(whole.axes.values())
    pair = np.stack([NUMBERS, NUMBERS])
    _check(lt.pack([whole, whole], "batch"), pair, ["batch", *axes], "lt_pack")
    last = lt.pack([whole, whole], ("batch", ["a", "b"]), axis_position=4)
    _check(last, np.stack([NUMBERS] * 2, 4), [*axes, ("batch", ["a", "b"])])
    for axis_name, place in ((None, 0), ("z", 2)):
        parts = lt.unpack(whole, axis_name)
        rest = axes[:place] + axes[place + 1 :]
        _check(parts[1], NUMBERS.take(1, place), rest)
        assert parts[1].name.startswith("lt_unpack")
    for wrong in (
        lambda: lt.pack([whole, whole], "channel"),
        lambda: lt.pack([], "batch"),
        lambda: lt.pack([whole, whole[0, :, :, :]], "batch"),
        lambda: lt.unpack(whole, axis_name="not_found"),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_axes_are_reshaped_and_renamed(whole):
    x, old = whole.axes["x"], ["channel", "z", "probs"]
    for new in ("new", ("new", 60), ("new", range(60)), lt.Axis("new", 60)):
        _check(lt.reshape(whole, old, [new]), NUMBERS.reshape(7, 60), [x, new], "lt_reshape")
    open_lt = lt.placeholder(tf.float32, ["x"])
    made = lt.reshape(open_lt, ["x"], ["y", ("z", 1)])
    assert made.axes == lt.Axes([("y", None), ("z", 1)])
    with tf.Session() as sess:
        assert sess.run(made, {open_lt.tensor: [1, 2]}).tolist() == [[1], [2]]
    named = lt.rename_axis(whole, "channel", "foo")
    assert list(named.axes) == ["x", "foo", "z", "probs"]
    assert named.axes["foo"].labels == tuple(CHANNELS[1]) and named.name == "lt_rename_axis:0"
    with pytest.raises(ValueError, match="not contained in the set"):
        lt.reshape(whole, ["foo"], ["bar"])
    with pytest.raises(lt.AxisOrderError, match="not a slice of axis names"):
        lt.reshape(whole, ["probs", "z"], ["bar"])
    with pytest.raises(ValueError, match="at most one axis in new_axes"):
        lt.reshape(whole, ["probs"], ["foo", "bar"])
    with pytest.raises(ValueError, match="not contained in the set"):
        lt.rename_axis(whole, "foo", "bar")


def _fed(tensor):
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        found = sess.run(tensor)
        coord.request_stop()
        coord.join(threads)
    return found


def test_batches_have_an_axis_of_their_own():
    ten = _named([10, 2], ["batch", ("y", ["u", "v"])])
    numbers = np.arange(20).reshape(10, 2)
    (two,) = lt.batch([ten], batch_size=2, enqueue_many=True)
    (again,) = lt.batch([two], batch_size=10, enqueue_many=True)
    assert len(two.axes["batch"]) == 2 and again.axes == ten.axes
    assert two.name.startswith("lt_batch")
    np.testing.assert_array_equal(_fed(again), numbers)
    first, second = lt.batch([ten[0, :], ten[1, :]], 3)
    assert list(first.axes) == ["batch", "y"]
    np.testing.assert_array_equal(_fed(second), [numbers[1]] * 3)
    (mixed,) = lt.shuffle_batch(
        [ten], 10, enqueue_many=True, min_after_dequeue=20, capacity=40, seed=0
    )
    assert mixed.axes == ten.axes and mixed.name.startswith("lt_shuffle_batch")
    found = _fed(mixed)
    assert not (found == numbers).all() and {*map(tuple, found)} <= {*map(tuple, numbers)}
    for make in (lt.batch, lt.shuffle_batch):
        (last,) = make([ten], batch_size=2, allow_smaller_final_batch=True, enqueue_many=True)
        assert last.axes["batch"].size is None
        with pytest.raises(ValueError, match='must have an axis called "batch"'):
            make([lt.rename_axis(ten, "batch", "x")], 3, enqueue_many=True)


def test_parts_are_cropped_at_random(whole):
    sizes = {"probs": 3, "channel": 2}
    one, same, other = (lt.random_crop(whole, sizes, seed=seed) for seed in (1, 1, 2))
    assert one.axes == lt.Axes([whole.axes["x"], ("channel", 2), ("z", 4), ("probs", 3)])
    with tf.Session() as sess:
        one, same, other = sess.run([one, same, other])
    assert (one == same).all() and not (one == other).all()
    assert set(one.flat) <= set(NUMBERS.flat)
    with pytest.raises(ValueError, match="Selection axis foobar not in axes"):
        lt.random_crop(whole, {"foobar": 2})


def test_functions_run_along_the_first_axis(whole):
    _check(lt.map_fn(lt.identity, whole), NUMBERS, whole.axes, "lt_map_fn")
    found = lt.map_fn(lambda part: lt.cast(part[1, :, :], tf.float32) * 2.0, whole)
    _check(found, NUMBERS[:, 1] * 2.0, _of(whole, "x", "z", "probs"))
    words = lt.constant([["a", "b"]], axes=["x", "y"])
    with tf.Session() as sess:
        assert sess.run(lt.map_fn(lt.identity, words)).tolist() == [[b"a", b"b"]]
    start = lt.zeros_like(whole[0, :, :, :])
    folded = lt.foldl(lambda total, part: total * 2 + part, whole, start)
    expected = np.zeros([3, 4, 5])
    for part in NUMBERS:
        expected = expected * 2 + part
    _check(folded, expected, _of(whole, "channel", "z", "probs"), "lt_foldl")


def test_axes_of_size_1_are_dropped(whole):
    thin = lt.slice(whole, {"channel": slice(0, 1), "probs": slice(0, 1)})
    _check(lt.squeeze(thin), NUMBERS[:, 0, :, 0], _of(whole, "x", "z"), "lt_squeeze")
    kept = _of(thin, "x", "channel", "z")
    _check(lt.squeeze(thin, ["probs"]), NUMBERS[:, :1, :, 0], kept)
    _check(lt.squeeze(whole), NUMBERS, whole.axes)
    with pytest.raises(ValueError, match="cannot squeeze axis with size greater than 1"):
        lt.squeeze(whole, ["channel"])
    with pytest.raises(ValueError, match="axis foo is not in tensor axes"):
        lt.squeeze(thin, ["foo"])


def test_matrices_are_multiplied_over_the_axis_they_share():
    xy, yz = _named([2, 3], ["x", "y"]), _named([3, 4], ["y", "z"])
    a, b, y = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4), _named([3], ["y"])
    for left in (xy, lt.transpose(xy)):
        for right in (yz, lt.transpose(yz)):
            _check(lt.matmul(left, right), a @ b, ["x", "z"], "lt_matmul")
            _check(lt.matmul(right, left), (a @ b).T, ["z", "x"])
            with lt.axis_order_scope(["x", "y", "z"]):
                _check(lt.matmul(right, left), a @ b, ["x", "z"])
        _check(lt.matmul(left, y), a @ np.arange(3), ["x"])
        _check(lt.matmul(y, left), a @ np.arange(3), ["x"])
    _check(lt.matmul(y, y), 5, [])
    x, xyz = _named([2], ["x"]), _named([2, 3, 1], ["x", "y", "z"])
    for error, text, pair in (
        (ValueError, "inputs with at least rank", (x, 1.0)),
        (NotImplementedError, "inputs with rank 2 or less", (x, xyz)),
        (ValueError, "exactly one axis in common", (x, y)),
        (NotImplementedError, "multiple shared axes", (xy, xy)),
        (ValueError, "does not match", (x, _named([3], ["x"]))),
    ):
        with pytest.raises(error, match=text):
            lt.matmul(*pair)


def test_sums_drop_axes_or_keep_them(whole):
    x, _, z, probs = whole.axes.values()
    total = NUMBERS.sum(1)
    for axes in ("channel", ["channel"], {"channel"}):
        _check(lt.reduce_sum(whole, axes), total, [x, z, probs], "lt_reduce_sum")
    for axes in (("channel", "all"), {("channel", "all")}):
        kept = [x, ("channel", ["all"]), z, probs]
        _check(lt.reduce_sum(whole, axes), total[:, None], kept)
    _check(lt.reduce_sum(whole, ("channel", None)), total[:, None], [x, "channel", z, probs])
    both = lt.reduce_sum(whole, ["x", ("channel", "all")])
    _check(both, NUMBERS.sum((0, 1))[None], [("channel", ["all"]), z, probs])
    _check(lt.reduce_sum(whole), NUMBERS.sum(), [])
    _check(lt.reduce_sum(whole, []), NUMBERS, whole.axes)
    assert "tf.reduce_sum" in lt.reduce_sum.__doc__ and lt.reduce_sum.__name__ == "reduce_sum"
    with pytest.raises(ValueError, match="Axis foo not in axes"):
        lt.reduce_sum(whole, "foo")


@pytest.mark.parametrize("name", ["mean", "prod", "min", "max", "all", "any", "logsumexp"])
def test_other_reductions(name):
    values = np.arange(6.0).reshape(2, 3)
    tensor = _named([2, 3], ["x", "y"])
    if name in ("all", "any"):
        values, tensor = values > 2, tensor > 2.0
    reduced = np.log(np.exp(values).sum(0)) if name == "logsumexp" else getattr(values, name)(0)
    _check(getattr(lt, f"reduce_{name}")(tensor, "x"), reduced, ["y"], f"lt_reduce_{name}")


def test_tensors_are_tiled_and_padded(whole):
    x, channel, z, probs = whole.axes.values()
    for times in (2, tf.constant(2)):
        tiled = np.tile(NUMBERS, [1, 1, 2, 1])
        _check(lt.tile(whole, {"z": times}), tiled, [x, channel, "z", probs], "lt_tile")
    padded = lt.pad(whole, {"x": (1, 1), "channel": ([], ["alpha"])})
    axes = [("x", 9), ("channel", [*CHANNELS[1], "alpha"]), z, probs]
    _check(padded, np.pad(NUMBERS, [[1, 1], [0, 1], [0, 0], [0, 0]]), axes, "lt_pad")
    mirrored = lt.pad(_named([3], ["x"]), {"x": (2, 0)}, mode="REFLECT")
    _check(mirrored, [2, 1, 0, 1, 2], ["x"])
    with pytest.raises(ValueError, match="tile axes .* are not contained in the set"):
        lt.tile(whole, {"foo": 5})
    with pytest.raises(ValueError, match=r"cannot tile axes with tick labels: \['x'\]"):
        lt.tile(whole, {"x": 5})
    with pytest.raises(ValueError, match="pad axes .* are not contained in the set"):
        lt.pad(whole, {"foo": (1, 1)})


def test_constants_and_what_is_like_them(whole):
    _check(lt.constant(1), 1, [], "lt_constant")
    _check(lt.constant([1, 2], axes=["x"]), [1, 2], ["x"])
    _check(lt.constant(1, axes=[("x", 3)]), [1, 1, 1], ["x"])
    _check(lt.constant([1, 2], tf.float32, lt.Axes([("x", 2)])), [1, 2], ["x"])
    _check(lt.zeros_like(whole), np.zeros_like(NUMBERS), whole.axes, "lt_zeros_like")
    _check(lt.ones_like(whole, tf.float32), np.ones_like(NUMBERS), whole.axes, "lt_ones_like")
    half = lt.cast(whole, tf.float16)
    _check(half, NUMBERS, whole.axes, "lt_cast")
    assert half.dtype == tf.float16


def test_numbers_are_checked():
    good, bad = (lt.verify_tensor_all_finite(lt.constant(v), "seen") for v in (42.0, np.nan))
    _check(good, 42.0, [], "lt_verify_tensor_all_finite")
    with (
        tf.Session() as sess,
        pytest.raises(tf.errors.InvalidArgumentError, match="had NaN values"),
    ):
        sess.run(bad)


def test_masks_and_choices(whole):
    mask = lt.LabeledTensor(tf.range(7) > 3, [whole.axes["x"]])
    masked = lt.boolean_mask(whole, mask)
    _check(masked, NUMBERS[4:], ["x", *list(whole.axes.values())[1:]], "lt_boolean_mask")
    with pytest.raises(NotImplementedError, match="only supports 1D masks"):
        lt.boolean_mask(whole, whole > 3)
    with pytest.raises(ValueError, match="the first axis of the labeled tensor and the mask"):
        lt.boolean_mask(whole, lt.LabeledTensor(tf.range(7) > 3, ["foo"]))
    x = _named([3], ["x"])
    _check(lt.where(x > 0.5, x, -x - 1.0), [-1, 1, 2], ["x"], "lt_where")
    with pytest.raises(ValueError, match="all inputs to `where` must have equal axes"):
        lt.where(x > 0.5, x, 0.0)


def _examples():
    rows = [(1, [2, 3, 4]), (5, [6, 7, 8])]

    def feature(values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    made = [tf.train.Features(feature={"a": feature([a]), "b": feature(b)}) for a, b in rows]
    return [tf.train.Example(features=each).SerializeToString() for each in made]


def test_examples_are_parsed():
    features = {
        "a": lt.FixedLenFeature([], tf.int64),
        "b": lt.FixedLenFeature([("x", 3)], tf.int64),
    }
    serialized = lt.LabeledTensor(tf.constant(_examples()), ["batch"])
    parsed = lt.parse_example(serialized, features)
    _check(parsed["a"], [1, 5], ["batch"])
    _check(parsed["b"], [[2, 3, 4], [6, 7, 8]], ["batch", "x"])
    one = lt.parse_single_example(serialized[0], features)
    _check(one["a"], 1, [])
    _check(one["b"], [2, 3, 4], ["x"])
    filled = lt.parse_single_example(serialized[1], {"c": lt.FixedLenFeature([], tf.int64, 9)})
    _check(filled["c"], 9, [])
    open_lt = lt.LabeledTensor(tf.placeholder(tf.string, [None]), ["batch"])
    assert lt.parse_example(open_lt, features)["b"].axes["batch"].size is None
    with pytest.raises(ValueError, match="axes with unknown size are not supported"):
        lt.parse_single_example(serialized[0], {"a": lt.FixedLenFeature([("x", None)], tf.int64)})


def test_placeholders_are_fed():
    given = lt.placeholder(tf.float32, ["batch", ("x", ["a", "b"])])
    assert given.axes == lt.Axes([("batch", None), ("x", ["a", "b"])])
    assert (given.dtype, given.name) == (tf.float32, "lt_placeholder:0")
    with tf.Session() as sess:
        assert sess.run(2.0 * given, {given.tensor: [[1, 2]]}).tolist() == [[2, 4]]


def test_a_coder_reshapes_there_and_back(whole):
    coder = lt.ReshapeCoder(["channel", "z"], ["depth"])
    with pytest.raises(ValueError, match="decode called before encode"):
        coder.decode(whole)
    there = coder.encode(whole)
    _check(there, NUMBERS.reshape(7, 12, 5), [whole.axes["x"], "depth", whole.axes["probs"]])
    assert there.name == "lt_reshape_encode:0"
    _check(coder.decode(there * 2), NUMBERS * 2, whole.axes, "lt_reshape_decode")
    with pytest.raises(ValueError, match="do not match axes from previous method call"):
        coder.encode(lt.slice(whole, {"z": slice(0, 2)}))


def test_names_can_be_given_and_follow_scopes(whole):
    assert lt.identity(whole, name="mine").name == "mine:0"
    with tf.name_scope("outer"):
        assert lt.add(whole, 1, "sum").name == "outer/sum:0"


def test_a_program_of_tensorflow_imports_it(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "from tensorflow.contrib import labeled_tensor as lt\n"
        "x = lt.constant([[1, 2], [3, 4]], axes=['x', ('y', ['u', 'v'])])\n"
        "print(tf.Session().run(lt.select(x, {'y': 'v'}) + lt.reduce_sum(x, 'y')))\n"
    )
    command = [sys.executable, "-m", "minitf", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[ 5 11]\n"
