"""Loops, branches and maps over several things at once: numbers of every type, truth values, words,
arrays of tensors, tensors that grow, nests; with first and second slopes.

`drawn_loops` nests expressions of one kind deeply; here a body has several statements, and what it
hands on has several types and shapes.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

#: Those of some hundred seeds that found something, and a few more; TensorFlow itself answers all.
SEEDS = (0, 7, 9, 10, 16, 18, 24, 27)

PRELUDE = """
import collections
Pair = collections.namedtuple("Pair", "first second")
a = tf.constant([0.3, -0.8, 0.5], tf.float64)
b = tf.placeholder_with_default(np.array([0.9, 0.2, -0.4]), [3])
m = tf.placeholder_with_default(np.sin(np.arange(6.0)).reshape(2, 3), [None, 3])
n = tf.placeholder_with_default(3, [])
k = tf.placeholder_with_default(np.array([2, 0, 5], np.int32), [None])
q = tf.placeholder_with_default(True, [])
"""

ENDING = """
parts = tf.nest.flatten(out)
show(made=[(t.dtype, t.shape) for t in parts])
feeds = [{{}}, {{n: 0}}, {{n: 1, q: False, b: [0.1, -0.2, 0.3]}}, {{n: 4, m: np.ones([1, 3]) * 0.4, k: [1]}}]
for number, feed in enumerate(feeds):
    try:
        show(**{{"values %d" % number: run(parts, feed)}})
    except Exception as error:
        show(**{{"values %d" % number: error}})
smooth = [tf.reduce_sum(t * t) for t in parts if t.dtype == tf.float64]
if smooth:
    loss, inputs = tf.add_n(smooth), [a, b, w]
    slopes = tf.gradients(loss, inputs)
    show(slopes=[g is not None for g in slopes])
    for number, feed in enumerate(feeds):
        show(**{{"slopes %d" % number: run([g for g in slopes if g is not None], feed)}})
    try:
        {second}
    except Exception as error:
        pass
