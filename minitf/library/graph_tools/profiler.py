"""`tf.profiler`: how many parameters a model has, and how many operations on numbers a step takes.

    profile(graph, options=ProfileOptionBuilder.float_operation()).total_float_ops
    profile(graph, options=ProfileOptionBuilder.trainable_variables_parameter())

    _TFProfRoot (--/7.89k params)         of the node itself / with all below it
      fc (--/7.85k params)
        fc/kernel (784x10, 7.84k/7.84k params)

Counts follow from static shapes by TensorFlow's rules: 2 n m k for a product of matrices. Times and
memory are in `tf.RunMetadata`, which the timeline shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph_keys import GraphKeys

# How many operations an element of the result takes, or of the first input of a reduction.
_OF_RESULT = {
    **dict.fromkeys(
        "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow Reciprocal Square Log Neg BiasAdd Greater "
        "GreaterEqual Less LessEqual Equal NotEqual SquaredDifference AssignAdd AssignSub".split(),
        1,
    ),
    "Rsqrt": 2, "RsqrtGrad": 4, "L2Loss": 3, "Softmax": 5,
}  # fmt: skip
_OF_INPUT = ("Mean", "Sum", "ArgMax", "ArgMin", "BiasAddGrad")
_MINIMA = ("bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros", "params",
           "accelerator_micros", "cpu_micros", "float_ops", "occurrence")  # fmt: skip
_SHOWN = {
    "params": ("# parameters", "params", "param: Number of parameters (in the Variable)."),
    "float_ops": ("# float_ops", "flops", "flops: Number of float operations."),
}


def _count(tensor: Any) -> int:
    return tensor.shape.num_elements() or 0


def float_operations(op: Any) -> int:
    """How many operations on numbers an operation of a graph makes; 0 where shapes are unknown."""
    if op.type in _OF_RESULT:
        return _OF_RESULT[op.type] * _count(op.inputs[0] if op.type == "L2Loss" else op.outputs[0])
    if op.type in _OF_INPUT:
        return _count(op.inputs[0])
    if op.type in ("MatMul", "BatchMatMul", "BatchMatMulV2"):
        across = op.get_attr("transpose_a" if op.type == "MatMul" else "adj_x")
        inner = op.inputs[0].shape[-2 if across else -1].value if op.inputs[0].shape.rank else None
        return 2 * _count(op.outputs[0]) * (inner or 0)
    if op.type in ("Conv2D", "Conv3D", "DepthwiseConv2dNative"):
        sizes = op.inputs[1].shape
        inner = math.prod(n or 0 for n in sizes.as_list()[:-1]) if sizes.rank else 0
        if op.type == "DepthwiseConv2dNative":
            inner //= sizes.as_list()[2] or 1
        return 2 * _count(op.outputs[0]) * inner
    if op.type in ("MaxPool", "AvgPool"):
        return _count(op.outputs[0]) * math.prod(op.get_attr("ksize"))
    return 0


class GraphNodeProto:
    """A node of a profile: an operation, a scope, or both.

    Args:
      name: the whole name.

    Attributes:
      parameters, float_ops: of the node itself.
      total_parameters, total_float_ops: with all nodes below it.
      children: the nodes below it.
      shape: that of a variable, for the report.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.parameters = self.float_ops = 0
        self.children: list[GraphNodeProto] = []
        self.shape: Sequence[int | None] | None = None

    @property
    def total_parameters(self) -> int:
        """The parameters of the node and of all below it."""
        return self.parameters + sum(child.total_parameters for child in self.children)

    @property
    def total_float_ops(self) -> int:
        """The operations on numbers of the node and of all below it."""
        return self.float_ops + sum(child.total_float_ops for child in self.children)

    def below(self, name: str) -> GraphNodeProto:
        """The node of a name, which is made with its scopes if it is not there."""
        node = self
        parts = name.split("/")
        for count in range(1, len(parts) + 1):
            path = "/".join(parts[:count])
            found = next((child for child in node.children if child.name == path), None)
            if found is None:
                node.children.append(found := GraphNodeProto(path))
            node = found
        return node


def _matches(patterns: Sequence[str], *texts: str) -> bool:
    return any(re.fullmatch(pattern, text) for pattern in patterns for text in texts)


def profile(
    graph: Any = None, run_meta: Any = None, op_log: Any = None, cmd: str = "scope",
    options: Mapping[str, Any] | None = None,
) -> GraphNodeProto:  # fmt: skip
    """Counts parameters and operations on numbers, and prints them scope by scope.

    Args:
      graph: the graph; the default one by default.
      run_meta, op_log: not used; times are in the timeline.
      cmd: not used: the order is by scopes.
      options: made by `ProfileOptionBuilder`.

    Returns: the root; see `GraphNodeProto`.
    Example:
      >>> y = tf.matmul(tf.ones([2, 3]), tf.get_variable("w", [3, 4]))
      >>> options = tf.profiler.ProfileOptionBuilder.float_operation()
      >>> options["output"] = "none"
      >>> tf.profiler.profile(y.graph, options=options).below("MatMul").float_ops
      48
    """
    graph = graph or stacks.get_default_graph()
    options = options or ProfileOptionBuilder.trainable_variables_parameter()
    types, hidden = options["account_type_regexes"], options["hide_name_regexes"]
    trainable = {v.op.name for v in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)}
    variables = {v.op.name: v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)}
    root = GraphNodeProto("_TFProfRoot")
    for op in graph.get_operations():
        kinds = [op.type, *["_trainable_variables"] * (op.name in trainable)]
        if not _matches(types, *kinds) or _matches(hidden, op.name):
            continue
        flops = float_operations(op)
        if op.name in variables or flops:
            node = root.below(op.name)
            node.float_ops = flops
            if op.name in variables:
                node.shape = variables[op.name].shape.as_list()
                node.parameters = math.prod(n or 0 for n in node.shape)
    if options["output"] != "none":
        text = "\n".join(_report(root, options))
        _, _, path = options["output"].partition("outfile=")
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        else:
            print(text)
    return root


