"""minitf in 200 lines of code: a graph, shapes, gradients, a session and two devices.

    python examples/minitf_in_200_lines.py

A program builds a graph first and runs parts of it later. Every idea of the library stands here in
its smallest form, and each part names the file that holds the real one:

    declare -> build -> differentiate -> prune -> place -> partition -> emit -> run

What is left out: an operation has one output here, so that Operation and Tensor are one class;
shapes do not broadcast; gradients exist for what the example needs; every run plans anew, and no
plan is optimized.
"""

import threading
from collections import defaultdict
from contextlib import contextmanager
from queue import Queue

import numpy as np

# -- 1. The graph: operations with unique names and a device (minitf/core/graph/graph.py)


class Graph:
    """Holds operations in the order in which they were made: inputs come before their readers."""

    def __init__(self):
        self.operations, self.device = [], "cpu:0"

    def unique_name(self, name):
        """Returns x, then x_1, x_2, ..."""
        taken, unique, count = {op.name for op in self.operations}, name, 0
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        return unique


graph = Graph()


@contextmanager
def device(name):
    """Puts the operations that are made inside onto the device `name`."""
    outside, graph.device = graph.device, name
    yield
    graph.device = outside


class Operation:
    """One node: a type, inputs, attributes. It has a shape but no value: only a run has values."""

    def __init__(self, op_def, inputs, name, attrs):
        self.op_def, self.inputs, self.attrs = op_def, inputs, attrs
        self.name, self.device = graph.unique_name(name), graph.device
        if op_def is assign:
            self.device = inputs[0].device  # a variable is changed where it is
        self.shape = op_def.shape(self, *(x.shape for x in inputs))
        graph.operations.append(self)

    def __add__(self, other):
        return add(self, other)

    def __sub__(self, other):
        return sub(self, other)

    def __mul__(self, other):
        return mul(self, other)

    def __matmul__(self, other):
        return matmul(self, other)

    def __repr__(self):
        return f"<Tensor '{self.name}:0' shape={self.shape} device={self.device}>"


# -- 2. Every op is declared in one place (minitf/core/graph/op_def.py, minitf/core/ops)


class OpDef:
    """A type of operation: the shape it gives, what it computes, the gradient it has."""

    def __init__(self, type, shape, kernel="", gradient=None):
        self.type, self.shape, self.kernel, self.gradient = type, shape, kernel, gradient

    def __call__(self, *inputs, name=None, **attrs):
        return Operation(self, inputs, name or self.type, attrs)


def same_shape(op, a, b):
    """Both inputs have one shape, and so has the output; None is a size that is not known yet."""
    if len(a) != len(b) or any(m != n for m, n in zip(a, b) if None not in (m, n)):
        raise ValueError(f"Dimensions must be equal, but are {a} and {b} for '{op.name}'")
    return tuple(n if m is None else m for m, n in zip(a, b))


def matmul_shape(op, a, b):
    """[m, k] times [k, n] gives [m, n]; what does not fit is reported while the graph is built."""
    if a[1] != b[0] and None not in (a[1], b[0]):
        raise ValueError(f"Dimensions must be equal, but are {a[1]} and {b[0]} for '{op.name}'")
    return (a[0], b[1])


# `{name}` is the operation, `{0}` and `{1}` its inputs, in the program that is written in part 5.
placeholder_op = OpDef("Placeholder", lambda op: op.attrs["shape"], "feeds[{name!r}]")
constant_op = OpDef("Const", lambda op: op.attrs["value"].shape, "constants[{name!r}]")
variable_op = OpDef("Variable", lambda op: op.attrs["initial"].shape, "variables[{name!r}]")
assign = OpDef("Assign", same_shape, "variables[{0!r}] = {1}")
fill_like = OpDef("FillLike", lambda op, value, like: like, "np.full_like({1}, {0})")  # for Sum

# A gradient function adds operations to the graph. It is given dy, the gradient of the cost by the
# output, and returns a list with the gradient of the cost by each input.
add = OpDef("Add", same_shape, "{0} + {1}", lambda op, dy: (dy, dy))
neg = OpDef("Neg", lambda op, a: a, "-{0}", lambda op, dy: (neg(dy),))
sub = OpDef("Sub", same_shape, "{0} - {1}", lambda op, dy: (dy, neg(dy)))
mul = OpDef("Mul", same_shape, "{0} * {1}", lambda op, dy: (dy * op.inputs[1], op.inputs[0] * dy))
transpose = OpDef("Transpose", lambda op, a: a[::-1], "{0}.T", lambda op, dy: (transpose(dy),))
matmul = OpDef(
    "MatMul",
    matmul_shape,
    "{0} @ {1}",
    lambda op, dy: (dy @ transpose(op.inputs[1]), transpose(op.inputs[0]) @ dy),
)
reduce_sum = OpDef(
    "Sum", lambda op, a: (), "np.sum({0})", lambda op, dy: (fill_like(dy, op.inputs[0]),)
)


