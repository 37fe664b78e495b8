"""What TensorFlow's own tests call of feature columns, and columns that programs write."""

import importlib
from collections import namedtuple

import pytest

import minitf as tf
from minitf.compat.tensorflow import alias


@pytest.fixture
def columns():
    alias.install()
    yield importlib.import_module("tensorflow.python.feature_column.feature_column")
    alias.uninstall()


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_older_names(columns, sess):
    age = tf.feature_column.numeric_column("age", normalizer_fn=lambda x: x + 1)
    old = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age"), [2, 4])
    features = {"age": [[1.0], [3.0]]}
    made = columns._transform_features(features, [age, old])
    assert sess.run(made[age]).tolist() == [[2.0], [4.0]]
    builder = columns._LazyBuilder(features)
    assert sess.run(old._get_dense_tensor(builder)).tolist() == [[[1, 0, 0]], [[0, 1, 0]]]
    assert sess.run(old._get_sparse_tensors(builder).id_tensor.values).tolist() == [0, 1]
    assert sorted(["0", old, age, "z"]) == ["0", old, age, "z"]


def test_a_column_of_a_program(columns):
    class Twice(columns._FeatureColumn):
        name = "twice"
        _parse_example_spec = None

        def _transform_feature(self, inputs):
            return inputs.get("age") * 2

    builder = columns._LazyBuilder({"age": [[1.0]]})
    assert builder.get(Twice()) is not None


@pytest.mark.parametrize("order", [1, -1])
def test_a_column_of_a_program_has_bases_of_both_names(columns, sess, order):
    newer = importlib.import_module("tensorflow.python.feature_column.feature_column_v2")
    bases = [columns._DenseColumn, newer.DenseColumn][::order]

    class Scaled(*bases, namedtuple("Scaled", ["key", "factor"])):
        name = property(lambda self: f"{self.key}_{self.factor}")
        variable_shape = tf.TensorShape([1])

        def _transform_feature(self, inputs):
            return inputs.get(self.key) * self.factor

    age = tf.feature_column.numeric_column("age")
    ids = tf.feature_column.categorical_column_with_identity("ids", 3)
    assert isinstance(age, columns._DenseColumn) and not isinstance(ids, columns._DenseColumn)
    assert issubclass(Scaled, columns._DenseColumn)
    assert Scaled("age", 2) == Scaled("age", 2) != Scaled("age", 3)
    made = tf.feature_column.input_layer({"age": [[1.0]]}, [Scaled("age", 2), Scaled("age", 3)])
    assert sess.run(made).tolist() == [[2, 3]]


def test_real_valued_columns_take_features_as_wide_as_they_come(sess):
    layers = tf.contrib.layers
    x, y = layers.real_valued_column("x"), layers.real_valued_column("y", dimension=4)
    features = {"x": tf.constant([[1, 2, 3], [4, 5, 6]]), "y": tf.constant([7.0, 8.0])}
    joined = layers.input_from_feature_columns(features, [x, y])
    assert sess.run(joined).tolist() == [[1, 2, 3, 7], [4, 5, 6, 8]]
    sums, variables, _ = layers.weighted_sum_from_feature_columns(features, [x, y], 2)
    assert [variables[column][0].shape.as_list() for column in (x, y)] == [[3, 2], [1, 2]]
    assert sums.shape.as_list() == [2, 2]
    unknown = tf.placeholder(tf.float32)  # then the width is the one of the records
    joined = layers.input_from_feature_columns({"y": unknown}, [y])
    assert sess.run(joined, {unknown: [[1, 2, 3, 4]]}).tolist() == [[1, 2, 3, 4]]


