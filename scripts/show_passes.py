"""Writes the part of docs/passes.md that shows a program before and after each pass.

    python scripts/show_passes.py           rewrites it
    python scripts/show_passes.py --print   prints it

The programs below are run, and what `explain` tells of their plans is what stands in the page. A
test holds the page equal to it.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "passes.md"
BEGIN = "<!-- made by scripts/show_passes.py: from here -->"
END = "<!-- to here -->"

sys.path.insert(0, str(ROOT))

import minitf as tf  # noqa: E402
from minitf.core.runtime.passes import PASSES  # noqa: E402
from minitf.core.runtime.plan.explanation import Stage, bare, difference  # noqa: E402


class Program(NamedTuple):
    """A program that some passes change.

    Attributes:
      title: what it is.
      text: the program.
      fetch: the name of what is run.
      feeds: the names of what is fed.
      passes: which passes it shows; with none, all that change it, and the whole program.
    """

    title: str
    text: str
    fetch: str
    feeds: tuple[str, ...]
    passes: tuple[str, ...] = ()


PROGRAMS = (
    Program(
        "a step of training",
        """
x = tf.placeholder(tf.float32, [None, 4], name="x")
t = tf.placeholder(tf.float32, [None, 3], name="t")
W = tf.get_variable("W", [4, 3])
z = tf.matmul(x, W, name="z") * tf.exp(tf.constant(1.0))
y = tf.sigmoid(z) * 2.0 + tf.sigmoid(z)
loss = tf.reduce_mean(tf.square(y - t))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
""",
        "step",
        ("x", "t"),
    ),
    Program(
        "a loss that is asked for",
        """
x = tf.placeholder(tf.float32, [None, 784], name="x")
y = tf.placeholder(tf.float32, [None, 784], name="y")
loss = tf.reduce_mean(tf.square(x - y), name="loss")
""",
        "loss",
        ("x", "y"),
        ("fuse_elementwise",),
    ),
    Program(
        "two layers and Adam",
        """
x = tf.placeholder(tf.float32, [None, 4], name="x")
h = tf.layers.dense(x, 5, activation=tf.tanh, use_bias=False, name="one")
y = tf.layers.dense(h, 3, use_bias=False, name="two")
step = tf.train.AdamOptimizer().minimize(tf.reduce_sum(y))
""",
        "step",
        ("x",),
        ("update_early",),
    ),
    Program(
        "a convolution that is pooled",
        """
x = tf.placeholder(tf.float32, [None, 28, 28, 1], name="x")
y = tf.layers.conv2d(x, 8, 3, activation=tf.nn.relu, name="conv")
pooled = tf.layers.max_pooling2d(y, 2, 2, name="pool")
""",
        "pooled",
        ("x",),
        ("pool_first", "pool_with_conv"),
    ),
    Program(
        "one turn of a recurrent network",
        """
x = tf.placeholder(tf.float32, [8, 3], name="x")
cell = tf.nn.rnn_cell.LSTMCell(4, name="cell")
h, state = cell(x, cell.zero_state(8, tf.float32))
""",
        "h",
        ("x",),
        ("lstm_cell",),
    ),
    Program(
        "the gradient of three turns",
        """
x = tf.placeholder(tf.float32, [8, 3, 2], name="x")
cell = tf.nn.rnn_cell.LSTMCell(32, name="cell")
outputs, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
slope = tf.gradients(outputs[-1], tf.trainable_variables(), name="slope")
""",
        "slope",
        ("x",),
        ("split_products", "running_sums"),
    ),
)


def _stages(program: Program) -> list[Stage]:
    with tf.Graph().as_default():
        names: dict[str, Any] = {"tf": tf}
        exec(program.text, names)
        fetch = names[program.fetch]
        with tf.Session(config=tf.ConfigProto(device_count={"GPU": 0})) as session:
            told = session.explain(fetch, [names[feed] for feed in program.feeds])
    return list(told.stages)


def section() -> str:
    """The generated part of the page."""
    parts: list[str] = []
    shown: set[str] = set()
    for program in PROGRAMS:
        parts += _story(program, shown)
    quiet = [each for each in PASSES if each.__name__ not in shown]
    parts.append("## Passes that change no line")
    parts.append("They change what the others can conclude, or how a constant is stored.")
    for each in dict.fromkeys(quiet):
        parts.append(f"{place_of(each)}: {(each.__doc__ or '').splitlines()[0]}")
    return "\n\n".join(parts)


def place_of(rewrite: Any) -> str:
    """The pass and its file: `simplify` (minitf/fast/passes/simplify.py)."""
    file = rewrite.__module__.replace(".", "/")
    return f"`{rewrite.__name__}` ({file}.py)"


def _story(program: Program, shown: set[str]) -> list[str]:
    stages = _stages(program)
    places = {each.__name__: place_of(each) for each in PASSES}
    title = program.title[0].upper() + program.title[1:]
    parts = [f"## {title}", f"```python\n{program.text.strip()}\n```"]
    if not program.passes:
        parts += ["As the graph stands, before any pass:", _python(stages[0])]
    for before, after in zip(stages, stages[1:], strict=False):
        changes = difference(before.source, after.source)
        wanted = after.name in program.passes if program.passes else after.name not in shown
        if changes and wanted:
            shown.add(after.name)
            parts.append(f"{places[after.name]}: {after.purpose}")
            parts.append("```diff\n" + "\n".join(changes) + "\n```")
    if not program.passes:
        parts += ["What runs:", _python(stages[-1])]
    return parts


def _python(stage: Stage) -> str:
    program = "\n".join(bare(stage.source)[1:])
    return f"```python\n{program}\n```"


def page(text: str) -> str:
    """The page with the generated part made anew."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{section()}\n\n{END}{tail}"


def main() -> None:
    """Rewrites the page, or prints the part."""
    if "--print" in sys.argv:
        print(section())
    else:
        PAGE.write_text(page(PAGE.read_text()))


if __name__ == "__main__":
    main()
