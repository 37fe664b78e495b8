"""AutoGraph: rewrites a function so that its statements can become parts of a graph.

    def f(x):                          def f(x):
        if x > 0:                          def body(): nonlocal x; x = x * 2
            x = x * 2            ──>       def orelse(): pass
        return x                           if_stmt(x > 0, body, orelse, get, set, ("x",), 1)
                                           return x

The rewriting is done by `diastatic-malt`, a maintained copy of TensorFlow's own, which lets its
operators be replaced: ours are in autograph_operators.py. The functions that the function calls are
rewritten too, as they are called; libraries are not. It is imported when the first function is
rewritten. Without it, functions run as they are, and an `if` on a tensor says what is missing.
"""

from __future__ import annotations

import enum
import functools
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

from minitf.core.graph import logging
from minitf.core.graph.errors import OperatorNotAllowedInGraphError
from minitf.core.graph.tensor import Frame, rewritten_lines
from minitf.library.eager import autograph_operators

MISSING = (
    "Statements that depend on tensors need AutoGraph inside a tf.function: "
    "`pip install minitf[autograph]`."
)
_OPERATORS = "if_stmt while_stmt for_stmt assert_stmt if_exp and_ or_ not_ eq not_eq".split()


class _Transpiler:
    """The rewriter, made when it is first needed.

    Raises:
      ImportError: when `diastatic-malt` is not installed.
    """

    def __init__(self) -> None:
        import malt.impl.api as api
        from malt.core import converter
        from malt.impl import conversion
        from malt.operators import function_wrappers, py_builtins, variables

        undefined = (variables.Undefined, variables.UndefinedReturnValue)
        autograph_operators.undefined_types = undefined
        self.builtins = py_builtins
        self._is_library = conversion.is_allowlisted
        self.options = converter.ConversionOptions(
            recursive=True,
            user_requested=True,
            optional_features=(
                converter.Feature.EQUALITY_OPERATORS,
                converter.Feature.ASSERT_STATEMENTS,
            ),
        )
        self._context = converter.ProgramContext(options=self.options)

        class Scope(function_wrappers.FunctionScope):
            """The body of a rewritten function."""

            def ret(self, value: Any, did_return: Any) -> Any:
                """What it returns."""
                return autograph_operators.returned(value, did_return)

        class Rewriter(api.PyToPy):
            """The library's rewriter with the operators of this one."""

            def get_transformed_name(self, node: Any) -> str:
                return "tf__" + super().get_transformed_name(node).removeprefix("ag__")

            def get_extra_locals(self) -> dict[str, Any]:
                names = super().get_extra_locals()
                module = names["ag__"]
                for name in _OPERATORS:
                    setattr(module, name, getattr(autograph_operators, name))
                module.converted_call = call
                module.FunctionScope = Scope
                return names

        self._rewriter = Rewriter()

    def rewritten(self, function: types.FunctionType) -> Callable:
        """The function rewritten.

        Raises:
          Exception: of many kinds, when its source is not there or cannot be rewritten.
        """
        rewritten, _, origins = self._rewriter.transform(function, self._context)
        for place, origin in origins.items():
            line = Frame(origin.loc.filename, origin.loc.lineno, origin.function_name)
            rewritten_lines[place.filename, place.lineno] = line
        return rewritten

    def is_library(self, function: Any) -> bool:
        """Whether a function belongs to a library, whose code stays as it is."""
        module = getattr(function, "__module__", None) or ""
        return module.partition(".")[0] == "minitf" or bool(self._is_library(function))


@functools.cache
def _transpiler() -> _Transpiler:
    return _Transpiler()


def is_available() -> bool:
    """Whether the rewriter is installed."""
    try:
        _transpiler()
    except ImportError:
        return False
    return True


