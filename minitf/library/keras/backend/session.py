"""What Keras keeps for each graph: names given, the learning phase, variables; and its session.

    K.get_session() --+-- the default session, where the program has entered one
                      +-- else one that Keras makes and keeps for the default graph
                      then: variables of layers that have no value yet are initialized

So programs that only call `fit` and `predict` need no session. The state belongs to the graph that
is current outside of all functions; under eager execution to the context.

What all of Keras goes by: the type of floats, the layout of images; windows that slide.

The settings hold for the process. `~/.keras/keras.json` of the original is not read: a program says
itself what it wants.
"""

from __future__ import annotations

import contextlib
import time
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph import Graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder_with_default
from minitf.core.ops.cast import cast as cast_to
from minitf.core.ops.state import is_variable_initialized
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session
from minitf.core.variables.variables import ResourceVariable
from minitf.library.eager.tensor import EagerTensor

_KEY = ("__keras",)  # no text: what is kept here is not written with the graph


class _Kept:
    """What Keras knows of one graph."""

    def __init__(self) -> None:
        self.uids: Counter = Counter()
        self.names: Counter = Counter()
        self.learning_phase: Any = None
        self.workspace: FuncGraph | None = None
        self.variables: weakref.WeakSet = weakref.WeakSet()
        self.has_inputs = False


def _kept() -> _Kept:
    found = stacks.outermost().get_collection_ref(_KEY)
    if not found:
        found.append(_Kept())
    return found[0]


# ---- graphs ------------------------------------------------------------------------------


def get_graph() -> Graph:
    """The graph that symbolic calls of layers add to.

    It is the default graph; under eager execution a graph of Keras's own, whose tensors only say
    how layers are joined.
    """
    if not stacks.executing_eagerly():
        return stacks.get_default_graph()
    kept = _kept()
    if kept.workspace is None:
        kept.workspace = FuncGraph("keras_graph", stacks.get_default_graph())
        kept.workspace._names_in_use = {}
        kept.workspace.stays_open = True
    return kept.workspace


def in_workspace() -> bool:
    """Whether the graph being built is the one that Keras keeps under eager execution."""
    return stacks.get_default_graph() is _kept().workspace


def note_input() -> None:
    """Notes that the current graph has an `Input`."""
    _kept().has_inputs = True


def has_inputs() -> bool:
    """Whether the current graph has an `Input`; where it has none, nothing comes from one."""
    return _kept().has_inputs


# ---- names -------------------------------------------------------------------------------


def get_uid(prefix: str = "") -> int:
    """Counts what was made under a prefix in the current graph: 1, 2, ...

    Example:
      >>> tf.keras.backend.get_uid("mine"), tf.keras.backend.get_uid("mine")
      (1, 2)
    """
    uids = _kept().uids
    uids[prefix] += 1
    return uids[prefix]


def unique_object_name(name: str, zero_based: bool = False) -> str:
    """Makes a name that no layer of the current graph has.

    Args:
      name: the kind, as "dense".
      zero_based: whether the first is `dense`, not `dense_1`.
    """
    names = _kept().names
    names[name] += 1
    count = names[name] - (1 if zero_based else 0)
    return f"{name}_{count}" if count else name


# ---- the learning phase ------------------------------------------------------------------


def learning_phase() -> Any:
    """Whether layers act as in training: 1 or 0, or in a graph a bool that may be fed.

    Example:
      >>> tf.keras.backend.learning_phase()
      <tf.Tensor 'keras_learning_phase:0' shape=() dtype=bool>
    """
    kept = _kept()
    if kept.learning_phase is None:
        if stacks.outermost().runs_at_once:
            return 0
        with stacks.init_scope(), stacks.name_scope(None):
            kept.learning_phase = placeholder_with_default(
                np.array(False), shape=(), name="keras_learning_phase"
            )
    return kept.learning_phase


def learning_phase_is_set() -> bool:
    """Whether the program has said which phase it is."""
    return _kept().learning_phase in (0, 1)


def set_learning_phase(value: int) -> None:
    """Says for the current graph whether layers act as in training.

    Args:
      value: 1 while training, otherwise 0.

    Raises:
      ValueError: when it is neither.
    """
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _kept().learning_phase = int(value)


@contextlib.contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """A context in which the learning phase is `value`."""
    kept = _kept()
    before = kept.learning_phase
    set_learning_phase(value)
    try:
        yield
    finally:
        kept.learning_phase = before


# ---- sessions ----------------------------------------------------------------------------

_own: Session | None = None
_initialized: weakref.WeakKeyDictionary[Any, weakref.WeakSet] = weakref.WeakKeyDictionary()


