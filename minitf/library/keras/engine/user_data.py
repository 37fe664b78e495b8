"""What a program passes to `fit` and its kin, brought into one form: lists of arrays.

x: an array, a list or a dict of them, a table of pandas --> [array of each input of the model]
y, sample_weight, class_weight                           --> [... of each output]

Whatever does not fit the model is refused here, with TensorFlow's messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.reductions import argmax
from minitf.library.keras import losses
from minitf.library.keras.backend.config import floatx

_NOT_AS_LARGE = (
    "Error when checking model {kind}: the list of Numpy arrays that you are passing to your model "
    "is not the size the model expected. Expected to see {wanted} array(s), for inputs {names} but "
    "instead got the following list of {found} arrays: {data}..."
)
_ONE_HOT = (
    "You are passing a target array of shape {shape} while using as loss "
    "`categorical_crossentropy`. `categorical_crossentropy` expects targets to be binary matrices "
    "(1s and 0s) of shape (samples, classes). If your targets are integer classes, you can convert "
    "them to the expected format via:\n```\nfrom keras.utils import to_categorical\ny_binary = "
    "to_categorical(y_int)\n```\n\nAlternatively, you can use the loss function "
    "`sparse_categorical_crossentropy` instead, which does expect integer targets."
)


def plain(data: Any) -> Any:
    """The array in a table or a column of pandas."""
    return data.values if type(data).__name__ in ("DataFrame", "Series") else data


def with_axis(x: Any, shape: Any = None) -> Any:
    """A vector as a matrix of one column, unless a vector is meant."""
    if x is None or not hasattr(x, "shape"):
        if isinstance(x, int):
            raise ValueError(f"Expected an array data type but received an integer: {x}")
        return x
    if len(x.shape) != 1 or (shape is not None and len(shape) == 1):
        return x
    return expand_dims(x, 1) if isinstance(x, Tensor) else np.expand_dims(x, 1)


def as_arrays(
    data: Any, names: Sequence[str], shapes: Sequence[Any] | None = None, kind: str = "input"
) -> list[Any]:
    """One array for each name.

    Args:
      data: an array, a list or a dict of them.
      names: of the inputs or outputs.
      shapes: what shapes they have, with None for open sizes; None leaves that open.
      kind: "input" or "target", for messages.

    Raises:
      ValueError: when their number or a shape does not fit.
    """
    if not names:
        if data is not None and len(data) and not isinstance(data, Mapping):
            raise ValueError(f"Error when checking model {kind}: expected no data, but got:", data)
        return []
    if data is None:
        return [None] * len(names)
    if isinstance(data, Mapping):
        for name in names:
            if name not in data:
                raise ValueError(
                    f'No data provided for "{name}". Need data for each key in: {list(names)}'
                )
        listed = [plain(data[name]) for name in names]
    elif isinstance(data, (list, tuple)) and len(data):
        if isinstance(data[0], (list, tuple)):
            rows = len(names) == 1 and len(data) > 1
            listed = [np.asarray(data)] if rows else [np.asarray(each) for each in data]
        elif len(names) == 1 and isinstance(data[0], (float, int)):
            listed = [np.asarray(data)]
        else:
            listed = [plain(each) for each in data]
    else:
        listed = [plain(data)]
    wanted = [None] * len(names) if shapes is None else list(shapes)
    wanted += [None] * (len(listed) - len(wanted))
    listed = [with_axis(x, shape) for x, shape in zip(listed, wanted)]
    if len(listed) != len(names):
        listed = _of_other_length(listed, names, kind)
    for name, x, shape in zip(names, listed, wanted):
        if shape is not None and hasattr(x, "shape"):
            _check_shape(kind, name, sizes(x), tuple(shape))
    return listed


def _of_other_length(data: list[Any], names: Sequence[str], kind: str) -> list[Any]:
    if data and hasattr(data[0], "shape"):
        text = str(data)[:200]
        raise ValueError(
            _NOT_AS_LARGE.format(
                kind=kind, wanted=len(names), names=list(names), found=len(data), data=text
            )
        )
    if len(names) > 1:
        raise ValueError(
            f"Error when checking model {kind}: you are passing a list as input to your model, but "
            f"the model expects a list of {len(names)} Numpy arrays instead. The list you passed "
            f"was: {str(data)[:200]}"
        )
    return [np.asarray(data)]


def sizes(x: Any) -> tuple[int | None, ...]:
    """The static shape of an array or a tensor."""
    shape = x.shape
    return tuple(shape.as_list()) if hasattr(shape, "as_list") else tuple(shape)


def _check_shape(kind: str, name: str, found: tuple, wanted: tuple) -> None:
    if len(found) != len(wanted):
        raise ValueError(
            f"Error when checking {kind}: expected {name} to have {len(wanted)} dimensions, but "
            f"got array with shape {found}"
        )
    for size, right in zip(found[1:], wanted[1:]):
        if right != size and right is not None and size is not None:
            raise ValueError(
                f"Error when checking {kind}: expected {name} to have shape {wanted[1:]} but got "
                f"array with shape {found[1:]}"
            )


def for_outputs(given: Any, names: Sequence[str], kind: str) -> list[Any]:
    """What was given as `sample_weight` or `class_weight`, for each output.

    Raises:
      ValueError: when there are not as many as outputs, or a name is that of no output.
    """
    if given is None or (isinstance(given, (list, tuple)) and not given):
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(given, (list, tuple)) and len(given) == 1:
            return list(given)
        return [given[names[0]] if isinstance(given, dict) and names[0] in given else given]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(
                f"Provided `{kind}` was a list of {len(given)} elements, but the model has "
                f"{len(names)} outputs. You should provide one `{kind}`array per model output."
            )
        return list(given)
    if isinstance(given, Mapping):
        check_keys(kind, given, names)
        return [given.get(name) for name in names]
    raise TypeError(
        f"The model has multiple outputs, so `{kind}` should be either a list or a dict. Provided "
        f"`{kind}` type not understood: {given}"
    )


def check_keys(kind: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raises ValueError when a key is the name of no output."""
    unknown = set(given) - set(names)
    if unknown:
        raise ValueError(
            f"Unknown entries in {kind} dictionary: {sorted(unknown)}. Only expected following "
            f"keys: {list(names)}"
        )


