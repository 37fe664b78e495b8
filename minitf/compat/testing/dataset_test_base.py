"""`tensorflow.python.data.kernel_tests.test_base`: what the tests of `tf.data` stand on.

class RangeTest(test_base.DatasetTestBase):
    def testStop(self):
        self.assertDatasetProduces(dataset_ops.Dataset.range(2), expected_output=[0, 1])
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.internals.graph_tools import inside_function, is_sparse
from minitf.compat.testing.combinations import combine
from minitf.compat.testing.test_case import TestCase
from minitf.core.graph import dtypes, errors, nest, stacks
from minitf.core.ops.array_filling import zeros
from minitf.library.input.data import structure
from minitf.library.input.data.dataset import (
    Dataset,
    make_initializable_iterator,
    make_one_shot_iterator,
)

default_test_combinations = functools.partial(combine, tf_api_version=1, mode=["eager", "graph"])
eager_only_combinations = functools.partial(combine, tf_api_version=1, mode="eager")
graph_only_combinations = functools.partial(combine, tf_api_version=1, mode="graph")
v1_only_combinations = default_test_combinations
v2_only_combinations = v2_eager_only_combinations = functools.partial(combine, mode=[])


class DatasetTestBase(TestCase):
    """A test that walks over datasets, in graphs and under eager execution alike."""

    def getNext(
        self, dataset: Dataset, requires_initialization: bool = False, shared_name: Any = None
    ) -> Callable[[], Any]:
        """A function whose result, evaluated, is the next element.

        Args:
          dataset: what it walks over.
          requires_initialization: whether it has state, so that a graph must start it.
          shared_name: of the iterator.
        """
        if stacks.executing_eagerly() or inside_function():
            return iter(dataset).get_next
        if requires_initialization:
            iterator = make_initializable_iterator(dataset, shared_name)
            self.evaluate(iterator.initializer)
        else:
            iterator = make_one_shot_iterator(dataset)
        element = iterator.get_next()
        return lambda: element

    def getIteratorOutput(self, get_next: Callable[[], Any]) -> list[Any]:
        """All the elements that a function of `getNext` gives."""
        found: list[Any] = []
        try:
            while True:
                found.append(self.evaluate(get_next()))
        except errors.OutOfRangeError:
            return found

    def getDatasetOutput(self, dataset: Dataset, requires_initialization: bool = False) -> list:
        """All the elements of a dataset."""
        return self.getIteratorOutput(self.getNext(dataset, requires_initialization))

    def assert_op_cancelled(self, op: Any) -> None:
        """Fails unless what runs is cancelled."""
        with self.assertRaises(errors.CancelledError):
            self.evaluate(op)

    def assertValuesEqual(self, expected: Any, actual: Any) -> None:
        """Compares two leaves of elements: arrays, sparse ones, dicts of them."""
        if isinstance(expected, dict):
            self.assertCountEqual(expected, actual)
            for key in expected:
                self.assertValuesEqual(expected[key], actual[key])
        elif is_sparse(expected):
            for part in ("indices", "values", "dense_shape"):
                self.assertAllEqual(getattr(expected, part), getattr(actual, part))
        else:
            self.assertAllEqual(expected, actual)

    def _compareOutputToExpected(self, found: list, expected: Any, any_order: bool) -> None:
        if any_order:
            self.assertCountEqual(found, expected)
            return
        for one, other in zip(found, expected, strict=False):
            leaves, wanted = structure.flatten(one), structure.flatten(other)
            self.assertEqual(len(leaves), len(wanted), f"{one} is no {other}")
            for leaf, value in zip(leaves, wanted, strict=True):
                self.assertValuesEqual(value, leaf)

    def assertDatasetProduces(
        self,
        dataset: Dataset,
        expected_output: Sequence[Any] | None = None,
        expected_shapes: Any = None,
        expected_error: tuple[type[Exception], Any] | None = None,
        requires_initialization: bool = False,
        num_test_iterations: int = 1,
        assert_items_equal: bool = False,
        expected_error_iter: int = 1,
    ) -> None:
        """Fails unless a dataset gives these elements and ends, or raises this error.

        Args:
          dataset: what is checked.
          expected_output: its elements.
          expected_shapes: its `output_shapes`.
          expected_error: a type, and a pattern or a function of the error; instead of elements.
          requires_initialization: as of `getNext`.
          num_test_iterations: how often it is walked over.
          assert_items_equal: whether the order is free.
          expected_error_iter: at which element the error comes, counted from one.
        """
        self.assertIsNot(expected_error is None, expected_output is None)
        if expected_error is not None:
            with self.assertRaisesWithPredicateMatch(*expected_error):
                get_next = self.getNext(dataset, requires_initialization)
                for _ in range(expected_error_iter):
                    self.evaluate(get_next())
            return
        if expected_shapes:
            self.assertEqual(expected_shapes, dataset.output_shapes)
        self.assertGreater(num_test_iterations, 0)
        for _ in range(num_test_iterations):
            get_next = self.getNext(dataset, requires_initialization)
            wanted: Any = expected_output
            found = [self.evaluate(get_next()) for _ in range(len(wanted))]
            self._compareOutputToExpected(found, wanted, assert_items_equal)
            for _ in range(2):
                with self.assertRaises(errors.OutOfRangeError):
                    self.evaluate(get_next())

    def assertDatasetsEqual(self, dataset1: Dataset, dataset2: Dataset) -> None:
        """Fails unless two datasets have alike specs and the same elements."""
        self.assertEqual(dataset1.output_types, dataset2.output_types)
        self.assertEqual(dataset1.output_classes, dataset2.output_classes)
        one, other = self.getDatasetOutput(dataset1), self.getDatasetOutput(dataset2)
        self.assertEqual(len(one), len(other))
        exact = [dtype == dtypes.string for dtype in structure.flatten(dataset1.output_types)]
        for first, second in zip(one, other, strict=True):
            leaves = zip(nest.flatten(first), nest.flatten(second), exact * 3, strict=False)
            for left, right, same in leaves:
                if same or is_sparse(left):
                    self.assertValuesEqual(left, right)
                else:
                    self.assertAllClose(left, right)

    def assertDatasetsRaiseSameError(
        self,
        dataset1: Dataset,
        dataset2: Dataset,
        exception_class: type[Exception],
        replacements: Sequence[tuple[str, str, int]] = (),
    ) -> None:
        """Fails unless the first elements raise errors whose texts begin alike.

        Args:
          dataset1, dataset2: what is compared.
          exception_class: the type of the error.
          replacements: (old, new, count) for the text of the first.
        """
        first, second = self.getNext(dataset1), self.getNext(dataset2)
        with self.assertRaises(exception_class) as caught:
            self.evaluate(first())
        text = caught.exception.message  # type: ignore[attr-defined]
        for old, new, count in replacements or ():
            text = text.replace(old, new, count)
        with self.assertRaisesRegex(exception_class, re.escape(text)):
            self.evaluate(second())

    def structuredDataset(self, like: Any, shape: Any = None, dtype: Any = dtypes.int64) -> Dataset:
        """A dataset of one element of zeros, nested as `like`, whose leaves are None."""
        if like is None:
            return Dataset.from_tensors(self.structuredElement(None, shape, dtype))
        return Dataset.zip(tuple(self.structuredDataset(each, shape, dtype) for each in like))

    def structuredElement(self, like: Any, shape: Any = None, dtype: Any = dtypes.int64) -> Any:
        """An element of zeros, nested as `like`, whose leaves are None."""
        if like is None:
            return zeros([] if shape is None else shape, dtype=dtype)
        return tuple(self.structuredElement(each, shape, dtype) for each in like)