def track_variables(variables: Iterable[Any]) -> None:
    """Notes variables of the current graph that `get_session` is to initialize."""
    if not stacks.outermost().runs_at_once:
        _kept().variables.update(copy for each in variables for copy in copies_of(each))


def copies_of(variable: Any) -> Sequence[Any]:
    """The copies of a variable that a strategy has made on several devices, or the variable."""
    return variable.values if getattr(variable, "has_copies", False) else [variable]


def get_session() -> Session:
    """The session that Keras runs in, with the variables of all layers initialized.

    Raises:
      RuntimeError: under eager execution.
    """
    global _own
    if stacks.outermost().runs_at_once:
        raise RuntimeError("`get_session` is not available when using TensorFlow eager execution.")
    session = stacks.get_default_session()
    graph = stacks.get_default_graph()
    if session is None:
        if _own is None or _own.graph is not graph:
            _own = _new_session(graph)
        session = _own
    _initialize(session)
    return session


def _new_session(graph: Graph) -> Session:
    """A session for the graph, in the cluster of the strategy that is in scope."""
    place = stacks.strategies.top()
    if place is None:
        return Session(graph=graph)
    config = place.strategy.update_config_proto(ConfigProto(allow_soft_placement=True))
    return Session(place.strategy.extended._session_target(), graph, config)


def set_session(session: Any) -> None:
    """Gives Keras the session to run in where the program has entered none."""
    global _own
    _own = session


def _initialize(session: Any) -> None:
    done = _initialized.setdefault(session, weakref.WeakSet())
    with session.graph.as_default():
        waiting = [v for v in _kept().variables if v not in done]
        if not waiting:
            return
        questions = [is_variable_initialized(v) for v in waiting]
    place = stacks.strategies.top()
    while True:
        answers = zip(waiting, session.run(questions), strict=True)
        fresh = [v for v, has_value in answers if not has_value]
        if not fresh or place is None or place.strategy.extended.experimental_should_init:
            break
        time.sleep(0.1)  # until the first worker has done it
    session.run([v.initializer for v in fresh])
    done.update(waiting)


def clear_session() -> None:
    """Forgets the graph that models were built in, with all names, and Keras's session.

    A program that makes models one after the other calls it between them.

    Example:
      >>> tf.keras.backend.clear_session()
    """
    global _own
    if not stacks.outermost().runs_at_once:
        stacks.reset_default_graph()
    _own = None
    stacks.outermost().get_collection_ref(_KEY).clear()


# ---- values of variables -----------------------------------------------------------------


def get_value(x: Any) -> Any:
    """The value of a variable, as an array."""
    return batch_get_value([x])[0]


def batch_get_value(tensors: list[Any]) -> list[Any]:
    """The values of several variables, as arrays.

    Raises:
      RuntimeError: in a function that is being traced.
    """
    if stacks.executing_eagerly():
        return [x.numpy() for x in tensors]
    if stacks.outermost().runs_at_once:
        raise RuntimeError("Cannot get value inside Tensorflow graph function.")
    return get_session().run(tensors) if tensors else []


def set_value(x: Any, value: Any) -> None:
    """Gives a variable a value.

    Args:
      x: the variable.
      value: an array of its shape.
    """
    batch_set_value([(x, value)])


def batch_set_value(tuples: list[tuple[Any, Any]]) -> None:
    """Gives several variables values; nothing is added to the graph.

    Args:
      tuples: pairs of a variable and an array.
    """
    arrays = [
        (copy, np.asarray(value, x.dtype.base_dtype.as_numpy_dtype))
        for x, value in tuples
        for copy in copies_of(x)
    ]
    if stacks.outermost().runs_at_once:
        with stacks.init_scope():
            for variable, array in arrays:
                variable.assign(array)
    elif arrays:
        initializers = {x.initializer: array for x, array in arrays}
        feeds = {op.inputs[1]: array for op, array in initializers.items()}
        get_session().run(list(initializers), feeds)


def set_weights(variables: Sequence[Any], values: Sequence[Any], owner: str, named: str) -> None:
    """Gives variables values of their shapes.

    Args:
      variables: those of a layer or of an optimizer.
      values: an array for each.
      owner: "layer" or "optimizer", for the messages.
      named: its name, as it stands in a message.

    Raises:
      ValueError: when their number or a shape differs.
    """
    if len(variables) != len(values):
        raise ValueError(
            f"You called `set_weights(weights)` on {owner} {named} list of length {len(values)}, "
            f"but the {owner} was expecting {len(variables)} weights. Provided weights: "
            f"{str(values)[:50]}..."
        )
    for variable, value in zip(variables, values, strict=True):
        shape = tuple(variable.shape.as_list())
        if shape != np.shape(value):
            raise ValueError(
                f"{owner.capitalize()} weight shape {shape} not compatible with provided weight "
                f"shape {np.shape(value)}"
            )
    batch_set_value(list(zip(variables, values, strict=True)))