def _report(root: GraphNodeProto, options: Mapping[str, Any]) -> Iterator[str]:
    """The lines that `profile` prints."""
    shown = [name for name in _SHOWN if name in options["select"]]
    yield "\n==================Model Analysis Report======================\n"
    yield "\n".join(["Doc:", *(_SHOWN[name][2] for name in shown), "", "Profile:"])
    yield " | ".join(["node name", *(_SHOWN[name][0] for name in shown)])
    yield from _lines(root, "", shown, options)
    yield "\n======================End of Report=========================="


def _lines(
    node: GraphNodeProto, indent: str, shown: Sequence[str], options: Mapping[str, Any]
) -> Iterator[str]:
    own = {"params": node.parameters, "float_ops": node.float_ops}
    total = {"params": node.total_parameters, "float_ops": node.total_float_ops}
    enough = all(own[name] >= options[f"min_{name}"] for name in own)
    if enough or not indent:
        parts = ["x".join(map(str, node.shape or [1]))] if node.shape is not None else []
        for name in shown:
            here = _short(own[name]) if own[name] else "--"
            parts.append(f"{here}/{_short(total[name])} {_SHOWN[name][1]}")
        yield f"{indent}{node.name} ({', '.join(parts)})"
        indent += "  "
    key = (lambda n: n.name) if options["order_by"] == "name" else (lambda n: -n.total_float_ops)
    for child in sorted(node.children, key=key):
        yield from _lines(child, indent, shown, options)


def _short(count: int) -> str:
    for size, letter in ((10**9, "b"), (10**6, "m"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.2f}{letter}"
    return str(count)


class ProfileOptionBuilder:
    """Makes the options of `profile`.

    Args:
      options: options to start from.
    """

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self._options = dict(options or _options())

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """Options that count the parameters of trainable variables."""
        return _options(account_type_regexes=["_trainable_variables"], select=["params"])

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Options that count operations on numbers."""
        return _options(min_float_ops=1, select=["float_ops"], order_by="float_ops")

    @staticmethod
    def time_and_memory(**minima: int) -> dict[str, Any]:
        """Options that would show times and memory, which `tf.RunMetadata` holds."""
        return _options(select=["micros", "bytes"], order_by="micros", min_micros=1, min_bytes=1)

    def build(self) -> dict[str, Any]:
        """The options."""
        return dict(self._options)

    def _with(self, **changes: Any) -> ProfileOptionBuilder:
        self._options.update(changes)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Shows scopes down to a depth."""
        return self._with(max_depth=max_depth)

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Shows nodes with so many parameters."""
        return self._with(min_params=min_params)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Shows nodes with so many operations on numbers."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Counts operations whose type matches."""
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self, start_name_regexes: Any = None, show_name_regexes: Any = None,
        hide_name_regexes: Any = None, trim_name_regexes: Any = None,
    ) -> ProfileOptionBuilder:  # fmt: skip
        """Leaves out nodes whose name matches `hide_name_regexes`."""
        return self._with(hide_name_regexes=list(hide_name_regexes or []))

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Chooses what to show: "params", "float_ops"."""
        return self._with(select=list(attributes))

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Chooses the order of nodes: "name" or "float_ops"."""
        return self._with(order_by=attribute)

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints the report."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the report to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints nothing."""
        return self._with(output="none")


def _options(**changes: Any) -> dict[str, Any]:
    options = {f"min_{name}": 0 for name in _MINIMA}
    every: dict[str, Any] = {"start_name_regexes": [".*"], "show_name_regexes": [".*"]}
    return {
        "max_depth": 10000, **options, "step": -1, "order_by": "name", "output": "stdout", **every,
        "account_type_regexes": [".*"], "trim_name_regexes": [], "hide_name_regexes": [],
        "account_displayed_op_only": True, "select": ["params"], **changes,
    }  # fmt: skip


#: what `print_model_analysis` of older programs is called with
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = ProfileOptionBuilder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS = ProfileOptionBuilder.float_operation()


def print_model_analysis(
    graph: Any, run_meta: Any = None, op_log: Any = None, tfprof_cmd: str = "scope",
    tfprof_options: Mapping[str, Any] | None = None,
) -> GraphNodeProto:  # fmt: skip
    """`profile` under its name in `tf.contrib.tfprof.model_analyzer`."""
    return profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)