def placeholder(shape, name):
    """A tensor that every run is given anew."""
    return placeholder_op(shape=shape, name=name)


def constant(value, name="Const"):
    """A tensor that never changes."""
    return constant_op(value=np.asarray(value, np.float32), name=name)


def variable(initial, name):
    """A tensor that a session keeps from run to run, on the device where it was made."""
    return variable_op(initial=np.asarray(initial, np.float32), name=name)


# -- 3. Gradients are more graph (minitf/core/gradients/gradients.py)


def needed(fetches):
    """Lists the operations that the fetches depend on, inputs first (minitf/core/runtime/plan)."""
    wanted = set(fetches)
    for op in reversed(graph.operations):
        if op in wanted:
            wanted.update(op.inputs)
    return [op for op in graph.operations if op in wanted]


def gradients(y, xs):
    """Walks back from y. A tensor with several readers gets a gradient of each: they add up."""
    slopes = defaultdict(list, {y: [constant(1.0)]})
    for op in reversed(needed([y])):
        if op in slopes and op.op_def.gradient:
            for x, dx in zip(op.inputs, op.op_def.gradient(op, summed(slopes[op]))):
                slopes[x].append(dx)
    return [summed(slopes[x]) for x in xs]


def summed(terms):
    """Returns the sum of the tensors. The list then holds only that, so that it is made once."""
    while len(terms) > 1:
        terms[:2] = [terms[0] + terms[1]]
    return terms[0]


# -- 4. A plan: who takes part, and what crosses devices (minitf/core/runtime/plan)


def partition(operations):
    """Cuts by device: a tensor that crosses is sent once to each other device that reads it."""
    parts, sent = defaultdict(list), set()
    for op in operations:
        for x in op.inputs:
            if x.device != op.device and (x, op.device) not in sent:
                sent.add((x, op.device))
                parts[x.device].append(f"send({x.name!r}, {op.device!r}, {x.name})")
                parts[op.device].append(f"{x.name} = recv({x.name!r}, {op.device!r})")
        kernel = op.op_def.kernel.format(*(x.name for x in op.inputs), name=op.name)
        parts[op.device].append(f"{op.name} = {kernel}")
    return parts


# -- 5. Each part becomes a straight-line program (minitf/core/runtime/emit)


def emit(lines):
    """Writes the part of one device as a Python function: tensors are its local variables."""
    body = [*lines, "return locals()"]
    return "\n    ".join(["def step(feeds, constants, variables, send, recv):", *body])


class Session:
    """Runs parts of the graph and keeps the variables (minitf/core/runtime/session/session.py)."""

    def __init__(self):
        of = graph.operations
        self.variables = {v.name: v.attrs["initial"] for v in of if v.op_def is variable_op}
        self.constants = {c.name: c.attrs["value"] for c in of if c.op_def is constant_op}

    def explain(self, fetches):
        """Returns the program of each device."""
        return {where: emit(lines) for where, lines in partition(needed(fetches)).items()}

    def run(self, fetches, feeds):
        """Computes the fetches; every device works in a thread of its own."""
        operations = needed(fetches)
        for op in operations:
            if op.op_def is placeholder_op and op not in feeds:
                raise ValueError(f"You must feed a value for placeholder tensor '{op.name}'")
        fed = {op.name: np.asarray(value, np.float32) for op, value in feeds.items()}
        devices = {op.device for op in operations}
        rendezvous = {(op.name, to): Queue() for op in operations for to in devices}
        values = {}

        def send(name, to, value):
            rendezvous[name, to].put(value)  # never waits

        def recv(name, to):
            return rendezvous[name, to].get()  # waits for the sender

        def work(program):
            exec(program, names := {"np": np})
            values.update(names["step"](fed, self.constants, self.variables, send, recv))

        programs = self.explain(fetches).values()
        threads = [threading.Thread(target=work, args=(program,)) for program in programs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return [values[op.name] for op in fetches]


def main():
    """Fits a line to three points; the product is computed on one device, the cost on another."""
    x, y = placeholder((None, 2), "x"), placeholder((None, 1), "y")
    weights, rate = variable([[0.0], [0.0]], "weights"), constant([[0.05], [0.05]], "rate")
    with device("cpu:1"):
        error = matmul(x, weights, name="prediction") - y
    cost = reduce_sum(error * error, name="cost")
    (slope,) = gradients(cost, [weights])
    train = assign(weights, weights - rate * slope, name="train")

    session = Session()
    points = {x: [[0, 1], [1, 1], [2, 1]], y: [[1], [3], [5]]}  # y = 2 x + 1
    for where, program in session.explain([cost, train]).items():
        print(f"# {where}\n{program}\n")
    for step in range(201):
        now, _ = session.run([cost, train], points)
        if step % 50 == 0:
            print(f"step {step}: cost {now:.5f}, weights {session.variables['weights'].ravel()}")


if __name__ == "__main__":
    main()