"""

SECOND = """summed = [tf.reduce_sum(tf.sin(g)) for g in slopes if g is not None]
        curves = tf.gradients(tf.add_n(summed), inputs)
        values = run([g for g in curves if g is not None])
        show(curves=[g is not None for g in curves], curve_values=values)"""

#: What is made of vectors of three numbers, and of other types.
VECTOR = ("tf.tanh({0})", "{0} * {1}", "{0} + 0.5 * {1}", "tf.sin({0}) - {1}", "tf.reverse({0}, [0])",
          "tf.where({2}, {0}, {1})", "{0} * tf.cast({3}, tf.float64) * 0.2", "tf.gather({0}, [2, {3} % 3, 0])",
          "tf.reduce_max({0}) * {1}", "tf.scatter_nd([[1], [0]], {0}[:2], [3])", "tf.stop_gradient({0}) * {1}",
          "tf.concat([{0}[{3} % 3:], {0}[:{3} % 3]], 0)", "tf.reshape(tf.concat([{0}, {1}], 0), [2, 3])[{3} % 2]")  # fmt: skip
COUNTED = ("{3} + 1", "{3} * 2 - 1", "tf.cast(tf.reduce_sum({0}) * 3.0, tf.int32)", "tf.size({0}) + {3}", "{3} // 2",
           "tf.minimum({3}, 7)", "tf.where({2}, {3}, -{3})", "tf.argmax({0}, output_type=tf.int32)")  # fmt: skip
ASKED = ("tf.logical_not({2})", "{3} % 2 < 1", "tf.reduce_sum({0}) > 0.1", "tf.reduce_any({0} > {1})",
         "tf.logical_and({2}, {3} > 1)")  # fmt: skip
WORDS = ("{4} + 'x'", "tf.strings.join([{4}, tf.as_string({3})], '-')", "tf.where({2}, {4}, tf.constant('no'))",
         "tf.strings.substr({4}, 0, 2)")  # fmt: skip
FORMS = {"v": VECTOR, "n": COUNTED, "q": ASKED, "s": WORDS}
STARTS = {"v": ("a", "b", "w * 1.0", "a * b"), "n": ("0", "n", "2", "k[0]"), "q": ("True", "q", "tf.constant(False)"),
          "s": ("'ab'", "tf.constant('hello')"), "g": ("m", "a[None]", "tf.zeros([0, 3], tf.float64)"),
          "t": ("",)}  # fmt: skip
SHAPES = {"v": "[3]", "n": "[]", "q": "[]", "s": "[]", "g": "[None, 3]"}


class Flow:
    """Draws functions; a scope maps each kind (of `FORMS`, g: growing rows) to names of its tensors."""

    def __init__(self, d: Draw) -> None:
        self.d = d
        self.made = 0

    def name(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def filled(self, form: str, scope: dict[str, list[str]]) -> str:
        one = self.d.one
        s = scope
        return form.format(
            one(s["v"][-4:]), one(s["v"]), one(s["q"]), one(s["n"][-4:]), one(s["s"])
        )

    def simple(self, kind: str, scope: dict[str, list[str]]) -> str:
        if kind == "g":
            x = self.d.one(scope["g"])
            row = self.filled(self.d.one(VECTOR), scope)
            forms = [f"tf.concat([{x}, [{row}]], 0)", f"{x}[1:]", f"tf.tanh({x})", f"{x} * {self.d.one(scope['v'])}",
                     f"tf.reverse({x}, [0])", f"tf.tile({x}, [2, 1])[:4]"]  # fmt: skip
            return self.d.one(forms)
        return self.filled(self.d.one(FORMS[kind]), scope)

    def statement(self, scope: dict[str, list[str]], depth: int) -> list[str]:
        """Lines that make one tensor more."""
        d = self.d
        if depth and d.chance(0.4):
            return d.pick([self.branch, self.loop, self.mapped, self.filled_array])(
                scope, depth - 1
            )  # type: ignore[no-any-return]
        kind = d.one("v v v n q g")
        name, text = self.name(kind), self.simple(kind, scope)
        if d.chance(0.15):
            text = f"guarded(lambda: {text}, {self.filled(d.one(ASKED), scope)})"
        scope[kind] = [*scope[kind], name]
        return [f"{name} = {text}"]

    def body(self, scope: dict[str, list[str]], depth: int) -> list[str]:
        return [line for _ in range(self.d.number(1, 2)) for line in self.statement(scope, depth)]

    def function(
        self, arguments: list[str], lines: list[str], result: str
    ) -> tuple[str, list[str]]:
        name = self.name("f")
        inside = [f"    {line}" for line in [*lines, f"return {result}"]]
        return name, [f"def {name}({', '.join(arguments)}):", *inside]

    def branch(self, scope: dict[str, list[str]], depth: int) -> list[str]:
        d = self.d
        kinds = [d.one("v v n q s g") for _ in range(d.number(1, 3))]
        functions, lines = [], []
        for _ in range(3 if d.chance(0.25) else 2):
            inner = {k: list(v) for k, v in scope.items()}
            body = self.body(inner, depth)
            result = ", ".join(self.result(k, inner) for k in kinds)
            one, made = self.function([], body, f"[{result}]" if len(kinds) > 1 else result)
            functions.append(one)
            lines += made
        names = [self.name(k) for k in kinds]
        asked = [self.filled(d.one([*ASKED, "{2}"]), scope) for _ in functions]
        if len(functions) == 3:
            form = d.number(0, 1)
            text = f"tf.case([({asked[0]}, {functions[0]}), ({asked[1]}, {functions[1]})], default={functions[2]})"
            if form:
                text = f"tf.switch_case({self.filled('{3}', scope)} % 3, [{', '.join(functions)}])"
        else:
            text = f"tf.cond({asked[0]}, {functions[0]}, {functions[1]})"
        for kind, name in zip(kinds, names, strict=True):
            scope[kind] = [*scope[kind], name]
        return [*lines, f"{', '.join(names)} = {text}"]

    def result(self, kind: str, scope: dict[str, list[str]]) -> str:
        """What a function hands back: of its newest tensors, more often than not."""
        if self.d.chance(0.3):
            return self.simple(kind, scope)
        return f"tf.identity({self.d.one(scope[kind][-2:])})"

    def loop(self, scope: dict[str, list[str]], depth: int) -> list[str]:
        d = self.d
        kinds = ["n", *(d.one("v v n q s g t") for _ in range(d.number(1, 3)))]
        names = [self.name(k) for k in kinds]
        inner = {k: list(v) for k, v in scope.items()}
        for kind, name in zip(kinds, names, strict=True):
            inner.setdefault(kind, []).append(name)
        inner.pop("t", None)
        turn = names[0]
        until = f"{turn} < {d.one(['n', '3', 'tf.minimum(n, 2)', '4'])}"
        if d.chance(0.3):
            until = f"tf.logical_and({until}, {self.filled(d.one(ASKED), inner)})"
        body = self.body(inner, depth)
        after, starts = [f"{turn} + 1"], ["0"]
        for kind, name in zip(kinds[1:], names[1:], strict=True):
            if kind == "t":
                after.append(f"{name}.write({turn}, {self.filled(d.one(VECTOR), inner)})")
                size = d.one(
                    ["5", "0, dynamic_size=True", "5, element_shape=[3]", "1, dynamic_size=True"]
                )
                starts.append(f"tf.TensorArray(tf.float64, {size})")
            else:
                after.append(
                    self.simple(kind, inner)
                    if d.chance(0.5)
                    else f"tf.identity({d.one(inner[kind][-2:])})"
                )
                starts.append(
                    d.one(STARTS[kind]) if kind == "g" or d.chance(0.5) else d.one(scope[kind])
                )
        if d.chance(0.15):
            after[0] = f"guarded(lambda: {after[0]}, {self.filled(d.one(ASKED), inner)})"
        step, lines = self.function(names, body, f"[{', '.join(after)}]")
        more = ""
        if "g" in kinds or d.chance(0.15):
            shapes = [f"tf.TensorShape({SHAPES.get(k, 'None')})" for k in kinds]
            more += f", shape_invariants=[{', '.join(shapes)}]"
        if d.chance(0.25):
            more += f", maximum_iterations={d.one(['2', 'n', '3'])}"
        more += d.one(["", "", ", parallel_iterations=1", ", swap_memory=True"])
        if d.chance(0.08):
            more += ", back_prop=False"
        made = [self.name(k) for k in kinds]
        lines.append(f"{', '.join(made)} = tf.while_loop(lambda {', '.join(names)}: {until}, {step}, [{', '.join(starts)}]{more})")  # fmt: skip
        for kind, name in zip(kinds, made, strict=True):
            if kind == "t":
                read = d.one([f"tf.reduce_sum({name}.gather(tf.range({made[0]})), 0)", f"tf.reduce_sum({name}.gather([0]), 0)",
                              f"tf.cond({made[0]} > 0, lambda: {name}.read(0), lambda: a)", f"tf.reduce_sum({name}.gather(tf.range({made[0]}))[::-1][:1], 0)"])  # fmt: skip
                lines.append(f"{name} = {read}")
                lines.append(f"{name}.set_shape([3])")
            scope["v" if kind == "t" else kind] = [*scope["v" if kind == "t" else kind], name]
        return lines

    def mapped(self, scope: dict[str, list[str]], depth: int) -> list[str]:
        d, kind = self.d, self.d.one("map_fn map_fn scan foldl foldr")
        row, number = self.name("v"), self.name("n")
        inner = {k: list(v) for k, v in scope.items()}
        inner["v"].append(row)
        inner["n"].append(number)
        count = "tf.range(tf.shape(m)[0])"
        both = d.chance(0.5)
        element = f"(m, {count})" if both else "m"
        made = self.name("v")
        if kind == "map_fn":
            body = self.body(inner, depth)
            kinds = d.one(["v", "vn", "nq", "vv"])
            results = [self.result(k, inner) for k in kinds]
            types = {"v": "tf.float64", "n": "tf.int32", "q": "tf.bool"}
            dtype = ", ".join(types[k] for k in kinds)
            result = f"({', '.join(results)})" if len(kinds) > 1 else results[0]
            name, lines = self.function(
                ["e"], [f"{row}, {number} = {'e' if both else 'e, n'}", *body], result
            )
            dtype = f"({dtype})" if len(kinds) > 1 else dtype
            names = [self.name(k) for k in kinds]
            lines.append(f"{', '.join(names)} = tf.map_fn({name}, {element}, dtype={dtype}{d.one(['', ', parallel_iterations=1', ', back_prop=False', ', infer_shape=False'])})")  # fmt: skip
            for k, name in zip(kinds, names, strict=True):
                reduced = {
                    "v": f"tf.reduce_sum({name}, 0)",
                    "n": f"tf.reduce_sum({name})",
                    "q": f"tf.reduce_all({name})",
                }
                lines.append(f"{name} = {reduced[k]}")
                if k == "v":
                    lines.append(f"{name}.set_shape([3])")
                scope[k] = [*scope[k], name]
            return lines
        state = self.name("v")
        inner["v"].append(state)
        body = self.body(inner, depth)
        name, lines = self.function([state, "e"], [f"{row}, {number} = {'e' if both else 'e, n'}", *body], self.result("v", inner))  # fmt: skip
        start = d.one(scope["v"])
        call = f"tf.{kind}({name}, {element}, {start}{d.one(['', ', parallel_iterations=2', ', reverse=True' if kind == 'scan' else ''])})"  # fmt: skip
        lines.append(f"{made} = {f'tf.reduce_sum({call}, 0)' if kind == 'scan' else call}")
        scope["v"] = [*scope["v"], made]
        return lines

    def filled_array(self, scope: dict[str, list[str]], depth: int) -> list[str]:
        """An array that is filled and read as a whole, outside of loops of its own."""
        d, name, made = self.d, self.name("t"), self.name("v")
        v = lambda: self.filled(d.one(VECTOR), scope)  # noqa: E731
        fill = d.one([
            f"tf.TensorArray(tf.float64, 3).unstack(tf.stack([{v()}, {v()}, {v()}]))",
            f"tf.TensorArray(tf.float64, 4).scatter([2, 0, 1, 3], tf.stack([{v()}, {v()}, {v()}, a]))",
            f"tf.TensorArray(tf.float64, 3, infer_shape=False).split(tf.stack([{v()}, {v()}, {v()}]), [1, 1, 1])",
            f"tf.TensorArray(tf.float64, 0, dynamic_size=True, clear_after_read=False).write(2, {v()}).write(0, {v()}).write(1, b)",
        ])  # fmt: skip
        read = d.one(["tf.reduce_sum({0}.stack(), 0)", "tf.reduce_sum({0}.gather([0, 2]), 0)", "{0}.read(1)",
                      "{0}.concat()[:3]", "{0}.read({0}.size() - 1)", "tf.reduce_max({0}.gather([2, 1]), 0)"])  # fmt: skip
        if ".split" in fill:
            read = d.one(["{0}.concat()[1]", "{0}.read(0)[0]"])
        scope["v"] = [*scope["v"], made]
        text = read.format(name)
        if "concat" in text and ".split" not in fill:
            text = f"tf.reduce_sum(tf.reshape(tf.identity({name}.stack()), [-1, 3]), 0)"
        return [f"{name} = {fill}", f"{made} = tf.reshape({text}, [3])"]


GUARD = """
def guarded(make, asked):
    with tf.control_dependencies([tf.Assert(tf.logical_or(asked, True), ["never"]), tf.identity(n)]):
        return make()

"""


def draw(seed: int) -> str:
    """The program of one seed."""
    d = Draw(f"control {seed}")
    flow = Flow(d)
    scope = {"v": ["a", "b", "w"], "n": ["n", "k[0]"], "q": ["q"], "s": ["'word'"], "g": ["m"]}
    lines = [f"w = tf.Variable([0.5, -0.4, 0.3], dtype=tf.float64, use_resource={d.flag()})"]
    for _ in range(d.number(1, 2)):
        lines += d.pick([flow.loop, flow.branch, flow.loop, flow.mapped, flow.filled_array])(
            scope, 2
        )
    out = [scope[k][-1] for k in "vnqsg"]
    lines.append(f"out = [{', '.join(out)}]")
    lines.append("out = [tf.identity(t) for t in out]")
    ending = ENDING.format(second=SECOND if d.chance(0.6) else "pass")
    return f"{PRELUDE.lstrip()}{GUARD}" + "\n".join(lines) + ending


CASES = [Case(f"drawn_control/{seed}", draw(seed), rtol=1e-5) for seed in SEEDS]
