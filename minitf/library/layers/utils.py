"""Functions made of classes: `tf.layers.conv2d` of `Conv2D`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor


def functional(layer_class: type, name: str, sentence: str) -> Callable[..., Tensor]:
    """Makes the function that makes a layer and calls it: `tf.layers.conv2d` from `Conv2D`.

    Its arguments are the inputs, those of the class, and `reuse`.

    Args:
      layer_class: the class.
      name: the function's name.
      sentence: what it does.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = list(inspect.signature(layer_class).parameters.values())
    rest = [own.pop()] if own[-1].kind is inspect.Parameter.VAR_KEYWORD else []
    reuse = inspect.Parameter("reuse", kind, default=None)
    signature = inspect.Signature([inspect.Parameter("inputs", kind), *own, reuse, *rest])

    def function(*args: Any, **kwargs: Any) -> Tensor:
        given = signature.bind(*args, **kwargs).arguments
        given.update(given.pop(rest[0].name, {}) if rest else {})
        inputs, shared = given.pop("inputs"), given.pop("reuse", None)
        return layer_class(**given, _scope=given.get("name"), _reuse=shared)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = layer_class.__module__
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"""{sentence}

    Args:
      inputs: what the layer is called with.
      reuse: whether to take the variables of the layer of that name.

    The other arguments are those of `{layer_class.__name__}`. Returns: what the layer returns.
    """
    return function
