"""Makes minitf/library/saving/tensorflow_ops.txt: how TensorFlow declares the operations of ours.

    .venv-oracle/bin/python scripts/tensorflow_ops.py      (TensorFlow 2.15.1 is needed)

Its files name inputs and outputs as it declares them, and have all attributes that it wants; so
who reads and writes them must know. A line is

    Pack(values:N*T) -> (output:T) N:int T:type axis:int=

`N*T` is a list as long as the attribute N says, `*T` one whose types are the attribute T, `T&` a
reference; "=" marks an attribute that has a default, with the type that this is.
"""

import sys
from pathlib import Path

from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import minitf  # noqa: E402, F401
from minitf.core.graph.op_def import all_op_defs, load_all_ops  # noqa: E402
from minitf.library.saving import tensorflow_graph as reading  # noqa: E402

#: what is read and written in ways of its own
MORE = ("Concat", "PartitionedCall", "StatefulPartitionedCall", "StatelessIf", "StatelessWhile")


def argument(arg) -> str:
    """One input or output: 'values:N*T'."""
    kind = arg.type_attr or types_pb2.DataType.Name(arg.type).removeprefix("DT_").lower()
    if arg.number_attr:
        kind = f"{arg.number_attr}*{kind}"
    if arg.type_list_attr:
        kind = f"*{arg.type_list_attr}"
    return f"{arg.name}:{kind}{'&' * arg.is_ref}"


def default(attr) -> str:
    """What stands for an attribute that is not given: "=", and of a type which it is."""
    if not attr.HasField("default_value"):
        return ""
    number = attr.default_value.type
    return f"={types_pb2.DataType.Name(number).removeprefix('DT_').lower() if number else ''}"


def line(op) -> str:
    """The declaration of one operation."""
    inputs, outputs = (", ".join(map(argument, args)) for args in (op.input_arg, op.output_arg))
    attrs = (f" {a.name}:{a.type}{default(a)}" for a in op.attr)
    return f"{op.name}({inputs}) -> ({outputs}){''.join(attrs)}"


def main() -> None:
    """Writes the file."""
    tables = (
        reading.RENAMED,
        reading.COMPOSED,
        reading.DIAGONALS,
        reading.PARSERS,
        reading.OF_LISTS,
        reading.OF_STACKS,
        reading.PRIMITIVES,
    )
    load_all_ops()
    registered = {op_def.type for op_def in all_op_defs()}
    ours = {name for name in {*registered, *MORE}.union(*tables) if name[0] != "_"}
    ops = op_def_pb2.OpList.FromString(
        pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    )
    wanted = [op for op in ops.op if op.name in ours or op.name.removeprefix("Resource") in ours]
    lines = sorted(line(op) for op in wanted)
    path = ROOT / "minitf/library/saving/tensorflow_ops.txt"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
