"""Wrappers that remember what they wrap, and deprecations that say what of a call is old."""

import functools

import pytest

from minitf.compat.internals import decorators, tf_inspect
from minitf.core.graph import logging

DATE, HOW = "2016-07-04", "Use g."


def plus_one(target):
    def wrapper(x):
        return wrapper.__wrapped__(x) + 1

    return decorators.make_decorator(target, wrapper)


@pytest.fixture
def warned(monkeypatch):
    calls = []
    monkeypatch.setattr(logging, "warning", lambda text, *values: calls.append((text, *values)))
    return calls


def test_wrappers_are_taken_off_and_put_on_another_function():
    @plus_one
    @plus_one
    def f(x):
        """Doubles."""
        return 2 * x

    wrappers, inner = decorators.unwrap(f)
    assert (f(3), inner(3), f.__name__, f.__doc__) == (8, 6, "f", "Doubles.")
    assert [each.decorator_name for each in wrappers] == ["plus_one", "plus_one"]
    decorators.rewrap(f, inner, lambda x: 10 * x)
    assert f(3) == 32
    with pytest.raises(ValueError, match="no wrapper"):
        decorators.rewrap(inner, inner, f)


def test_arguments_are_those_that_a_wrapper_says():
    spec = tf_inspect.ArgSpec(["a", "b"], None, None, (1,))
    told = decorators.TFDecorator("d", lambda x: x, "", spec)
    assert tf_inspect.getargspec(told) is spec
    assert tf_inspect.getfullargspec(told).defaults == (1,)
    assert tf_inspect.getcallargs(told, 5) == {"a": 5, "b": 1}

    def f(m, n, k=4):
        return m, n, k

    assert tf_inspect.getargspec(functools.partial(f, 1, n=7)) == (["n", "k"], None, None, (7, 4))
    with pytest.raises(ValueError, match="keyword-only arguments"):
        tf_inspect.getargspec(functools.partial(f, m=0))


def test_deprecated_arguments_warn_when_they_are_given(warned):
    @decorators.deprecated_args(DATE, HOW, ("old", None), "rest")
    def f(a, old=None, **rest):
        return a

    f(1), f(1, None), f(1, old=None)
    assert not warned
    f(1, 2), f(1, 2), f(1, x=3)
    assert [values[5:] for values in warned] == [
        ("old", f"after {DATE}", HOW),
        ("rest", f"after {DATE}", HOW),
    ]
    with pytest.raises(ValueError, match=r"not present.*\['gone'\]"):
        decorators.deprecated_args(DATE, HOW, "gone")(f)
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        decorators.deprecated_args("07-04-2016", HOW, "old")


def test_deprecated_values_classes_and_names_warn(warned):
    @decorators.deprecated_arg_values(DATE, HOW, warn_once=False, mode="old")
    def f(mode="old"):
        return mode

    f("new")
    assert not warned
    f(), f("old")
    assert len(warned) == 2

    @decorators.deprecated(DATE, HOW)
    class C:
        def __init__(self, x):
            self.x = x

    renamed = decorators.deprecated_alias("Old", "C", C)
    with decorators.silence():
        assert C(3).x == 3
    assert len(warned) == 2
    assert isinstance(renamed(4), C) and len(warned) == 4
    with pytest.raises(ValueError, match="make sure @property appears before @deprecated"):
        decorators.deprecated(DATE, HOW)(property(f))
