"""`tf.function`: tracing, effects, gradients, and statements that become parts of the graph."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager import autograph
from minitf.library.eager.context import eager_mode

needs_rewriter = pytest.mark.skipif(
    not autograph.is_available(), reason="diastatic-malt, which rewrites functions, is not there"
)


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    with eager_mode():
        yield


# ---- tracing -----------------------------------------------------------------------------


def test_traced_once_for_each_kind_of_arguments() -> None:
    traced: list[Any] = []

    @tf.function
    def f(x: Any, flag: bool = True) -> Any:
        traced.append((x.dtype, x.shape.as_list(), flag))
        return x + 1 if flag else x - 1

    assert f(tf.constant(1)).numpy() == f(tf.constant(1), True).numpy() == f(np.int32(1)).numpy()
    f(tf.constant([1, 2])), f(tf.constant([3, 4])), f(tf.constant(1.0)), f(tf.constant(1), False)
    f(x=tf.constant(5))
    assert [t[1:] for t in traced] == [([], True), ([2], True), ([], True), ([], False)]


def test_structures() -> None:
    @tf.function
    def f(pair: Any, named: Any) -> Any:
        return {"sum": pair[0] + pair[1], "none": None, "list": [named["a"], 2.0]}

    found = f((tf.constant(1.0), tf.constant(2.0)), {"a": tf.constant(3.0)})
    assert found["sum"].numpy() == 3.0 and found["none"] is None
    assert [t.numpy() for t in found["list"]] == [3.0, 2.0]


def test_signature() -> None:
    traced: list[int] = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x: Any) -> Any:
        traced.append(1)
        return tf.reduce_sum(x)

    assert f([1.0, 2.0]).numpy() == 3.0 and f(tf.constant([5.0])).numpy() == 5.0
    assert len(traced) == 1
    for wrong in ([[1.0]], tf.constant([1])):
        with pytest.raises(ValueError, match="incompatible with input_signature"):
            f(wrong)
    assert f.get_concrete_function()(tf.constant([7.0])).numpy() == 7.0
    with pytest.raises(TypeError, match="input_signature must be"):
        tf.function(lambda x: x, input_signature=tf.TensorSpec([], tf.int32))


def test_concrete_function() -> None:
    f = tf.function(lambda x, y=3: x * y)
    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.int32))
    assert concrete(tf.constant([1, 2])).numpy().tolist() == [3, 6]
    assert concrete(x=tf.constant([1])).numpy().tolist() == [3]
    assert concrete.output_dtypes == tf.int32 and concrete.output_shapes.as_list() == [None]
    assert len(concrete.inputs) == 1 and len(concrete.outputs) == 1
    with pytest.raises(TypeError, match="takes 1 tensors"):
        concrete()


def test_threads_share_the_first_trace() -> None:
    traced: list[int] = []
    made: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        traced.append(1)
        if not made:
            made.append(tf.Variable(1.0))
        return x + made[0]

    def work() -> None:
        with eager_mode():
            results.append(float(f(tf.constant(2.0))))

    results: list[float] = []
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [3.0] * 4
    assert len(made) == 1 and len(traced) == 2  # once more when it had made a variable


def test_nobody_writes_over_what_somebody_holds() -> None:
    v = tf.Variable(tf.zeros([5000]))

    @tf.function
    def bump() -> None:
        v.assign_add(tf.ones([5000]))

    def address() -> int:
        return v._handle._value.value.ctypes.data

    held = v.read_value()
    view = tf.reshape(held, [50, 100])
    bump()
    assert held.numpy().sum() == view.numpy().sum() == 0.0
    view, before = tf.reshape(v, [50, 100]), address()
    bump()
    assert view.numpy().sum() == 5000.0 and address() != before
    before = address()
    bump()
    v.assign_add(tf.ones([5000]))
    assert v.numpy().sum() == 20000.0 and address() == before  # nobody holds it: written over


def test_values_read_before_an_update_stay() -> None:
    v = tf.Variable(tf.zeros([3]))

    @tf.function
    def f(n: Any) -> Any:
        before = v.read_value()
        kept = before
        i = 0
        while i < n:
            kept = v.read_value()
            v.assign_add(tf.ones([3]))
            i += 1
        if n > 0:
            v.assign_add(before + 10.0)
        return before, kept, v

    if autograph.is_available():
        before, kept, after = f(tf.constant(3))
        assert [float(t[0]) for t in (before, kept, after)] == [0.0, 2.0, 13.0]


def test_variables_are_made_once() -> None:
    class Model:
        def __init__(self) -> None:
            self.w: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.w is None:
                self.w = tf.Variable(tf.ones([2]) * 3.0)
            return self.w * x

    class Slotted:
        __slots__ = ("factor",)

        @tf.function
        def times(self, x: Any) -> Any:
            assert type(self) is Slotted
            return x * self.factor

    slotted = Slotted()
    slotted.factor = 3.0
    assert slotted.times(tf.constant(2.0)).numpy() == 6.0
    one, other = Model(), Model()
    assert one(tf.constant(2.0)).numpy().tolist() == [6.0, 6.0]
    assert one(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]
    other(tf.constant(1.0))
    assert other.w is not one.w

    @tf.function
    def careless(x: Any) -> Any:
        return tf.Variable(1.0) + x

    with pytest.raises(ValueError, match="tried to create variables on non-first call"):
        careless(tf.constant(1.0))


def test_errors_name_the_operation() -> None:
    f = tf.function(lambda x, y: tf.add(x, y, name="sum"), autograph=False)
    known = [tf.TensorSpec([None], tf.float32)] * 2
    concrete = f.get_concrete_function(*known)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2\] vs. \[3\](.|\n)*node sum"):
        concrete(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


def test_in_a_graph() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(1.0)

        @tf.function
        def bump(x: Any) -> Any:
            v.assign_add(x)
            return v * 2.0

        x = tf.constant(2.0)

        @tf.function
        def no_result() -> None:
            v.assign(100.0)

        y, reset = bump(x), no_result()
        sess.run(tf.global_variables_initializer())
        assert sess.run(v) == 1.0
        assert sess.run(y) == 6.0 and sess.run(v) == 3.0
        sess.run(reset)
        assert sess.run(v) == 100.0
        assert sess.run(tf.gradients(tf.function(lambda a: a * a)(x), x)) == [4.0]


# ---- gradients ---------------------------------------------------------------------------


def test_gradient_of_random_numbers_uses_those_drawn() -> None:
    f = tf.function(lambda x: x * tf.random_uniform([4]))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), np.sum(y.numpy()) / 2.0, rtol=1e-6)


# ---- AutoGraph ---------------------------------------------------------------------------


def loops(x: Any, numbers: Any) -> Any:
    total = 0.0
    for i in numbers:
        if i % 2 == 0:
            continue
        if total > 20.0:
            break
        total += x * float(i)
    while total > 10.0:
        total = total / 2.0
    return total


def branches(x: Any, numbers: Any) -> Any:
    sign = 1.0 if x > 0.0 else -1.0
    if x > 1.0 and not x > 5.0:
        return x * 2.0
    elif x > 5.0 or x < -5.0:
        y = x - 1.0
    else:
        y = x + 1.0
    if x != 3.0:
        y = y * sign
    return y


def early(x: Any, numbers: Any) -> Any:
    y = x
    for _ in numbers:
        if y > 8.0:
            return y
        y = y * 2.0
    return -y


def nested(x: Any, numbers: Any) -> Any:
    best = x * 0.0
    for i in numbers:
        value = float(i) * x
        while value > 3.0:
            value = value - 3.0
            if value < 1.0:
                break
        best = max(best, value)
    return best


@needs_rewriter
@pytest.mark.parametrize("program", [loops, branches, early, nested])
def test_statements_on_tensors(program: Callable) -> None:
    traced = tf.function(lambda x: program(x, tf.range(10)))
    for x in (-6.0, -2.0, 0.0, 0.3, 1.0, 2.0, 3.0, 7.0):
        assert float(traced(tf.constant(x))) == pytest.approx(program(x, range(10)), rel=1e-5)
    assert len(traced._concrete) == 1


@needs_rewriter
def test_effects_in_branches_and_loops(capsys: pytest.CaptureFixture) -> None:
    v = tf.Variable(0)

    @tf.function
    def f(n: Any) -> None:
        for i in tf.range(n):
            if i > 1:
                v.assign_add(i)
                tf.print("added", i)
        if n > 100:
            v.assign(-1)
        assert n > 0, "too few"

    f(tf.constant(4))
    assert v.numpy() == 5 and capsys.readouterr().err == "added 2\nadded 3\n"
    with pytest.raises(tf.errors.InvalidArgumentError, match="too few"):
        f(tf.constant(0))


@needs_rewriter
def test_errors_name_the_line_of_the_program() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            x = tf.reshape(tf.range(x), [2, 2])
        return x

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.function(f)(tf.constant(3))
    line = f.__code__.co_firstlineno + 2
    assert f"(defined at {__file__}:{line})" in str(caught.value)


@needs_rewriter
def test_what_does_not_fit_is_said() -> None:
    def missing(x: Any) -> Any:
        if x > 0:
            y = 1
        return y

    def other_type(x: Any) -> Any:
        y = 1
        if x > 0:
            y = 2.0
        return y

    def grows(x: Any) -> Any:
        y = tf.constant([0])
        while x > 0:
            y = tf.concat([y, y], 0)
            x = x - 1
        return y

    cases = [
        (missing, ValueError, "'y' must also be initialized in the else branch"),
        (other_type, TypeError, "'y' has dtype float32 in the main branch, but dtype int32"),
        (grows, ValueError, r"'y' has shape \(1,\) before the loop, but shape \(2,\) after"),
    ]
    for function, kind, text in cases:
        with pytest.raises(kind, match=text):
            tf.function(function)(tf.constant(1))


@needs_rewriter
def test_a_shape_may_grow_when_it_is_said() -> None:
    @tf.function
    def f(n: Any) -> Any:
        v = tf.constant([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(v, tf.TensorShape([None]))]
            )
            v = tf.concat([v, [i]], 0)
        return v

    assert f(tf.constant(3)).numpy().tolist() == [0, 0, 1, 2]


@needs_rewriter
def test_code_is_shown() -> None:
    assert "ag__.while_stmt" in tf.autograph.to_code(loops)
    assert tf.autograph.to_graph(branches)(tf.constant(2.0), None).numpy() == 4.0

    @tf.autograph.experimental.do_not_convert
    def plain(x: Any) -> Any:
        return 1 if x > 0 else 2

    with pytest.raises(TypeError, match="not allowed in Graph execution"):
        tf.function(lambda x: plain(x))(tf.constant(1))


def test_without_the_rewriter(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        raise ImportError("no")

    monkeypatch.setattr(autograph, "_transpiler", absent)
    assert tf.function(lambda x: x + 1)(tf.constant(1)).numpy() == 2
    with pytest.raises(TypeError, match=r"pip install minitf\[autograph\]"):
        tf.function(lambda x: 1 if x > 0 else 2)(tf.constant(1))
