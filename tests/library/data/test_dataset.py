"""Datasets: what the conformance cases do not ask TensorFlow."""

import numpy as np
import pytest

import minitf as tf

Dataset = tf.data.Dataset


def test_function_is_traced_once(drained):
    calls = []

    def double(x):
        calls.append(x)
        return x * 2

    assert drained(Dataset.range(5).map(double)) == [0, 2, 4, 6, 8]
    assert len(calls) == 1
    assert isinstance(calls[0], tf.Tensor)


def test_error_names_the_operation_and_the_line(sess):
    dataset = Dataset.range(3).map(lambda x: tf.floordiv(6, x, name="quotient"))
    element = dataset.make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(element)
    assert "Integer division by zero" in caught.value.message
    assert "[[node quotient (defined at" in caught.value.message
    assert "test_dataset.py" in caught.value.message


def test_random_numbers_start_again_with_the_iterator(sess):
    dataset = Dataset.range(4).map(lambda x: tf.random_uniform([], seed=7))
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    walks = []
    for _ in range(2):
        sess.run(iterator.initializer)
        walks.append([sess.run(element) for _ in range(4)])
    assert walks[0] == walks[1]
    assert len(set(walks[0])) == 4


@pytest.mark.parametrize("is_resource", [False, True])
def test_variable_in_a_function(sess, is_resource):
    """A variable of references is read when the iterator starts, a resource at each element."""
    scale = tf.Variable(np.int64(1), use_resource=is_resource)
    element = Dataset.range(1, 9).map(lambda x: x * scale).make_initializable_iterator()
    sess.run([scale.initializer, element.initializer])
    following = element.get_next()
    assert sess.run(following) == 1
    sess.run(scale.assign(100))
    assert sess.run(following) == (200 if is_resource else 2)


def test_fed_array_may_be_changed(sess):
    rows = tf.placeholder(tf.float32, [None])
    iterator = Dataset.from_tensor_slices(rows).make_initializable_iterator()
    element = iterator.get_next()
    given = np.arange(3, dtype=np.float32)
    sess.run(iterator.initializer, {rows: given})
    given[:] = 9
    assert [sess.run(element) for _ in range(3)] == [0, 1, 2]


def test_fetched_element_belongs_to_the_caller(sess):
    element = Dataset.from_tensors([1.0, 2.0]).cache().repeat().make_one_shot_iterator().get_next()
    first = sess.run(element)
    first[:] = 7
    assert sess.run(element).tolist() == [1.0, 2.0]


def test_element_is_not_written_over_by_the_step(sess):
    element = Dataset.from_tensors(np.ones(5000, np.float32)).repeat()
    element = element.make_one_shot_iterator().get_next()
    twice = tf.exp(element + 1.0) * 2.0
    first, second = sess.run(twice), sess.run(twice)
    np.testing.assert_array_equal(first, second)


def test_shuffle_is_uniform_over_a_full_buffer(drained):
    firsts = np.zeros(4)
    order = drained(Dataset.range(4).shuffle(4, seed=1).repeat(500), limit=2000)
    for i in range(0, 2000, 4):
        assert sorted(order[i : i + 4]) == [0, 1, 2, 3]
        firsts[order[i]] += 1
    assert firsts.min() > 80


def test_graph_as_data(sess):
    Dataset.range(4).map(lambda x: x * x, num_parallel_calls=2).batch(2)
    iterator = Dataset.range(4).map(lambda x: x * x).batch(2).make_initializable_iterator()
    tf.identity(iterator.get_next(), name="element")
    name = iterator.initializer.name
    definition = sess.graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        session.run(name)
        assert session.run("element:0").tolist() == [0, 1]
        assert session.run("element:0").tolist() == [4, 9]


def test_one_shot_iterator_as_data(sess):
    element = Dataset.range(3).map(lambda x: x + 1).make_one_shot_iterator().get_next()
    tf.identity(element, name="element")
    definition = sess.graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        assert [session.run("element:0") for _ in range(3)] == [1, 2, 3]


def test_gradient_scope_of_device(sess):
    with tf.device("/device:GPU:0"):
        element = Dataset.range(2).make_one_shot_iterator().get_next()
    assert element.device == "/device:CPU:*"
    assert sess.run(element) == 0


def test_a_function_is_vectorized_once_however_often_its_dataset_begins(sess, monkeypatch):
    from minitf.library.input.data import functions

    made = []
    vectorize = functions.vectorize
    monkeypatch.setattr(functions, "vectorize", lambda *args: made.append(1) or vectorize(*args))
    inner = Dataset.range(4).map(lambda x: x + 1).repeat(3).batch(4)
    element = Dataset.range(3).flat_map(lambda x: inner).make_one_shot_iterator().get_next()
    found = [sess.run(element).tolist() for _ in range(9)]
    assert found == [[1, 2, 3, 4]] * 9
    assert len(made) == 1
