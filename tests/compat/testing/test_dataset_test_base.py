"""The base class of the tests of tf.data."""

import pytest

import minitf as tf
from minitf.compat.testing.dataset_test_base import DatasetTestBase
from minitf.compat.testing.test_util import run_in_graph_and_eager_modes


class Test(DatasetTestBase):
    @run_in_graph_and_eager_modes
    def test_elements(self):
        data = tf.data.Dataset.range(3)
        self.assertDatasetProduces(data, [0, 1, 2], num_test_iterations=2)
        self.assertDatasetProduces(data.shuffle(3), [2, 0, 1], assert_items_equal=True)
        with pytest.raises(AssertionError):
            self.assertDatasetProduces(data, [0, 2, 1])
        with pytest.raises(AssertionError):
            self.assertDatasetProduces(data, [0, 1])
        assert self.getDatasetOutput(data.batch(2)).__len__() == 2

    @run_in_graph_and_eager_modes
    def test_structures(self):
        pair = self.structuredDataset((None, (None,)), shape=[2])
        self.assertDatasetProduces(pair, [([0, 0], ([0, 0],))])
        sparse = tf.SparseTensorValue([[1]], [5], [2])
        self.assertDatasetProduces(tf.data.Dataset.from_tensors({"a": sparse}), [{"a": sparse}])

    @run_in_graph_and_eager_modes
    def test_errors(self):
        bad = tf.data.Dataset.range(3).map(
            lambda x: tf.debugging.check_numerics(1.0 / tf.cast(1 - x, tf.float32), "oh")
        )
        error = tf.errors.InvalidArgumentError, "oh"
        self.assertDatasetProduces(bad, expected_error=error, expected_error_iter=2)
        with pytest.raises(AssertionError):
            self.assertDatasetProduces(bad, expected_error=error)
        self.assertDatasetsRaiseSameError(bad.skip(1), bad.skip(1), error[0])

    @run_in_graph_and_eager_modes
    def test_two_datasets(self):
        self.assertDatasetsEqual(tf.data.Dataset.range(2), tf.data.Dataset.range(5).take(2))
        with pytest.raises(AssertionError):
            self.assertDatasetsEqual(tf.data.Dataset.range(2), tf.data.Dataset.range(3))
