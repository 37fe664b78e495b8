"""Writes the part of docs/journey.md that shows a program before and after each pass.

    python scripts/show_passes.py           rewrites it
    python scripts/show_passes.py --print   prints it

The programs below are run, and what `explain` tells of their plans is what stands in the page. A
test holds the page equal to it.
"""

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "journey.md"
BEGIN = "<!-- made by scripts/show_passes.py: from here -->"
END = "<!-- to here -->"

sys.path.insert(0, str(ROOT))

import minitf as tf  # noqa: E402
from minitf.runtime.explanation import Stage, difference  # noqa: E402

#: title, program, what is run, what is fed
PROGRAMS = (
    (
        "a step of training",
        """
x = tf.placeholder(tf.float32, [None, 4], name="x")
t = tf.placeholder(tf.float32, [None, 3], name="t")
W = tf.get_variable("W", [4, 3])
scale = tf.exp(tf.constant(0.0) + 1.0, name="scale")
y = tf.tanh(tf.matmul(x, W) * scale) + tf.exp(x[:, :3]) - tf.exp(x[:, :3])
loss = tf.reduce_mean(tf.square(y - t))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
""",
        "step",
        ("x", "t"),
    ),
)


def _stages(program: str, fetch: str, feeds: tuple[str, ...]) -> list[Stage]:
    with tf.Graph().as_default():
        names: dict[str, Any] = {"tf": tf}
        exec(program, names)
        with tf.Session() as session:
            told = session.explain(names[fetch], [names[feed] for feed in feeds])
    return list(told.stages)


def section() -> str:
    """The generated part of the page."""
    parts = []
    shown: set[str] = set()
    for title, program, fetch, feeds in PROGRAMS:
        stages = _stages(program, fetch, feeds)
        parts.append(f"The program, {title}:")
        parts.append(f"```python\n{program.strip()}\n```")
        parts.append("As the graph stands, before any pass:")
        parts.append(f"```python\n{_body(stages[0].source)}\n```")
        for before, after in zip(stages, stages[1:], strict=False):
            changes = difference(_body(before.source), _body(after.source))
            if changes and after.name not in shown:
                shown.add(after.name)
                name = after.name.replace("_", " ").capitalize()
                where = f"`minitf/runtime/passes/{after.name}.py`"
                parts.append(f"**{name}** ({where}). {after.purpose}")
                parts.append("```diff\n" + "\n".join(changes) + "\n```")
        parts.append("What runs:")
        parts.append(f"```python\n{_body(stages[-1].source)}\n```")
    return "\n\n".join(parts)


def _body(source: str) -> str:
    """A program without the notes of types at the ends of its lines."""
    lines = source.splitlines()[1:]
    return "\n".join(line.partition("  # ")[0].rstrip() for line in lines)


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
