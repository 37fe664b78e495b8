"""Loops and branches drawn at random, one inside of another, with their gradients.

The numbers stay small, so that a slope through several turns still says something.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

COUNT = 48

PRELUDE = """
a, b = (tf.constant(np.sin(np.arange(3) + k) * 0.8, tf.float64) for k in (0.3, 2.0))
c = tf.placeholder_with_default(np.array([2, 0], np.int32), None)
"""

#: what is made of one value, of two, and what asks a yes or no
ONE = ("tf.tanh({0})", "tf.sin({0})", "{0} * {0}", "tf.reverse({0}, [0])", "-{0}", "tf.nn.softmax({0})",
       "tf.roll({0}, 1, 0)", "tf.cumsum({0}) * 0.3", "tf.gather({0}, [0, 0, 2])", "{0} * w",
       "tf.concat([{0}[1:], {0}[:1]], 0)", "tf.stop_gradient({0})", "tf.identity({0})")  # fmt: skip
TWO = ("{0} + {1}", "{0} - {1}", "{0} * {1}", "tf.maximum({0}, {1})", "tf.where({0} > {1}, {0}, {1})",
       "tf.reduce_sum({0}) * {1}", "{0} / (1.5 + {1} * {1})")  # fmt: skip
ASKED = ("tf.reduce_sum({0}) > 0.0", "tf.reduce_all({0} < 0.7)", "tf.equal(c[0], 2)", "{0}[0] < {1}[1]",
         "tf.constant(True)")  # fmt: skip


class Words:
    """Draws expressions of the names that are there."""

    def __init__(self, d: Draw) -> None:
        self.d = d

    def name(self, names: list[str]) -> str:
        return self.d.one(names)

    def value(self, names: list[str], depth: int) -> str:
        """An expression of shape [3]."""
        d = self.d
        kind = d.number(0, 11) if depth else 0
        if kind == 0:
            return self.name(names)
        if kind <= 4:
            return d.one(ONE).format(self.value(names, depth - 1))
        if kind <= 8:
            both = self.value(names, depth - 1), self.value(names, depth - 1)
            return "(" + d.one(TWO).format(*both) + ")"
        return (self.branch, self.loop, self.mapped)[kind - 9](names, depth - 1)

    def branch(self, names: list[str], depth: int) -> str:
        asked = self.d.one(ASKED).format(self.name(names), self.name(names))
        one, other = (f"lambda: {self.value(names, depth)}" for _ in range(2))
        if self.d.chance(0.2):
            return f"tf.case([({asked}, {one})], {other})"
        return f"tf.cond({asked}, {one}, {other})"

    def loop(self, names: list[str], depth: int) -> str:
        """A loop with one or two values beside its counter; its body sees what is around it."""
        d, level = self.d, len(names)
        inner = [f"x{level}", f"y{level}"][: d.number(1, 2)]
        both = [*names, *inner]
        turns = d.one([str(d.number(0, 4)), "c[0]", "c[1]"])
        until = f"i{level} < {turns}"
        if d.chance(0.3):
            until = f"tf.logical_and({until}, tf.reduce_sum({inner[0]}) < 2.0)"
        arguments = ", ".join([f"i{level}", *inner])
        after = ", ".join([f"i{level} + 1", *(self.value(both, depth) for _ in inner)])
        start = ", ".join(["0", *(self.name(names) for _ in inner)])
        more = d.one(["", ", parallel_iterations=1", ", swap_memory=True"])
        loop = f"tf.while_loop(lambda {arguments}: {until}, lambda {arguments}: ({after}), [{start}]{more})"
        return f"{loop}[{d.number(1, len(inner))}]"

    def mapped(self, names: list[str], depth: int) -> str:
        d, level = self.d, len(names)
        inner = f"e{level}"
        stack = f"tf.stack([{self.name(names)}, {self.name(names)}])"
        if d.chance(0.4):
            return f"tf.reduce_mean(tf.map_fn(lambda {inner}: {self.value([*names, inner], depth)}, {stack}), 0)"
        kind = d.one("scan foldl foldr")
        body = self.value([*names, f"s{level}", inner], depth)
        call = f"tf.{kind}(lambda s{level}, {inner}: {body}, {stack}, {self.name(names)})"
        return f"{call}[-1]" if kind == "scan" else call


def _cases() -> list[Case]:
    cases = []
    for seed in range(COUNT):
        words = Words(Draw(f"loop {seed}"))
        kind = (words.loop, words.branch, words.mapped, words.loop)[seed % 4]
        text = kind(["a", "b", "w"], 3)
        lines = [f"out = {text}", "value(out, a, b, w)"]
        inside = "".join(f"\n    {line}" for line in lines)
        variable = "w = tf.Variable([0.5, -0.4, 0.3], dtype=tf.float64, use_resource=%s)" % (
            seed % 2 == 1
        )
        source = (
            f"{PRELUDE.strip()}\n{variable}\ntry:{inside}\n"
            "except Exception as error:\n    show(error=type(error).__name__)\n"
        )
        cases.append(Case(f"drawn_loops/{seed}", source, rtol=1e-6))
    return cases


CASES = _cases()
