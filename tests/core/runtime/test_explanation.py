"""What `explain` says of a pass: the lines that went and came, without what follows from them."""

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
