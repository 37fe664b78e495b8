"""What pipelines refuse, and what they warn about."""

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

Dataset = tf.data.Dataset


def test_a_generator_goes_on_after_a_bad_element(sess):
    data = Dataset.from_generator(lambda: iter([1, "two", 3]), tf.int64)
    element = data.make_one_shot_iterator().get_next()
    assert sess.run(element) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="The expected type was int64"):
        sess.run(element)
    assert sess.run(element) == 3


def test_lists_are_no_structures():
    with pytest.raises(TypeError, match="input must also be a sequence"):
        tf.data.Iterator.from_structure((tf.int64, tf.int64), [[], []])
    pair = Dataset.from_tensors(([1], [2]))
    with pytest.raises(TypeError, match="input must also be a sequence"):
        pair.padded_batch(2, [[None], [None]])


@pytest.mark.parametrize(
    ("shape", "error", "match"),
    [
        ([1], ValueError, r"\(1,\) is not compatible .* component shape \(3,\)"),
        ([1, 1], ValueError, r"\(1, 1\) is not compatible .* component shape \(3,\)"),
        ([[1, 1]], ValueError, "1-D tensor of tf.int64 values, but its shape was"),
        (tf.constant([1.5, 2, 3]), TypeError, "but its element type was float32"),
    ],
)
def test_shapes_to_fill_up_to(shape, error, match):
    with pytest.raises(error, match=match):
        Dataset.from_tensors([1, 2, 3]).padded_batch(5, padded_shapes=shape)


def test_minus_one_is_unknown(sess):
    data = Dataset.from_tensors([1, 2]).padded_batch(1, padded_shapes=[-1])
    assert data.output_shapes.as_list() == [None, None]


def test_rows_of_one_sparse_tensor(sess):
    value = tf.SparseTensorValue([[0, 1], [1, 0]], [5, 6], [2, 2])
    element = Dataset.from_tensors(value).unbatch().make_one_shot_iterator().get_next()
    assert sess.run(element).indices.tolist() == [[1]]
    assert sess.run(element).values.tolist() == [6]
    with pytest.raises(ValueError, match="Cannot unbatch an input with scalar components"):
        Dataset.from_tensors(7).unbatch()
    with pytest.raises(ValueError, match="2 and 3"):
        Dataset.from_tensors(([1, 2], [1, 2, 3])).unbatch()


@pytest.mark.parametrize(
    ("types", "shapes", "match"),
    [
        (tf.int64, [2], r"Incompatible shapes at component 0: expected \(2,\) but got \(\)"),
        (tf.int32, [], "mismatch at component 0: expected int32 but got int64"),
        ((tf.int64, tf.int64), ([], []), "expected 2 types but got 1"),
    ],
)
def test_an_iterator_of_a_text(sess, types, shapes, match):
    handle = sess.run(Dataset.range(3).make_one_shot_iterator().string_handle())
    found = tf.data.Iterator.from_string_handle(handle, types, shapes)
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        sess.run(found.get_next())


def test_many_calls_of_get_next_warn():
    iterator = Dataset.range(3).make_one_shot_iterator()
    for _ in range(32):
        iterator.get_next()
    with pytest.warns(UserWarning, match="unusually high number"):
        iterator.get_next()


def test_tables_made_inside_warn():
    def look_up(x):
        rows = tf.lookup.KeyValueTensorInitializer(["a"], [1])
        return tf.lookup.StaticHashTable(rows, -1).lookup(x)

    with pytest.warns(UserWarning, match=r"Creating resources inside .* Dataset.map\(\)"):
        Dataset.from_tensors("a").map(look_up)


def test_an_iterator_inside_a_function():
    with eager_mode():
        tens = iter(Dataset.range(0, 40, 10))
        assert [int(x) for x in Dataset.range(4).map(lambda x: x + tens.get_next())] == [
            0,
            11,
            22,
            33,
        ]


def test_one_shot_iterators_take_checks_but_no_state(sess):
    checked = Dataset.from_tensors(tf.debugging.check_numerics(1.0, "oh"))
    assert sess.run(checked.make_one_shot_iterator().get_next()) == 1.0
    variable = tf.Variable(1, name="mine")
    with pytest.raises(ValueError, match="does not support datasets that capture stateful .*mine"):
        Dataset.from_tensors(variable).make_one_shot_iterator()