def as_weights(y: Any, sample_weight: Any, class_weight: Any, mode: str | None) -> Any:
    """What each example of one output counts; None where all count 1.

    Args:
      y: the labels.
      sample_weight: [samples], or in the mode "temporal" [samples, steps].
      class_weight: a dict from classes to what their examples count.
      mode: "temporal" or None.

    Raises:
      ValueError: when a shape does not fit, or the dict lacks a class.
    """
    weights = plain(sample_weight)
    if isinstance(weights, (list, tuple)):
        weights = np.asarray(weights)
    if weights is not None:
        _check_weights(y, weights, mode)
    if isinstance(class_weight, Mapping):
        if len(y.shape) > 2:
            raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
        of_class = _of_classes(y, class_weight)
        return of_class if weights is None else of_class * weights
    return weights


def _check_weights(y: Any, weights: Any, mode: str | None) -> None:
    shape = sizes(weights)
    if mode == "temporal":
        if len(y.shape) < 3:
            raise ValueError(
                f"Found a sample_weight array for an input with shape {sizes(y)}. Timestep-wise "
                'sample weighting (use of sample_weight_mode="temporal") is restricted to outputs '
                "that are at least 3D, i.e. that have a time dimension."
            )
        if len(shape) != 2:
            raise ValueError(
                f"Found a sample_weight array with shape {shape}. In order to use timestep-wise "
                "sample weighting, you should pass a 2D sample_weight array."
            )
    elif mode not in (None, "samplewise"):
        raise ValueError(f'"sample_weight_mode should be None or "temporal". Found: {mode}')
    elif len(shape) != 1:
        raise ValueError(
            f"Found a sample_weight array with shape {shape}. In order to use timestep-wise sample "
            'weights, you should specify sample_weight_mode="temporal" in compile(). If you just '
            "mean to use sample-wise weights, make sure your sample_weight array is 1D."
        )
    if not isinstance(weights, Tensor) and sizes(y)[: len(shape)] != shape:
        raise ValueError(
            f"Found a sample_weight array with shape {shape} for an input with shape {sizes(y)}. "
            "sample_weight cannot be broadcast."
        )