def call(
    f: Any, args: tuple, kwargs: dict | None, caller_fn_scope: Any = None, options: Any = None
) -> Any:
    """Calls `f`, rewritten when it is a function of the program.

    Args:
      f: what the program calls.
      args, kwargs: its arguments.
      caller_fn_scope: the scope of the rewritten caller.
      options: accepted.
    """
    own = _transpiler()
    if isinstance(f, functools.partial):
        merged = {**f.keywords, **(kwargs or {})}
        return call(f.func, (*f.args, *args), merged, caller_fn_scope)
    if f in (eval, super, globals, locals):
        return _call_with_frame(own, f, args, caller_fn_scope)
    target, given = f, args
    if inspect.ismethod(f):
        target, given = f.__func__, (f.__self__, *args)
    elif not inspect.isfunction(f):
        if inspect.isbuiltin(f) or inspect.isclass(f):
            return autograph_operators.builtin(f, args, kwargs)
        method = next((vars(k)["__call__"] for k in type(f).__mro__ if "__call__" in vars(k)), None)
        if not inspect.isfunction(method) or own.is_library(method):
            return f(*args, **(kwargs or {}))
        target, given = method, (f, *args)
    if _stays(own, target):
        return f(*args, **(kwargs or {}))
    try:
        function = own.rewritten(target)
    except Exception as error:  # without its source, or with statements that cannot be rewritten
        logging.warning("AutoGraph could not transform %s and will run it as-is: %s", f, error)
        return f(*args, **(kwargs or {}))
    return function(*given, **(kwargs or {}))


def _stays(own: _Transpiler, function: Any) -> bool:
    """Whether a function is called as it is."""
    return (
        hasattr(function, "autograph_info__")  # rewritten already, or not to be
        or hasattr(function, "ag_module")
        or inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
        or function.__code__.co_filename == "<string>"
        or own.is_library(function)
    )


def _call_with_frame(own: Any, f: Any, args: tuple, scope: Any) -> Any:
    in_context = getattr(own.builtins, f"{f.__name__}_in_original_context")
    return in_context(f, args, scope) if f in (eval, super) else in_context(scope)


def converted(function: Callable) -> Callable:
    """A function that runs `function` rewritten; without the rewriter, as it is."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if is_available():
            return call(function, args, kwargs)
        try:
            return function(*args, **kwargs)
        except OperatorNotAllowedInGraphError:
            raise OperatorNotAllowedInGraphError(MISSING) from None

    return run


def do_not_convert(func: Callable | None = None) -> Any:
    """`tf.autograph.experimental.do_not_convert`: keeps a function as it is."""
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def unchanged(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    unchanged.autograph_info__ = None  # type: ignore[attr-defined]
    return unchanged


def to_graph(
    entity: Callable,
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Callable:
    """`tf.autograph.to_graph`: the function rewritten.

    Args:
      entity: a function.
      recursive, arg_values, arg_types, experimental_optional_features: accepted.
    Raises:
      ImportError: when the rewriter is not installed.
      ValueError: when its source is not there.
    """
    function: Any = getattr(entity, "python_function", entity)
    try:
        rewritten = _transpiler().rewritten(function)
    except ImportError:
        raise ImportError(MISSING) from None
    rewritten.autograph_info__ = None  # type: ignore[attr-defined]
    return rewritten


def to_code(
    entity: Callable,
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """`tf.autograph.to_code`: the source of the function rewritten; see `to_graph`.

    Example:
      >>> print(tf.autograph.to_code(f))  # needs the extra `autograph`  # doctest: +SKIP
    """
    return textwrap.dedent(inspect.getsource(to_graph(entity)))


# ---- tf.autograph.experimental -----------------------------------------------------------


class Feature(enum.Enum):
    """What the rewriter may be asked to do beside statements; all that is supported is done."""

    ALL = "ALL"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def _directive(name: str) -> Any:
    """The rewriter's own `set_loop_options` and `set_element_type`, which it knows by identity."""
    if name not in ("set_loop_options", "set_element_type"):
        raise AttributeError(f"tf.autograph.experimental has no {name}")
    try:
        from malt.lang import directives
    except ImportError:
        raise ImportError(MISSING) from None
    return getattr(directives, name)


experimental = types.ModuleType("minitf.autograph.experimental", "`tf.autograph.experimental`.")
experimental.__dict__.update(Feature=Feature, do_not_convert=do_not_convert, __getattr__=_directive)
