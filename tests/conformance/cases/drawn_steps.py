"""Steps drawn at random in which all operations stand in one order, and what they leave.

What a program does is ordered by control dependencies from its first operation to its last, also in
branches and loops, so that TensorFlow itself gives one answer only. After each of three steps the
fetches and all variables are compared.
"""

from collections.abc import Sequence

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

COUNT = 14

#: TensorFlow itself fails: in an update of rows (1), over frames that the gradient of a loop mixes (5).
LEFT_OUT = (1, 5)

PRELUDE = """
last = [[]]

def then(make):
    with tf.control_dependencies(last[-1]):
        out = make()
    made = [x if isinstance(x, tf.Operation) else x.op for x in tf.nest.flatten(out)]
    last[-1] = made
    return out

def inside(make):
    def call(*args):
        last.append([])
        out = make(*args)
        with tf.control_dependencies(last.pop()):
            return tf.nest.map_structure(tf.identity, out)
    return call

seen = [0.0]
def count(x):
    seen[0] += 1.0
    return np.float32(x * 0.5 + seen[0] * 0.1)

def called(x):
    y = tf.py_func(count, [x], tf.float32)
    y.set_shape([3])
    return y

@tf.custom_gradient
def own(x):
    return tf.sin(x), lambda dy: dy * 0.5 + x

steps = tf.train.get_or_create_global_step()
flag = tf.placeholder_with_default(True, [])
x = tf.placeholder_with_default([0.4, -0.5, 0.6], [3])
queue = tf.FIFOQueue(9, tf.float32, shapes=[[3]])
"""

ENDING = """
kept = {{name: thing for name, thing in globals().items() if name in {kept}}}
end = then(lambda: sum(v * 2.0 for v in {variables}))
show(kept=kept)
sess = session()
everything = tf.global_variables() + tf.local_variables()
sess.run([v.initializer for v in {variables}])
sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
for number, feeds in enumerate([{{}}, {{flag: False}}, {{{fed}: [0.5, 0.4, 0.3]}}]):
    show(**{{"fetches %d" % number: sess.run([kept, end, {beside}, last[-1]], feeds)[:-1]}})
    show(**{{"variables %d" % number: [(v.name, sess.run(v)) for v in everything]}})
"""

ONE = ("tf.tanh({0})", "tf.sin({0})", "own({0})", "tf.stop_gradient({0})", "tf.reverse({0}, [0])",
       "tf.identity({0})", "tf.tuple([{0}, {0}])[1]")  # fmt: skip
TWO = ("({0} + {1})", "({0} * {1})", "({0} - {1})", "tf.maximum({0}, {1})", "tf.reduce_sum({0}) * {1}",
       "tf.where({0} > {1}, {0}, {1})", "tf.add_n([{0}, {1}, {0}])")  # fmt: skip
READS = ("{0}", "{0}", "{0}.read_value()", "{0}.value()", "tf.identity({0})", "tf.gather({0}, [2, 0, 1])")  # fmt: skip
UPDATES = (
    "tf.assign({0}, {1})", "tf.assign_add({0}, {1})", "{0}.assign_sub({1})", "tf.assign_sub({0}, {1} * 0.3)",
    "tf.scatter_update({0}, [0, 2], {1}[1:])", "tf.scatter_add({0}, [1, 1], {1}[1:])",
    "tf.scatter_sub({0}, [0, 2], {1}[1:])", "tf.scatter_mul({0}, [1, 1], {1}[1:] * 0.2 + 1.0)",
    "tf.scatter_max({0}, [0, 1], {1}[1:])", "tf.scatter_nd_add({0}, [[2], [0]], {1}[1:])",
    "tf.scatter_nd_update({0}, [[2], [0]], {1}[1:])",
)  # fmt: skip
OPTIMIZERS = (
    "GradientDescentOptimizer({0})", "MomentumOptimizer({0}, 0.9)", "MomentumOptimizer({0}, 0.9, use_nesterov=True)",
    "AdamOptimizer({0})", "RMSPropOptimizer({0}, momentum=0.5, centered=True)", "AdagradOptimizer({0})",
    "AdadeltaOptimizer({0})", "FtrlOptimizer({0}, l2_shrinkage_regularization_strength=0.02)",
    "ProximalAdagradOptimizer({0})",
)  # fmt: skip
RATES = ("0.1", "tf.train.exponential_decay(0.1, steps, 2, 0.5)",
         "tf.train.piecewise_constant(steps, [1], [0.1, 0.02])", "tf.train.cosine_decay(0.1, steps, 7)")  # fmt: skip