def _of_classes(y: Any, class_weight: Mapping[Any, float]) -> Any:
    if isinstance(y, Tensor):
        table = np.full(max(class_weight) + 1, np.nan, floatx())
        table[list(class_weight)] = list(class_weight.values())
        wide = len(y.shape) == 2 and y.shape[1].value != 1
        places = argmax(y, 1) if wide else cast(reshape(y, [-1]), "int64")
        return gather(convert_to_tensor(table), places)
    classes = y
    if len(y.shape) == 2:
        classes = np.argmax(y, axis=1) if y.shape[1] > 1 else np.reshape(y, y.shape[0])
    missing = set(np.unique(classes).tolist()) - set(class_weight)
    if missing:
        raise ValueError(
            f"`class_weight` must contain all classes in the data. The classes {missing} exist in "
            "the data but not in `class_weight`."
        )
    return np.asarray([class_weight[each] for each in classes], floatx())


def check_lengths(x: Sequence[Any], y: Sequence[Any], weights: Sequence[Any]) -> None:
    """Raises ValueError when not all arrays have as many samples."""

    def lengths(arrays: Sequence[Any]) -> set[int]:
        return {a.shape[0] for a in arrays if a is not None and not isinstance(a, Tensor)}

    of_x, of_y, of_w = lengths(x), lengths(y), lengths(weights)
    many = "All {} should have the same number of samples. Got array shapes: {}"
    for found, arrays, noun in (
        (of_x, x, "input arrays (x)"),
        (of_y, y, "target arrays (y)"),
        (of_w, weights, "sample_weight arrays"),
    ):
        if len(found) > 1:
            raise ValueError(many.format(noun, [a.shape for a in arrays]))
    if of_x and of_y and of_x != of_y:
        raise ValueError(
            "Input arrays should have the same number of samples as target arrays. Found "
            f"{of_x.pop()} input samples and {of_y.pop()} target samples."
        )
    if of_y and of_w and of_y != of_w:
        raise ValueError(
            "Sample_weight arrays should have the same number of samples as target arrays. Got "
            f"{of_y.pop()} input samples and {of_w.pop()} target samples."
        )


_AS_LARGE: tuple[Callable[..., Any], ...] = (
    losses.mean_squared_error,
    losses.binary_crossentropy,
    losses.categorical_crossentropy,
)


def check_targets(y: Sequence[Any], loss_objects: Sequence[Any], shapes: Sequence[Any]) -> None:
    """Raises ValueError when labels have not the shape that their loss expects of them."""
    for labels, loss, shape in zip(y, loss_objects, shapes):
        if labels is None or loss is None or isinstance(labels, Tensor) or shape is None:
            continue
        if losses.computes(loss, losses.categorical_crossentropy) and labels.shape[-1] == 1:
            raise ValueError(_ONE_HOT.format(shape=labels.shape))
        if losses.computes(loss, *_AS_LARGE):
            for size, right in zip(labels.shape[1:], shape[1:]):
                if right is not None and size != right:
                    raise ValueError(
                        f"A target array with shape {labels.shape} was passed for an output of "
                        f"shape {tuple(shape)} while using as loss `{loss.name}`. This loss "
                        "expects targets to have the same shape as the output."
                    )
