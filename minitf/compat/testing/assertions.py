"""The assertions of `tf.test.TestCase`: about numbers, shapes, errors and lists.

An assertion takes arrays, lists of numbers, or tensors; a tensor is evaluated first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from minitf.compat.testing.more_assertions import MoreAssertions
from minitf.core.graph.text import as_bytes


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

    # ---- types, shapes, devices, messages ---------------------------------------------------

    # ---- errors -----------------------------------------------------------------------------

    # ---- lists and texts (of Abseil, on which TensorFlow's TestCase stands) --------------------
