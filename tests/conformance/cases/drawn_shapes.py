"""Chains of reshaping, cutting, joining and reducing, whose static shapes are known in part only.

Each step of a program makes one tensor out of earlier ones, or is refused; its static shape, its
name and its value are compared, and the gradients by what was fed. A few steps have wrong sizes.
Sizes come as numbers, as parts of `tf.shape`, or from placeholders, so that shape functions see all
that they can fold.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

#: Those of some hundred seeds that found something, and a few more; TensorFlow itself answers all.
SEEDS = (5, 15, 31, 42, 63, 112)

PRELUDE = """
made, feeds = {}, {}

def given(name, shape, static, dtype="float32"):
    number = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    value = (number % 5).astype(dtype) if dtype != "float32" else np.sin(number * 1.3 + 1.0).astype(dtype)
    tensor = tf.placeholder(dtype, static, name=name)
    feeds[tensor] = value
    return tensor

def step(name, make):
    try:
        made[name] = make()
        show(**{name: made[name]})
        if not made[name].dtype.is_floating:
            known = tf.get_static_value(made[name])
            show(**{name + " known": None if known is None else np.asarray(known).tolist()})
    except Exception as error:
        show(**{name: error})
    return made.get(name)

"""

ENDING = """
for name, tensor in made.items():
    try:
        show(**{name + " value": run(tensor, feeds)})
    except Exception as error:
        show(**{name + " value": error})
smooth = [t for t in made.values() if t.dtype == tf.float32][-4:]
try:
    slopes = tf.gradients(smooth, inputs, [tf.cos(t) for t in smooth])
    show(slopes=[None if g is None else (g.dtype, tf.convert_to_tensor(g).shape) for g in slopes])
    show(slope_values=run([tf.convert_to_tensor(g) for g in slopes if g is not None], feeds))
except Exception as error:
    show(slopes_error=type(error).__name__)
