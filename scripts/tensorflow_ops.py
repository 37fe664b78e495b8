"""Makes minitf/library/saving/tensorflow_ops.txt: what TensorFlow declares in another way than we.

    .venv-oracle/bin/python scripts/tensorflow_ops.py [path]      (TensorFlow 2.15.1 is needed)

Its files name inputs and outputs as it declares them, and have all attributes that it wants; so
who reads and writes them must know. `minitf/library/saving/tensorflow_ops.py` explains a line.
"""

import sys
import textwrap
from pathlib import Path

from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import minitf  # noqa: E402, F401
from minitf.core.graph.op_def import all_op_defs, load_all_ops  # noqa: E402
from minitf.library.saving import tensorflow_graph as reading  # noqa: E402
from minitf.library.saving import tensorflow_ops  # noqa: E402
from minitf.library.saving.tensorflow_ops import CALLED_THERE  # noqa: E402
from minitf.library.saving.tensorflow_writing import _RULES  # noqa: E402

#: what is read and written in ways of its own
MORE = (
    *("Concat", "ConjugateTranspose", "DeepCopy"),
    *("PartitionedCall", "StatefulPartitionedCall", "StatelessIf", "StatelessWhile"),
)


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


def declaration(op, own) -> str:
    """The declaration of one operation, without its name.

    Args:
      op: the operation.
      own: its declaration here, or None; without those attributes that only TensorFlow has.
    """
    inputs, outputs = (", ".join(map(argument, args)) for args in (op.input_arg, op.output_arg))
    attrs = [(a.name, f" {a.name}:{a.type}{default(a)}") for a in op.attr]
    if own is not None:
        known = {*own.attr_names, *(CALLED_THERE.get(name) for name in own.attr_names)}
        attrs = [(name, text) for name, text in attrs if name in known or text[-1] != "="]
    return f"({inputs}) -> ({outputs}){''.join(text for _, text in attrs)}"


def is_alike(text: str, own) -> bool:
    """Whether a declaration says what that of an operation here says."""
    theirs, ours = tensorflow_ops._parsed(text), tensorflow_ops.as_declared(own)
    kinds = tensorflow_ops._MAKERS.keys() - {"type"}  # those that change a value
    changed = [
        {n: k for n, k in each.attrs.items() if k in kinds and n not in own.type_names}
        for each in (theirs, ours)
    ]
    given = {
        *own.type_names,
        *(n for n in own.attr_names if own.attr_defaults.get(n, 0) is not None),
    }
    return (
        theirs.inputs == ours.inputs
        and theirs.outputs == ours.outputs
        and theirs.attrs.keys() >= ours.attrs.keys()
        and changed[0] == changed[1]
        and given.issuperset(theirs.needed)
    )


def main() -> None:
    """Writes the file."""
    tables = (
        reading.COMPOSED,
        reading.DIAGONALS,
        reading.PARSERS,
        reading.OF_LISTS,
        reading.OF_STACKS,
        reading.PRIMITIVES,
    )
    load_all_ops()
    registered = {op_def.type: op_def for op_def in all_op_defs()}
    ours = {name for name in {*registered, *MORE}.union(*tables) if name[0] != "_"}
    ops = op_def_pb2.OpList.FromString(
        pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    )
    groups: dict[str, list[str]] = {}
    for op in ops.op:
        if op.name in ours:
            own = None if op.name in _RULES else registered.get(op.name)  # rules add attributes
            text = declaration(op, own)
            if own is None or not is_alike(text, own):
                groups.setdefault(text, []).append(op.name)
    alone = sorted({name for name in registered if name[0] != "_"} - {op.name for op in ops.op})
    lines = textwrap.wrap(
        " ".join(alone), 98, initial_indent="- ", subsequent_indent="- "
    ) + sorted(
        f"{names}{text}"
        for text, group in groups.items()
        for names in textwrap.wrap(" ".join(sorted(group)), 100)
    )
    usual = ROOT / "minitf/library/saving/tensorflow_ops.txt"
    Path(*sys.argv[1:] or [usual]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
