"""`tensorflow.python.keras.keras_parameterized`: tests that run once for each way Keras works.

@keras_parameterized.run_all_keras_modes            in a session, under eager execution ...
@keras_parameterized.run_with_all_model_types       functional, sequential, in a class
def test_foo(self): ...

A decorated method becomes several tests, whose names tell the way; absl-py makes them.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import unittest
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minitf.compat.testing import keras_testing, test_case
from minitf.core.graph import nest
from minitf.core.graph.graph import Graph
from minitf.library.eager import context as eager
from minitf.library.keras.backend.session import clear_session


def _absl() -> Any:
    """absl.testing.parameterized.

    Raises:
      ImportError: when it is not installed.
    """
    try:
        from absl.testing import parameterized
    except ImportError as error:
        raise ImportError("Tests with parameters need absl-py: pip install absl-py") from error
    return parameterized


@functools.cache
def _test_case() -> type:
    base: Any = _absl().TestCase

    class TestCase(test_case.TestCase, base):
        """A test that leaves no layers behind."""

        def tearDown(self) -> None:
            clear_session()
            super().tearDown()

    return TestCase


def __getattr__(name: str) -> Any:
    """`TestCase`, which is made when a program asks for it: it stands on absl-py."""
    if name == "TestCase":
        return _test_case()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def each_way(test_or_class: Any, ways: dict[str, Callable[[Any], Any]]) -> Any:
    """Decorates a test, or those of a class: it runs once in each of several contexts.

    Args:
      test_or_class: what is decorated; None: a decorator is returned.
      ways: by name a function from the test to a context, whose value may be a dict of arguments.
    """
    names = [(f"_{name}", name) for name in ways]

    def one(method: Callable) -> Any:
        @_absl().named_parameters(*names)
        @functools.wraps(method)
        def run(self: Any, way: str, *args: Any, **kwargs: Any) -> None:
            with ways[way](self) as values:  # a dict has arguments of the test
                given = values if isinstance(values, dict) else {}
                wanted = {k: given[k] for k in given if k in inspect.signature(method).parameters}
                method(self, *args, **kwargs, **wanted)

        return run

    def decorate(thing: Any) -> Any:
        if isinstance(thing, type):
            for name, value in list(vars(thing).items()):
                if name.startswith(unittest.TestLoader.testMethodPrefix):
                    setattr(thing, name, decorate(value))
            body = {k: v for k, v in vars(thing).items() if k not in ("__dict__", "__weakref__")}
            return type(thing)(thing.__name__, thing.__bases__, body)
        if isinstance(thing, Iterable):  # several tests already
            return [made for each in thing for made in one(each)]
        return one(thing)

    return decorate if test_or_class is None else decorate(test_or_class)


@contextlib.contextmanager
def _in_session(test: Any, config: Any = None) -> Iterator[None]:
    settings = keras_testing.run_eagerly_scope(False)
    function = keras_testing.experimental_run_tf_function_scope(False)
    with settings, function, Graph().as_default(), test.test_session(config=config):
        yield


@contextlib.contextmanager
def _at_once(test: Any, run_eagerly: bool) -> Iterator[None]:
    settings = keras_testing.run_eagerly_scope(run_eagerly)
    function = keras_testing.experimental_run_tf_function_scope(True)
    with settings, function, eager.eager_mode():
        yield


def _within(scope: Callable[[str], Any], value: str, test: Any) -> Any:
    return scope(value)


def run_all_keras_modes(
    test_or_class: Any = None,
    config: Any = None,
    always_skip_v1: bool = False,
    always_skip_eager: bool = False,
    **_: Any,
) -> Any:
    """Runs tests in a session, and with operations that run at once.

    Args:
      test_or_class: a method or a class; None: a decorator is returned.
      config: for the session.
      always_skip_v1: leave out the session.
      always_skip_eager: leave out models that run layer by layer.
    """
    ways: dict[str, Callable[[Any], Any]] = {
        "v2_eager": lambda test: _at_once(test, True),
        "v2_function": lambda test: _at_once(test, False),
        "v1_session": lambda test: _in_session(test, config),
    }
    if always_skip_eager:
        del ways["v2_eager"]
    if always_skip_v1:
        del ways["v1_session"]
    return each_way(test_or_class, ways)


def run_with_all_model_types(test_or_class: Any = None, exclude_models: Any = None) -> Any:
    """Runs tests with functional models, with classes and with sequences of layers.

    Args:
      test_or_class: a method or a class; None: a decorator is returned.
      exclude_models: types to leave out.
    """
    types = ("functional", "subclass", "sequential")
    wanted = [each for each in types if each not in nest.flatten(exclude_models)]
    scope = keras_testing.model_type_scope
    return each_way(
        test_or_class, {each: functools.partial(_within, scope, each) for each in wanted}
    )


def run_with_all_saved_model_formats(test_or_class: Any = None, exclude_formats: Any = None) -> Any:
    """Runs tests with both formats of files.

    Args:
      test_or_class: a method or a class; None: a decorator is returned.
      exclude_formats: formats to leave out.
    """
    wanted = [each for each in ("h5", "tf") if each not in nest.flatten(exclude_formats)]
    scope = keras_testing.saved_model_format_scope
    return each_way(
        test_or_class, {each: functools.partial(_within, scope, each) for each in wanted}
    )