"""

Shape = tuple[int, ...]
Step = tuple[str, Shape | None]  # its text, and what comes out; None where the step is wrong


def _size(shape: Shape) -> int:
    size = 1
    for part in shape:
        size *= part
    return size


class Chain:
    """Draws steps; `pool` holds the names of float tensors with the shapes that they will have."""

    def __init__(self, d: Draw) -> None:
        self.d = d
        self.pool: list[tuple[str, Shape]] = []
        self.lines: list[str] = []
        self.made = 0

    def placeholder(self) -> str:
        d, name = self.d, f"p{len(self.pool)}"
        shape = tuple(d.number(1, 4) for _ in range(d.number(1, 3)))
        if d.chance(0.1):
            shape = (0, *shape[1:])
        static: object = [None if d.chance(0.5) else size for size in shape]
        static = None if d.chance(0.2) else static
        self.pool.append((name, shape))
        return f"{name} = given('{name}', {shape}, {static})"

    def one(self) -> tuple[str, Shape]:
        picked: tuple[str, Shape] = self.d.pick(self.pool[-4:] if self.d.chance(0.7) else self.pool)
        return picked

    def number(self, value: int) -> str:
        """The text of a number: itself, or a tensor that will have this value."""
        d = self.d
        forms = [str(value)] * 6 + [
            f"tf.constant({value})",
            f"(n1 * {value})",
            f"tf.identity({value})",
        ]
        for name, shape in self.pool:
            for axis, size in enumerate(shape):
                if size == value:
                    forms += [f"tf.shape({name})[{axis}]", f"tf.shape({name})[{axis - len(shape)}]"]
                elif size and value == 2 * size:
                    forms += [f"tf.shape({name})[{axis}] * 2"]
                elif size == value + 1:
                    forms += [f"tf.shape({name})[{axis}] - 1"]
            if _size(shape) == value:
                forms += [f"tf.size({name})", f"tf.reduce_prod(tf.shape({name}))"]
            if len(shape) == value:
                forms += [f"tf.rank({name})"]
        return d.one(forms)

    def sizes(self, values: Shape) -> str:
        """The text of a list of sizes."""
        d = self.d
        for name, shape in self.pool:
            if shape == values and d.chance(0.4):
                return d.one([f"tf.shape({name})", f"tf.shape({name}, out_type=tf.int64)", f"{name}.shape.as_list() if {name}.shape.is_fully_defined() else {list(values)}"])  # fmt: skip
            if len(shape) > 1 and len(values) > 1 and shape[1:] == values[1:] and d.chance(0.3):
                return f"tf.concat([[{self.number(values[0])}], tf.shape({name})[1:]], 0)"
        text = ", ".join(self.number(v) for v in values)
        if not values:
            return d.one(["[]", "tf.constant([], tf.int32)", "()"])
        return d.one([f"[{text}]", f"[{text}]", f"tf.stack([{text}])", f"np.array({list(values)})", f"tf.constant({list(values)})"])  # fmt: skip

    def reshape(self) -> Step:
        d, (x, shape) = self.d, self.one()
        size = _size(shape)
        whole = [s for s in range(1, 9) if size % s == 0] if size else [1, 2]
        first = d.pick(whole)
        options: list[Shape] = [
            (size,),
            (first, size // first),
            (1, size),
            (first, 1, size // first),
        ]
        if len(shape) > 1:
            options += [(shape[0], size // shape[0] if shape[0] else 0), shape[::-1]]
        new = d.pick(options)
        texts = [self.sizes(new)]
        if size:
            hole = d.number(0, len(new) - 1)
            parts = [self.number(n) for n in new]
            parts[hole] = "-1"
            texts += [f"[{', '.join(parts)}]"] * 2
        if d.chance(0.05):
            return f"tf.reshape({x}, [{self.number(size + 1)}, -1])", None
        return f"tf.reshape({x}, {d.one(texts)})", new

    def index(self) -> Step:
        d, (x, shape) = self.d, self.one()
        parts, new = [], []
        for size in shape[: d.number(0, len(shape))]:
            kind = d.number(0, 5)
            if kind == 0 and size:
                at = d.number(-size, size - 1)
                parts.append(self.number(at) if at >= 0 else str(at))
            elif kind == 1:
                parts.append("tf.newaxis")
                new.append(1)
                parts.append(":")
                new.append(size)
            else:
                ends = ["", "", *map(str, range(-size - 1, size + 2))]
                start, stop, step = d.one(ends), d.one(ends), d.one(["", "1", "-1", "2", "-2"])
                new.append(len(range(size)[slice(*(int(t) if t else None for t in (start, stop, step)))]))  # fmt: skip
                start, stop = (
                    self.number(int(t)) if t and int(t) >= 0 else t for t in (start, stop)
                )
                parts.append(f"{start}:{stop}:{step}" if step else f"{start}:{stop}")
        used = sum(p != "tf.newaxis" for p in parts)
        rest = shape[used:]
        if d.chance(0.3) and parts:
            if d.chance(0.5):
                at = d.number(0, len(parts))
                if at == len(parts):
                    return f"{x}[{', '.join(parts)}, ...]", (*new, *rest)
            elif rest:
                size = rest[-1]
                return f"{x}[{', '.join(parts)}, ..., :1]", (*new, *rest[:-1], min(size, 1))
        return f"{x}[{', '.join(parts) or '...'}]", (*new, *rest)

    def slice(self) -> Step:
        d, (x, shape) = self.d, self.one()
        begin = tuple(d.number(0, s) for s in shape)
        sizes = tuple(d.number(0, s - b) for s, b in zip(shape, begin, strict=True))
        if d.chance(0.4):
            whole = [d.chance(0.5) for _ in shape]
            text = ", ".join(
                "-1" if w else self.number(s) for w, s in zip(whole, sizes, strict=True)
            )
            new = tuple(s - b if w else n for w, s, b, n in zip(whole, shape, begin, sizes, strict=True))  # fmt: skip
            return f"tf.slice({x}, {self.sizes(begin)}, [{text}])", new
        return f"tf.slice({x}, {self.sizes(begin)}, {self.sizes(sizes)})", sizes

    def joined(self) -> Step:
        d, (x, shape) = self.d, self.one()
        if not shape:
            return f"tf.stack([{x}, {x} * 2.0, 1.5])", (3,)
        axis = d.number(0, len(shape) - 1)
        same = [n for n, s in self.pool if len(s) == len(shape) and s[:axis] + s[axis + 1 :] == shape[:axis] + shape[axis + 1 :]]  # fmt: skip
        other = d.one(same)
        size = dict(self.pool)[other][axis]
        new = (*shape[:axis], shape[axis] + size, *shape[axis + 1 :])
        at = axis - len(shape) if d.chance(0.3) else axis
        if d.chance(0.06):
            return f"tf.concat([{x}, {d.one([n for n, _ in self.pool])}], {at})", None
        return f"tf.concat([{x}, {other}], {self.number(at) if at >= 0 else at})", new

    def stacked(self) -> Step:
        d, (x, shape) = self.d, self.one()
        axis = d.number(-len(shape) - 1, len(shape))
        other = d.one([n for n, s in self.pool if s == shape])
        at = axis + len(shape) + 1 if axis < 0 else axis
        return f"tf.stack([{x}, {other}], {axis})", (*shape[:at], 2, *shape[at:])

    def split(self) -> Step:
        d, (x, shape) = self.d, self.one()
        if not shape:
            return f"tf.expand_dims({x}, 0)", (1,)
        axis = d.number(0, len(shape) - 1)
        size = shape[axis]
        at = d.one([axis, axis - len(shape)])
        kind = d.number(0, 2)
        if kind == 0:
            count = d.pick([c for c in (1, 2, 3, 4) if size % c == 0])
            new = (*shape[:axis], size // count, *shape[axis + 1 :])
            return f"tf.split({x}, {count}, {at})[{d.number(0, count - 1)}]", new
        if kind == 1:
            first = d.number(0, size)
            parts = [self.number(first), d.one([self.number(size - first), "-1"])]
            new = (*shape[:axis], first, *shape[axis + 1 :])
            return f"tf.split({x}, [{', '.join(parts)}], {at}, num=2)[0]", new
        if not size:
            return f"tf.reduce_sum({x}, {at})", shape[:axis] + shape[axis + 1 :]
        return f"tf.unstack({x}, {size}, {at})[{d.number(0, size - 1)}]", shape[:axis] + shape[axis + 1 :]  # fmt: skip

    def reduced(self) -> Step:
        d, (x, shape) = self.d, self.one()
        axes = [a for a in range(len(shape)) if d.chance(0.5)]
        kept = d.chance(0.4)
        new: Shape | None = tuple(1 if a in axes else s for a, s in enumerate(shape) if kept or a not in axes)  # fmt: skip
        listed = [a - len(shape) if d.chance(0.3) else a for a in axes]
        text = d.one([f"{listed}", f"tf.constant({listed}, tf.int32)", f"tf.range({len(axes)})" if axes == list(range(len(axes))) else f"{listed}"])  # fmt: skip
        if axes == list(range(len(shape))) and d.chance(0.5):
            text = d.one(["None", f"tf.range(tf.rank({x}))"])
        if len(axes) == 1 and d.chance(0.6):
            text = d.one([str(listed[0]), self.number(axes[0])])
        if d.chance(0.05):
            text, new = str(len(shape)), None
        name = d.one("reduce_sum reduce_mean reduce_max reduce_min reduce_logsumexp reduce_prod")
        if _size(shape) == 0:
            name = "reduce_sum"
        return f"tf.{name}({x}, {text}, keepdims={kept})", new

    def gathered(self) -> Step:
        d, (x, shape) = self.d, self.one()
        if not shape or 0 in shape:
            return f"tf.expand_dims({x}, -1)", (*shape, 1)
        kind = d.number(0, 2)
        if kind == 0:
            axis = d.number(0, len(shape) - 1)
            ids = [d.number(0, shape[axis] - 1) for _ in range(d.number(1, 3))]
            nested = d.chance(0.3)
            text, extra = (f"[{ids}]", (1, len(ids))) if nested else (f"{ids}", (len(ids),))
            if d.chance(0.2):
                text, extra = self.number(ids[0]), ()
            elif d.chance(0.3):
                text = f"given('q{self.made}', {extra}, {[None] * len(extra)}, 'int32') % {shape[axis]}"
            if d.chance(0.05):
                return f"tf.gather({x}, [{shape[axis]}], axis={axis})", None
            return f"tf.gather({x}, {text}, axis={d.one([axis, axis - len(shape)])})", (*shape[:axis], *extra, *shape[axis + 1 :])  # fmt: skip
        if kind == 1:
            depth = d.number(1, len(shape))
            rows = [[d.number(0, s - 1) for s in shape[:depth]] for _ in range(d.number(1, 3))]
            return f"tf.gather_nd({x}, {rows})", (len(rows), *shape[depth:])
        rows = d.number(shape[0], shape[0] + 2)
        ids = [[i] for i in d.order(rows)[: shape[0]]]
        return f"tf.scatter_nd({ids}, {x}, {self.sizes((rows, *shape[1:]))})", (rows, *shape[1:])

    def combined(self) -> Step:
        d, (x, shape) = self.d, self.one()
        fits = []
        for name, other in self.pool:
            rank = max(len(shape), len(other))
            a, b = ((1,) * (rank - len(s)) + s for s in (shape, other))
            if all(m == n or 1 in (m, n) for m, n in zip(a, b, strict=True)):
                fits.append((name, tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))))
        picked: Step = d.pick(fits)
        other, new = picked
        if d.chance(0.05):
            other, new = d.one([n for n, _ in self.pool]), None
        form = d.one(["{0} + {1}", "{0} * {1}", "tf.maximum({0}, {1})", "{0} - {1}", "tf.where(tf.broadcast_to({0} > {1}, tf.broadcast_dynamic_shape(tf.shape({0}), tf.shape({1}))), {0} + {1}, {0} * {1})"])  # fmt: skip
        return form.format(x, other), new

    def widened(self) -> Step:
        d, (x, shape) = self.d, self.one()
        kind = d.number(0, 5)
        if kind == 0:
            axis = d.number(0, len(shape))
            at = d.one([axis, axis - len(shape) - 1])
            return f"tf.expand_dims({x}, {at})", (*shape[:axis], 1, *shape[axis:])
        if kind == 1:
            ones = [a for a, s in enumerate(shape) if s == 1 and d.chance(0.7)]
            if ones:
                return f"tf.squeeze({x}, {ones})", tuple(s for a, s in enumerate(shape) if a not in ones)  # fmt: skip
            return f"tf.squeeze({x})", tuple(s for s in shape if s != 1)
        if kind == 2 and _size(shape) < 60:
            times = tuple(d.number(0, 2) if d.chance(0.5) else 1 for _ in shape)
            return f"tf.tile({x}, {self.sizes(times)})", tuple(s * t for s, t in zip(shape, times, strict=True))  # fmt: skip
        if kind == 3:
            order = d.order(len(shape))
            return f"tf.transpose({x}, {order})", tuple(shape[o] for o in order)
        if kind == 4 and _size(shape) < 60:
            new = tuple(s if s != 1 else d.number(1, 3) for s in shape)
            new = (d.number(1, 2), *new) if d.chance(0.5) else new
            return f"tf.broadcast_to({x}, {self.sizes(new)})", new
        widths = [(d.number(0, 1), d.number(0, 2)) for _ in shape]
        if not shape or len(shape) > 5:
            return f"tf.identity({x})", shape
        new = tuple(s + a + b for s, (a, b) in zip(shape, widths, strict=True))
        text = ", ".join(f"[{a}, {self.number(b)}]" for a, b in widths)
        return f"tf.pad({x}, [{text}])", new

    def filled(self) -> Step:
        d = self.d
        new = tuple(d.number(0, 4) for _ in range(d.number(0, 3)))
        _, like = self.one()
        new = like if d.chance(0.6) else new
        form = d.one(["tf.fill({0}, 0.5)", "tf.zeros({0})", "tf.ones({0})", "tf.cast(tf.reshape(tf.range({1}), {0}), tf.float32)"])  # fmt: skip
        return form.format(self.sizes(new), self.number(_size(new))), new

    def product(self) -> Step:
        d = self.d
        matrices = [(n, s) for n, s in self.pool if len(s) >= 2]
        if not matrices:
            return self.filled()
        x, shape = d.pick(matrices)
        y, other = d.pick([(n, s) for n, s in matrices if s[:-2] == shape[:-2]])
        for flags in d.order(4):
            left, right = flags % 2, flags // 2
            a = shape[-2:][::-1] if left else shape[-2:]
            b = other[-2:][::-1] if right else other[-2:]
            if a[1] == b[0]:
                return f"tf.matmul({x}, {y}, transpose_a={bool(left)}, transpose_b={bool(right)})", (*shape[:-2], a[0], b[1])  # fmt: skip
        return f"tf.matmul({x}, {x}, transpose_b=True)", (*shape[:-1], shape[-2])

    def measured(self) -> str:
        """A step that makes whole numbers, which the static value of shapes may know."""
        d, (x, shape) = self.d, self.one()
        form = d.one(["tf.shape({0})", "tf.size({0})", "tf.rank({0})", "tf.shape({0})[{1}:]", "tf.shape({0})[:{1}]",
                      "tf.concat([tf.shape({0}), [7]], 0)", "tf.stack([tf.rank({0}), {2}])", "tf.cast(tf.shape({0}), tf.int64)",
                      "tf.reduce_prod(tf.shape({0})[:{1}])", "tf.range(tf.rank({0}))", "tf.shape_n([{0}, {0}])[1]",
                      "tf.fill([2], tf.rank({0}))", "tf.equal(tf.shape({0}), {3})", "tf.where(tf.equal(tf.shape({0}), 1))",
                      "tf.broadcast_dynamic_shape(tf.shape({0}), [1])", "tf.shape({0})[::-1]"])  # fmt: skip
        return form.format(x, d.number(0, len(shape)), self.number(d.number(0, 4)), list(shape))

    def step(self) -> None:
        d, name = self.d, f"t{self.made}"
        kinds = [self.reshape, self.reshape, self.index, self.index, self.slice, self.joined, self.stacked, self.split,
                 self.reduced, self.reduced, self.gathered, self.combined, self.widened, self.widened, self.filled, self.product]  # fmt: skip
        self.made += 1
        if d.chance(0.12):
            self.lines.append(f"{name} = step('{name}', lambda: {self.measured()})")
            return
        text, shape = d.pick(kinds)()
        self.lines.append(f"{name} = step('{name}', lambda: {text})")
        if shape is not None and len(shape) <= 5 and _size(shape) <= 200:
            self.pool.append((name, shape))


def draw(seed: int) -> str:
    """The program of one seed."""
    chain = Chain(Draw(f"shapes {seed}"))
    first = [chain.placeholder() for _ in range(chain.d.number(2, 3))]
    inputs = ", ".join(name for name, _ in chain.pool)
    for _ in range(9):
        chain.step()
    lines = ["n1 = given('n1', (), (), 'int32') + 1", *first, f"inputs = [{inputs}]", *chain.lines]
    return PRELUDE.lstrip() + "\n".join(lines) + ENDING


CASES = [Case(f"drawn_shapes/{seed}", draw(seed), rtol=1e-4) for seed in SEEDS]
