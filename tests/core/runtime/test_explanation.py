"""What `explain` says of a pass: the lines that went and came, without what follows from them."""

import minitf as tf
from minitf.core.runtime.plan.explanation import Stage, difference, explanation

BEFORE = """# /device:CPU:0
def step(rendezvous, x):
    a = op_Tanh(x)                                            # Tanh float32[2]
    b = op_Tanh_1(x)                                          # Tanh float32[2]
    del x
    c = a + b                                                 # AddV2 float32[2]
    d = op_Tanh_2(c)                                          # Tanh float32[2]
    return (d,)
"""
AFTER = """# /device:CPU:0
def step(rendezvous, x):
    c = fused(x)                                              # Fused float32[2]: a + a where a = tanh(x)
    d = op_Tanh(c)                                            # Tanh float64[2]
    return (d,)
"""  # noqa: E501


def test_the_difference_is_what_a_reader_must_know() -> None:
    assert difference(BEFORE, AFTER) == [
        "- a = op_Tanh(x)",
        "- b = op_Tanh_1(x)",
        "- c = a + b",
        "+ c = fused(x)  # Fused float32[2]: a + a where a = tanh(x)",
    ]


def test_a_pass_that_changed_nothing_is_not_named() -> None:
    stages = [Stage(name, f"Is {name}.", BEFORE) for name in ("as written", "idle")]
    text = explanation([*stages, Stage("busy_bee", "Is busy.", AFTER)])
    assert text.startswith("# busy bee: Is busy.\n#  - a = op_Tanh(x)\n")
    assert "idle" not in text
    assert text.endswith(AFTER) and text.program == AFTER
    assert [stage.name for stage in text.stages] == ["as written", "idle", "busy_bee"]


def test_each_line_tells_its_operations_and_each_operation_what_computes_it(sess) -> None:
    x = tf.placeholder(tf.float32, [64], name="x")
    scale = tf.exp(tf.constant(1.0), name="scale")
    y = tf.tanh(tf.multiply(x, scale, name="m"), name="y")
    stages = sess.explain(y, [x]).stages
    assert [len(stage.lines) for stage in stages] == [s.source.count("\n") + 1 for s in stages]
    lines = dict(zip(stages[0].source.split("\n"), stages[0].lines))
    assert next(ops for text, ops in lines.items() if "np_tanh" in text) == ("y",)
    assert stages[0].ops["scale"][0] == "Exp"
    fused = next(stage for stage in stages if stage.name == "fuse_elementwise")
    before = stages[stages.index(fused) - 1]
    assert before.ops["scale"][0] == "Const"
    kinds = {name: kind for name, (kind, _) in fused.ops.items()}
    assert kinds == {"x": "_Arg", "m": "_Fused", "y": "_Fused"}
    rows = [(row.mark, row.ops) for row in fused.since(before) if row.mark]
    assert rows == [("-", ("m",)), ("-", ("y",)), ("+", ("m", "y"))]
    assert not any(row.mark for row in stages[0].since(None))


def test_programs_of_several_devices_stand_below_each_other() -> None:
    parts = [Stage("s", "", f"{name} = 1\n", ((name,), ()), {name: ("T", "D")}) for name in "ab"]
    whole = Stage.joined(parts)
    assert list(zip(whole.source.split("\n"), whole.lines)) == [
        ("a = 1", ("a",)),
        ("", ()),
        ("", ()),
        ("b = 1", ("b",)),
        ("", ()),
    ]
    assert set(whole.ops) == {"a", "b"}