# ---- variables, and what is asked of a tensor ----------------------------------------------------


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """Makes a variable, which Keras initializes before it is used.

    Args:
      value: an array or a tensor; its first value.
      dtype: the type; `floatx()` by default.
      name: the name.
      constraint: see `tf.Variable`.

    Example:
      >>> v = tf.keras.backend.variable([[1.0, 2.0]], name="v")
      >>> tf.keras.backend.eval(v + 1.0)
      array([[2., 3.]], dtype=float32)
    """
    made = ResourceVariable(
        value, dtype=dtypes.as_dtype(dtype or floatx()), name=name, constraint=constraint
    )
    track_variables([made])
    return made


def dtype(x: Any) -> str:
    """The name of a tensor's type, as "float32"."""
    return x.dtype.base_dtype.name


def ndim(x: Any) -> int | None:
    """The rank of a tensor; None when it is not known."""
    return x.shape.ndims


def int_shape(x: Any) -> tuple | None:
    """The static shape as a tuple of integers and None; None when the rank is not known.

    Example:
      >>> tf.keras.backend.int_shape(tf.placeholder(tf.float32, [None, 3]))
      (None, 3)
    """
    shape = getattr(x, "shape", None)
    if shape is None or getattr(shape, "ndims", len(np.shape(shape))) is None:
        return None
    return tuple(getattr(size, "value", size) for size in shape)


def is_tensor(x: Any) -> bool:
    """Whether something is a tensor, a sparse one, or a variable."""
    return isinstance(x, (Tensor, EagerTensor, SparseTensor)) or hasattr(x, "assign_add")


def cast(x: Any, dtype: Any) -> Tensor:
    """A tensor of another type.

    Args:
      x: the tensor.
      dtype: the type, or its name, as "float16".
    """
    return cast_to(x, dtypes.as_dtype(dtype))


def cast_to_floatx(x: Any) -> Any:
    """An array, or a tensor, of type `floatx()`."""
    return cast_to(x, floatx()) if is_tensor(x) else np.asarray(x, dtype=floatx())


# ---- settings, and windows that slide ------------------------------------------------------------


#: That of TensorFlow 1.15.
VERSION = "2.2.4-tf"
_settings: dict[str, Any] = {
    "floatx": "float32",
    "epsilon": 1e-7,
    "image_data_format": "channels_last",
}


def floatx() -> str:
    """The name of the type that variables and placeholders have by default: "float32"."""
    return _settings["floatx"]


def epsilon() -> float:
    """The small number that keeps from division by zero: 1e-7."""
    return _settings["epsilon"]


def image_data_format() -> str:
    """The layout of images by default: "channels_last", or "channels_first"."""
    return _settings["image_data_format"]


# ---- windows -------------------------------------------------------------------------------------


def normalize_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """A number for each of `n` axes, from one number or `n`.

    Raises:
      ValueError: when it is neither.
    """
    if isinstance(value, int):
        return (value,) * n
    try:
        sizes = tuple(int(size) for size in value)
    except (TypeError, ValueError):
        sizes = ()
    if len(sizes) != n:
        raise ValueError(
            f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
        )
    return sizes


def normalize_padding(value: Any) -> str:
    """The padding in lower case: "valid", "same" or "causal".

    Raises:
      ValueError: when it is none of these.
    """
    padding = str(value).lower()
    if padding not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be one of "valid", "same" (or "causal", only for '
            f"`Conv1D). Received: {padding}"
        )
    return padding


def normalize_data_format(value: str | None) -> str:
    """The layout in lower case: "channels_last" or "channels_first"; None is Keras's setting.

    Raises:
      ValueError: when it is none of these.
    """
    data_format = image_data_format() if value is None else value.lower()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {value}"
        )
    return data_format


def deconv_output_length(
    input_length: Any,
    filter_size: int,
    padding: str,
    stride: int,
    output_padding: int | None = None,
    dilation: int = 1,
) -> Any:
    """How long the output of a transposed convolution is, None when it is not known.

    Args:
      input_length: a number, a scalar tensor, or None.
      filter_size, stride, dilation: of the convolution.
      padding: "valid" or "same".
      output_padding: how much longer it is than the shortest; None: as long as `padding` says.
    """
    if input_length is None:
        return None
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    if output_padding is not None:
        margin = reach // 2 if padding == "same" else 0
        return (input_length - 1) * stride + reach - 2 * margin + output_padding
    return input_length * stride + (max(reach - stride, 0) if padding == "valid" else 0)