TERMS = ("{0}", "tf.gather({0}, [2, 0, 2])", "tf.nn.embedding_lookup({0}, [1, 1, 0])", "own({0})")
METRICS = ("mean({0})", "mean_squared_error({0}, [0.1, 0.2, 0.3])", "precision({0} > 0.1, [True, False, True])")  # fmt: skip


class Steps:
    """Draws the statements of a program; `names` are the tensors that a statement may use."""

    def __init__(self, d: Draw, resources: Sequence[bool]) -> None:
        self.d = d
        self.variables = {f"v{i}": resource for i, resource in enumerate(resources)}
        self._made = 0
        self._depth = 0  # of functions around

    def _name(self, letter: str = "t") -> str:
        self._made += 1
        return f"{letter}{self._made}"

    def variable(self) -> str:
        return self.d.one(list(self.variables))

    def _leaf(self, names: list[str]) -> str:
        if self.d.chance(0.5):
            return self.d.one(names[-5:])
        name = self.variable()
        # What a branch keeps of a reference variable for its gradient would share its memory.
        shared = self._depth and not self.variables[name]
        return f"tf.tanh({name})" if shared else self.d.one(READS).format(name)

    def value(self, names: list[str], depth: int = 2) -> str:
        if not depth or self.d.chance(0.15):
            return self._leaf(names)
        both = [self.value(names, depth - 1) for _ in range(2)]
        return self.d.one(ONE if self.d.chance(0.4) else TWO).format(*both)

    def _small(self, names: list[str]) -> str:
        return f"tf.tanh({self.value(names)}) * 0.9"

    def _update(self, names: list[str]) -> str:
        return self.d.one(UPDATES).format(self.variable(), f"tf.tanh({self.value(names)})")

    def _function(self, names: list[str], level: int, arguments: Sequence[str] = ()) -> list[str]:
        """The lines of a function; the first names it."""
        inner = [*names, *arguments[1:]]
        self._depth += 1
        lines = [line for _ in range(self.d.number(1, 3)) for line in self.statement(inner, level)]
        given = f"{arguments[0]} + 1, " if arguments else ""
        lines.append(f"return {given}then(lambda: {self._small(inner)})")
        self._depth -= 1
        return [
            f"def {self._name('f')}({', '.join(arguments)}):",
            *(f"    {line}" for line in lines),
        ]

    def statement(self, names: list[str], level: int = 2) -> list[str]:
        """One statement, as lines; a new tensor's name goes to `names`."""
        kinds = [self._computed, self._updated, self._updated, self._passed, self._summed]
        if level:
            kinds += [self._branch, self._branch, self._loop]
        if not self._depth:
            kinds += [self._trained, self._trained, self._trained, self._averaged, self._normalized,
                      self._measured, self._slopes]  # fmt: skip
        lines, made = self.d.pick(kinds)(names, level - 1)
        names += made
        return lines

    def _one(self, text: str) -> tuple[list[str], list[str]]:
        name = self._name()
        return [f"{name} = then(lambda: {text})"], [name]

    def _computed(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        return self._one(self.d.one("{0} called({0})").format(self._small(names).replace(" ", "")))

    def _updated(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        if self.d.chance(0.6):
            return [f"then(lambda: tf.group({self._update(names)}))"], []
        return self._one(f"tf.stop_gradient(tf.tanh({self._update(names)} * 0.5))")

    def _passed(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        lines, made = self._one("queue.dequeue()")
        put = f"then(lambda: queue.enqueue({self._small(names)}))"
        return [put, *lines, f"{made[0]}.set_shape([3])"], made

    def _summed(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        array = "tf.TensorArray(tf.float32, 2, element_shape=[3])"
        for i in range(2):
            array += f".write({i}, {self._small(names)})"
        return self._one(f"tf.reduce_sum({array}.stack(), 0) * 0.5")

    def _branch(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        one, other = (self._function(names, level) for _ in range(2))
        asked = self.d.one(["flag", f"tf.reduce_sum({self._leaf(names)}) > 0.2"])
        called = [f"inside({lines[0][4:].split('(')[0]})" for lines in (one, other)]
        text = f"tf.cond({asked}, {called[0]}, {called[1]})"
        if self.d.chance(0.3):
            text = f"tf.case([({asked}, {called[0]})], {called[1]})"
        lines, made = self._one(text)
        return [*one, *other, *lines], made

    def _loop(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        turn, value = self._name("i"), self._name("y")
        body = self._function(names, level, [turn, value])
        until = f"{turn} < {self.d.number(1, 3)}"
        if self.d.chance(0.3):
            until = f"tf.logical_and({until}, tf.reduce_sum({self.variable()}) < 1.5)"
        start = f"[0, {self._leaf(names)} * 0.9]"
        loop = f"tf.while_loop(lambda {turn}, {value}: {until}, inside({body[0][4:].split('(')[0]}), {start})"  # fmt: skip
        lines, made = self._one(loop + "[1]")
        return [*body, *lines], made

    def _trained(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        own = sorted({self.variable(), self.variable()})
        loss = " + ".join(
            f"tf.tanh({self.d.one(TERMS).format(v)} + {self.d.one(names)})" for v in own
        )
        optimizer = self.d.one(OPTIMIZERS).format(self.d.one(RATES))
        more = self.d.one(
            ["", ", global_step=steps", ", gate_gradients=tf.train.Optimizer.GATE_GRAPH"]
        )
        loss = f"tf.reduce_sum(tf.square({loss} - 0.3))"
        return [
            f"then(lambda: tf.train.{optimizer}.minimize({loss}, var_list=[{', '.join(own)}]{more}))"
        ], []

    def _averaged(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        average, v = self._name("a"), self.variable()
        made = f"{average} = tf.train.ExponentialMovingAverage(0.7, {self.d.one('None steps')})"
        lines, names = self._one(f"{average}.average({v}) * 0.9")
        return [made, f"then(lambda: {average}.apply([{v}]))", *lines], names

    def _normalized(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        scope = self._name("b")
        net = f"tf.expand_dims({self._small(names)}, 1)"
        update = f"then(lambda: tf.group(*tf.get_collection(tf.GraphKeys.UPDATE_OPS, '{scope}')))"
        lines, made = self._one(
            f"tf.layers.batch_normalization({net}, momentum=0.7, training={self.d.one('flag True')}, "
            f"name='{scope}')[:, 0] * 0.5"
        )
        return [*lines, update], made

    def _measured(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        metric = self.d.one(METRICS).format(self._small(names))
        return self._one(f"[0.1, 0.2, 0.3] * tf.metrics.{metric}[1]")

    def _slopes(self, names: list[str], level: int) -> tuple[list[str], list[str]]:
        y, by, v = self.d.one(names[-3:]), self.d.one(names), self.variable()
        more = self.d.one(["", f", grad_ys=[{by}]", ", stop_gradients=[x]"])
        slopes = f"tf.gradients({y}, [{by}, {v}]{more}, unconnected_gradients='zero')"
        return self._one(f"tf.tanh(tf.add_n([tf.convert_to_tensor(g) for g in {slopes}]))")


def _cases() -> list[Case]:
    cases = []
    for seed in range(COUNT):
        d = Draw(f"steps {seed}")
        program = Steps(d, [d.chance(0.5) for _ in range(d.number(2, 3))])
        lines = [
            f"{name} = tf.Variable([0.{d.number(1, 9)}, -0.{d.number(1, 9)}, 0.{d.number(1, 9)}], "
            f"use_resource={resource}, name='{name}')"
            for name, resource in program.variables.items()
        ]
        names = ["x"]
        for _ in range(d.number(4, 8)):
            lines += program.statement(names)
        # A read of a reference variable is fetched as the step leaves it.
        beside = [f"{name}.value()" for name, resource in program.variables.items() if not resource]
        ending = ENDING.format(
            kept=names[1:],
            fed=d.one(names),
            beside=f"[{', '.join(beside)}]",
            variables=f"[{', '.join(program.variables)}]",
        )
        source = "\n".join([PRELUDE.strip(), *lines, ending.strip(), ""])
        if seed not in LEFT_OUT:
            cases.append(Case(f"drawn_steps/{seed}", source, rtol=2e-4))
    return cases


CASES = _cases()