def test_a_joint_sum_keeps_all_weights_in_one_variable(sess):
    layers = tf.contrib.layers
    job = layers.sparse_column_with_keys("job", ["nurse", "cook"])
    age = layers.bucketized_column(layers.real_valued_column("age"), [30])
    features = {"job": [["cook"], ["pilot"]], "age": [[20.0], [40.0]]}
    sums, (weights,), bias = layers.joint_weighted_sum_from_feature_columns(features, [job, age], 1)
    assert weights.op.name == "joint_weighted_sum_from_feature_columns/linear_weights/weights"
    assert weights.shape.as_list() == [4, 1] and bias.op.name.endswith("/bias_weight")
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    sess.run([weights.assign([[1.0], [2.0], [4.0], [8.0]]), bias.assign([100.0])])
    assert sess.run(sums).tolist() == [[109.0], [102.0]]  # young cook; nobody known, old
    with pytest.raises(NotImplementedError, match="Real-valued columns are not supported. Use"):
        layers.joint_weighted_sum_from_feature_columns(features, [age.source_column], 1)
    weighted = layers.weighted_sparse_column(job, "age")
    with pytest.raises(AssertionError, match="Joint sums for weighted sparse columns"):
        layers.joint_weighted_sum_from_feature_columns(features, [weighted], 1)
    with pytest.raises(AssertionError, match="At least one column must be in the model"):
        layers.joint_weighted_sum_from_feature_columns(features, [], 1)


def test_scattered_embeddings_lie_where_the_hash_of_place_and_word_says(sess):
    layers = tf.contrib.layers
    word = layers.scattered_embedding_column(
        "word", 50, 3, layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY, combiner="sum",
        initializer=lambda shape, dtype, partition_info: tf.range(50.0),
    )  # fmt: skip
    words = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "b"], [3, 2])
    joined = layers.input_from_feature_columns({"word": words}, [word])
    assert joined.shape.as_list() == [None, 3]
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    assert tf.trainable_variables()[0].op.name.endswith("word_scattered_embedding/weights")

    def places(text):
        return sess.run(tf.sparse.cross_hashed([[[0, 1, 2]], [[text]]], 50)).values

    a, b, nothing = places("a"), places("b"), places("6ZxWzWOHxZ")
    assert sess.run(joined).tolist() == [(a + b).tolist(), b.tolist(), nothing.tolist()]
    assert len({*a, *b}) > 3
    assert list(layers.create_feature_spec_for_parsing([word])) == ["word"]
    for wrong in ({"size": 0}, {"combiner": "max"}, {"initializer": 3}):
        with pytest.raises(ValueError, match="column_name: word"):
            layers.scattered_embedding_column(
                **{"column_name": "word", "size": 5, "dimension": 2, "hash_key": 1, **wrong}
            )


def test_inputs_of_sequences(sess):
    layers = tf.contrib.layers
    word = layers.sparse_column_with_keys("word", ["a", "b"])
    x = layers.real_valued_column("x", dimension=2)
    words = tf.SparseTensor([[0, 0, 0], [0, 1, 0], [0, 1, 1]], ["a", "b", "b"], [1, 3, 2])
    features = {"word": words, "x": tf.reshape(tf.range(6.0), [1, 3, 2])}
    steps = layers.sequence_input_from_feature_columns(features, [layers.one_hot_column(word), x])
    assert steps.shape.as_list() == [1, 3, 4]
    sess.run(tf.tables_initializer())
    assert sess.run(steps).tolist() == [[[1, 0, 0, 1], [0, 2, 2, 3], [0, 0, 4, 5]]]
    with pytest.raises(ValueError, match="is not currently supported for sequence data"):
        layers.sequence_input_from_feature_columns(features, [word])
    crossed = layers.one_hot_column(layers.crossed_column([word, word], 5))
    with pytest.raises(ValueError, match="which is not currently supported for sequences"):
        layers.sequence_input_from_feature_columns(features, [crossed])


def test_arguments_of_embedding_columns_are_named_as_in_contrib() -> None:
    layers = tf.contrib.layers
    words = layers.sparse_column_with_hash_bucket("words", 7)
    others = layers.sparse_column_with_hash_bucket("others", 7)
    with tf.Graph().as_default(), tf.Session() as sess:
        columns = [
            layers.one_hot_column(sparse_id_column=words),
            layers.embedding_column(sparse_id_column=words, dimension=3),
            *layers.shared_embedding_columns([words, others], 2, "sum", "table"),
        ]
        features = {name: tf.constant([["a"], ["b"]]) for name in ("words", "others")}
        made = layers.input_from_feature_columns(features, columns)
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert sess.run(made).shape == (2, 7 + 3 + 2 + 2)
