"""The assertions of `tf.test.TestCase`: about numbers, shapes, errors and lists.

An assertion takes arrays, lists of numbers, or tensors; a tensor is evaluated first.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.compat.testing.more_assertions import MoreAssertions
from minitf.compat.testing.text_format import parse
from minitf.core.graph import dtypes, errors
from minitf.core.graph.device_spec import canonical_name
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.text import as_bytes

# Wider types are compared as tightly as was asked for; narrower ones hold fewer digits.
_NARROW = {"float32": "float", "float16": "half", "bfloat16": "bfloat16", "complex64": "float"}


class Assertions(MoreAssertions):
    """The assertions; `TestCase` adds graphs and sessions."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Ours stand before Abseil's, also where its `parameterized.TestCase` comes first."""
        super().__init_subclass__(**kwargs)
        for name, method in vars(Assertions).items():
            if name.startswith("assert") and getattr(cls, name).__module__.startswith("absl."):
                setattr(cls, name, method)

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, or of a nest of them."""
        raise NotImplementedError

    # ---- numbers ---------------------------------------------------------------------------

    def _array(self, value: Any) -> np.ndarray:
        tensor_like = any(hasattr(value, name) for name in ("op", "graph", "numpy"))
        if tensor_like and not isinstance(value, type):
            value = self.evaluate(value)
        return np.asarray(value)

    _GetNdArray = _array  # the name that TensorFlow's own and others' test cases use

    def assertNear(self, f1: float, f2: float, err: float, msg: Any = None) -> None:
        """Two numbers differ by no more than `err`."""
        close = f1 == f2 or abs(f1 - f2) <= err
        self.assertTrue(close, f"{f1!r} != {f2!r} +/- {err!r}{f' ({msg})' if msg else ''}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        """Two lists of numbers are equally long and nowhere differ by more than `err`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(float(first), float(second), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        """The distance of two arrays, as vectors, is less than `err`."""
        distance = np.linalg.norm(self._array(ndarray1) - self._array(ndarray2))
        self.assertTrue(distance < err, msg or f"the distance is {distance}, not below {err}")

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Two arrays, or two nests of the same form, agree: `|a - b| <= atol + rtol * |b|`."""
        a, b = (self.eval_to_list(x) if hasattr(x, "ragged_rank") else x for x in (a, b))
        self._close(a, b, rtol, atol, [], msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: list[str], msg: Any) -> None:
        where = f"a{''.join(path)}"
        a, b = (x._asdict() if hasattr(x, "_asdict") else x for x in (a, b))
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
                self.fail(f"Can't compare a dict to something else at {where}. {msg or ''}")
            self.assertCountEqual(a.keys(), b.keys(), f"mismatched keys at {where}. {msg or ''}")
            for key in a:
                self._close(a[key], b[key], rtol, atol, [*path, f"[{key!r}]"], msg)
            return
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            try:
                whole = self._array(self.evaluate(a)), self._array(self.evaluate(b))
                in_parts = any(array.dtype == object for array in whole)  # as of dicts
            except (ValueError, TypeError):  # a ragged nest
                in_parts = True
            if in_parts:
                self.assertEqual(len(a), len(b), f"mismatched length at {where}. {msg or ''}")
                for i, (first, second) in enumerate(zip(a, b, strict=True)):
                    self._close(first, second, rtol, atol, [*path, f"[{i}]"], msg)
                return
            a, b = whole
        self._close_arrays(self._array(a), self._array(b), rtol, atol, where, msg)

    def _close_arrays(
        self, a: np.ndarray, b: np.ndarray, rtol: float, atol: float, where: str, msg: Any
    ) -> None:
        shapes = f"Shape mismatch: expected {a.shape}, got {b.shape} at {where}. {msg or ''}"
        self.assertEqual(a.shape, b.shape, shapes)
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, equal_nan=True, err_msg=f"at {where}. {msg or ''}"
        )

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        """As `assertAllClose`, with wider tolerances for the types that hold fewer digits."""
        tolerances = {
            "float": (float_rtol, float_atol),
            "half": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        a, b = self._array(a), self._array(b)
        for dtype in (a.dtype, b.dtype):
            wide = tolerances.get(_NARROW.get(dtype.name, ""), (0.0, 0.0))
            rtol, atol = max(rtol, wide[0]), max(atol, wide[1])
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:
        """`assertAllClose` would fail."""
        self._refutes(self.assertAllClose, a, b, "The two values are close at all elements", kwargs)

    def _refutes(self, check: Callable, a: Any, b: Any, text: str, options: dict) -> None:
        try:
            check(a, b, **options)
        except AssertionError:
            return
        raise AssertionError(text)

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Two arrays have one shape and equal elements; NaN equals NaN. Ragged ones: as lists."""
        if hasattr(a, "ragged_rank") or hasattr(b, "ragged_rank"):
            self.assertEqual(self.eval_to_list(a), self.eval_to_list(b), msg)
            return
        a, b = self._array(a), self._array(b)
        for array in (a, b):  # text compares as the bytes that a tensor holds
            if array.dtype.kind == "U":
                a, b = (np.vectorize(as_bytes, otypes=[object])(x) for x in (a, b))
                break
        self.assertEqual(
            a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}"
        )
        same = a == b
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            places = np.argwhere(~np.asarray(same))[:5].tolist()
            raise AssertionError(
                f"Arrays are not equal, first at {places}. {msg or ''}\nlhs: {a}\nrhs: {b}"
            )

    def eval_to_list(self, value: Any) -> Any:
        """The values of tensors, ragged ones or not, as nested lists."""
        if hasattr(value, "graph") or hasattr(value, "numpy"):
            value = self.evaluate(value)
        if hasattr(value, "to_list") or hasattr(value, "tolist"):
            value = value.to_list() if hasattr(value, "to_list") else value.tolist()
        if isinstance(value, (list, tuple)):
            return [self.eval_to_list(each) for each in value]
        return as_bytes(value) if isinstance(value, str) else value

    def assertRaggedEqual(self, a: Any, b: Any) -> None:
        """As `assertAllEqual`: the older name for what is ragged."""
        self.assertAllEqual(a, b)

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """`assertAllEqual` would fail."""
        text = f"The two values are equal at all elements. {msg or ''}"
        self._refutes(self.assertAllEqual, a, b, text, {})

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Every element is greater."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Every element is less."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Every element is greater or equal."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Every element is less or equal."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Every element lies between the bounds; an open bound is itself outside.

        Raises:
          AttributeError: when the elements are not real numbers.
        """
        array = self._array(target)
        if array.dtype.kind not in "fiu":
            raise AttributeError(f"The value of {target} does not have an ordered numeric type")
        low = array <= lower_bound if open_lower_bound else array < lower_bound
        high = array >= upper_bound if open_upper_bound else array > upper_bound
        bad = low | high | np.isnan(array)
        if np.any(bad):
            brackets = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
            raise AssertionError(
                f"{np.count_nonzero(bad)} of {array.size} elements are outside the range "
                f"{brackets[0]}{lower_bound}, {upper_bound}{brackets[1]}: {array[bad][:10]}"
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Every element is one of a set."""
        strays = set(np.unique(self._array(target)).tolist()) - set(expected_set)
        if strays:
            raise AssertionError(f"{len(strays)} unexpected element(s): {sorted(strays)[:10]}")

    # ---- types, shapes, devices, messages ---------------------------------------------------

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """An array or tensor has a type."""
        found = target.dtype if hasattr(target, "dtype") else np.asarray(target).dtype
        wanted = dtypes.as_dtype(expected_dtype).base_dtype
        self.assertEqual(dtypes.as_dtype(found).base_dtype, wanted)

    def assertShapeEqual(
        self, input_a: Any, input_b: Any = None, msg: Any = None, **old: Any
    ) -> None:
        """The static shapes of an array and a tensor are equal."""
        input_b = old.pop("tf_tensor", input_b)
        shapes = [as_shape(x.shape).as_list() for x in (input_a, input_b)]
        self.assertAllEqual(shapes[0], shapes[1], msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Two device names mean the same device."""
        first, second = canonical_name(device1), canonical_name(device2)
        self.assertEqual(first, second, f"Devices {first} and {second} are not equal. {msg or ''}")

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, message: Any, msg: Any = None
    ) -> None:
        """Two messages are equal; the first may be protobuf's text form of one."""
        expected = expected_message_maybe_ascii
        texts = [m.decode() if isinstance(m, bytes) else str(m) for m in (expected, message)]
        self.assertEqual(parse(texts[0]), parse(texts[1]), msg)

    def assertProtoEqualsVersion(
        self, expected: Any, actual: Any, *versions: int, msg: Any = None
    ) -> None:
        """A graph is the one that a text describes, which may leave out versions and functions."""
        found = {k: v for k, v in parse(str(actual)).items() if k not in ("versions", "library")}
        self.assertEqual(parse(str(expected)), found, msg)

    # ---- errors -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: str | Callable[[Any], bool]
    ) -> Iterator[None]:
        """The block raises such an exception, whose text matches or which the predicate accepts."""
        test = expected_err_re_or_predicate
        try:
            yield
        except exception_type as error:
            text = error.message if isinstance(error, errors.OpError) else str(error)
            matches = test(error) if callable(test) else re.search(test, text)
            if not matches:
                raise AssertionError(f"Exception of type {type(error)}: {text!r}") from error
        else:
            self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """The block raises an `OpError` that matches."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self,
        exception_type: Any = errors.InvalidArgumentError,
        op_name: str = "",
        dim1: Any = "",
        dim2: Any = "",
    ) -> Any:
        """The block raises an error about shapes that do not fit."""
        text = rf"(?s)(Incompatible shapes|Dimensions must be equal|{op_name})"
        return self.assertRaisesWithPredicateMatch(exception_type, text)

    @contextlib.contextmanager
    def assertRaisesWithLiteralMatch(
        self, expected_exception: Any, expected_exception_message: str
    ) -> Iterator[None]:
        """The block raises such an exception, with exactly this text."""
        with self.assertRaises(expected_exception) as caught:
            yield
        self.assertEqual(str(caught.exception), expected_exception_message)

    # ---- lists and texts (of Abseil, on which TensorFlow's TestCase stands) --------------------

    def assertStartsWith(self, actual: str, expected_start: str, msg: Any = None) -> None:
        """A text starts so."""
        if not actual.startswith(expected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does not start {expected_start!r}"))

    def assertEndsWith(self, actual: str, expected_end: str, msg: Any = None) -> None:
        """A text ends so."""
        if not actual.endswith(expected_end):
            self.fail(self._formatMessage(msg, f"{actual!r} does not end {expected_end!r}"))

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """A container holds nothing."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """A container holds something."""
        self.assertNotEqual(len(container), 0, msg)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """A container holds so many."""
        self.assertEqual(len(container), expected_len, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """`minv <= value <= maxv`."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not in [{minv!r}, {maxv!r}]")

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Two containers hold the same, in any order and number."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: Any = None) -> None:
        """A container holds all of another one."""
        self.assertEqual(set(expected_subset) - set(actual_set), set(), msg)

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: Any = None) -> None:
        """Two containers hold nothing in common."""
        self.assertEqual(set(expected_seq) & set(actual_seq), set(), msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence[float],
        actual_seq: Sequence[float],
        places: int | None = None,
        msg: Any = None,
        delta: float | None = None,
    ) -> None:
        """Two lists are equally long and almost equal item by item."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for first, second in zip(expected_seq, actual_seq, strict=True):
            self.assertAlmostEqual(first, second, places, msg, delta)  # type: ignore[arg-type]

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Two lists hold the same items, as often, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertRaisesRegexp(self, *args: Any, **kwargs: Any) -> Any:
        """`assertRaisesRegex`, by its older name."""
        return self.assertRaisesRegex(*args, **kwargs)

    def assertRegexpMatches(self, text: Any, expected_regex: Any, msg: Any = None) -> None:
        """`assertRegex`, by its older name."""
        self.assertRegex(text, expected_regex, msg)
