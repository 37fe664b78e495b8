"""`tf.profiler`: how many parameters a model has, and how many operations on numbers a step takes.

    profile(graph, options=ProfileOptionBuilder.float_operation()).total_float_ops
    profile(graph, options=ProfileOptionBuilder.trainable_variables_parameter())

    _TFProfRoot (--/7.89k params)         of the node itself / with all below it
      fc (--/7.85k params)
        fc/kernel (784x10, 7.84k/7.84k params)

Counts follow from static shapes by TensorFlow's rules: 2 n m k for a product of matrices. Times and
memory are those of a step, from the `tf.RunMetadata` of one that was traced.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.library.graph_tools.timeline import Timeline

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
#: what is selected, the heading, the attribute of a node, the unit, what the report says of it
_COLUMNS = (
    ("params", "# parameters", "parameters", "params",
     "param: Number of parameters (in the Variable)."),
    ("float_ops", "# float_ops", "float_ops", "flops", "flops: Number of float operations."),
    ("bytes", "requested bytes", "requested_bytes", "",
     "requested bytes: The memory of what the operation made."),
    ("micros", "total execution time", "exec_micros", "",
     "total execution time: Of accelerators and CPUs together."),
    ("micros", "accelerator execution time", "accelerator_exec_micros", "",
     "accelerator execution time: From start to end, on accelerators."),
    ("micros", "cpu execution time", "cpu_exec_micros", "",
     "cpu execution time: From start to end, on CPUs."),
)  # fmt: skip
_SCALES = {
    "bytes": ((10**6, "MB"), (10**3, "KB"), (1, "B")),
    "micros": ((10**6, "sec"), (10**3, "ms"), (1, "us")),
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
      parameters, float_ops, requested_bytes, exec_micros, accelerator_exec_micros,
        cpu_exec_micros: of the node itself; with `total_` before them: with all nodes below it.
      children: the nodes below it.
      shape: that of a variable, for the report.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.parameters = self.float_ops = self.requested_bytes = 0
        self.exec_micros = self.accelerator_exec_micros = self.cpu_exec_micros = 0
        self.children: list[GraphNodeProto] = []
        self.shape: Sequence[int | None] | None = None

    def __getattr__(self, name: str) -> int:
        kind = name.removeprefix("total_")
        if kind == name or kind not in vars(self):
            raise AttributeError(name)
        return getattr(self, kind) + sum(getattr(child, name) for child in self.children)

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
      run_meta: of a traced step, for times and memory.
      op_log: not used.
      cmd: "op" puts together what is of one type; all else goes by scopes.
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
            node = root.below(op.type if cmd == "op" else op.name)
            node.float_ops += flops
            if op.name in variables:
                sizes = variables[op.name].shape.as_list()
                node.shape = None if cmd == "op" else sizes
                node.parameters += math.prod(n or 0 for n in sizes)
    for device in run_meta.step_stats.dev_stats if run_meta is not None else ():
        kind = "cpu_exec_micros" if "CPU" in device.device.upper() else "accelerator_exec_micros"
        for stats in device.node_stats:
            kinds = [stats.op, *["_trainable_variables"] * (stats.node_name in trainable)]
            if _matches(types, *kinds) and not _matches(hidden, stats.node_name):
                node = root.below(stats.op if cmd == "op" else stats.node_name)
                node.requested_bytes += stats.output_bytes
                for name in ("exec_micros", kind):
                    setattr(node, name, getattr(node, name) + stats.all_end_rel_micros)
    if options["output"] != "none":
        text = "\n".join(_report(root, options))
        form, _, path = options["output"].partition(":outfile=")
        if form == "timeline" and run_meta is not None:
            text = Timeline(run_meta.step_stats).generate_chrome_trace_format()
            path = f"{path}_{max(options['step'], 0)}"
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        else:
            print(text)
    return root


def _report(root: GraphNodeProto, options: Mapping[str, Any]) -> Iterator[str]:
    """The lines that `profile` prints."""
    shown = [column for column in _COLUMNS if column[0] in options["select"]]
    yield "\n==================Model Analysis Report======================\n"
    yield "\n".join(["Doc:", *(column[4] for column in shown), "", "Profile:"])
    yield " | ".join(["node name", *(column[1] for column in shown)])
    yield from _lines(root, "", shown, options)
    yield "\n======================End of Report=========================="


def _lines(
    node: Any, indent: str, shown: Sequence[tuple], options: Mapping[str, Any]
) -> Iterator[str]:
    enough = (
        node.parameters >= options["min_params"]
        and node.float_ops >= options["min_float_ops"]
        and node.total_requested_bytes >= options["min_bytes"]
        and node.total_exec_micros >= options["min_micros"]
    )
    if enough or not indent:
        parts = ["x".join(map(str, node.shape or [1]))] if node.shape is not None else []
        for name, _, attribute, unit, _ in shown:
            own, total = getattr(node, attribute), getattr(node, f"total_{attribute}")
            here = short_count(own, name) if own else "--"
            parts.append(f"{here}/{short_count(total, name)} {unit}".rstrip())
        yield f"{indent}{node.name} ({', '.join(parts)})"
        indent += "  "
    ordered = {name: f"total_{attribute}" for name, _, attribute, *_ in reversed(_COLUMNS)}
    by = ordered.get(options["order_by"])
    for child in sorted(node.children, key=lambda n: n.name if by is None else -getattr(n, by)):
        yield from _lines(child, indent, shown, options)


def short_count(count: int, name: str) -> str:
    """A count with its unit, as the report shows it: 5010 "micros" is 5.01ms."""
    for size, unit in _SCALES.get(name, ((10**9, "b"), (10**6, "m"), (10**3, "k"), (1, ""))):
        if count >= size > 1:
            return f"{count / size:.2f}{unit}"
    return f"{count}{unit}"


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
        """Options that show the times and the memory of a traced step."""
        least = {"min_micros": 1, "min_bytes": 1, **minima}
        return _options(select=["micros", "bytes"], order_by="micros", **least)

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

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Shows nodes that took so many microseconds."""
        kinds = {"accelerator_micros": min_accelerator_micros, "cpu_micros": min_cpu_micros}
        return self._with(min_micros=min_micros, **{f"min_{k}": v for k, v in kinds.items()})

    def with_min_memory(
        self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:  # fmt: skip
        """Shows nodes that made so many bytes."""
        kinds = {"peak": min_peak_bytes, "residual": min_residual_bytes, "output": min_output_bytes}
        return self._with(min_bytes=min_bytes, **{f"min_{k}_bytes": v for k, v in kinds.items()})

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Kept with the options."""
        return self._with(min_occurrence=min_occurrence)

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Kept with the options: totals are those of all nodes."""
        return self._with(account_displayed_op_only=is_true)

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Names the step, for the file of a timeline."""
        return self._with(step=step)

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
        """Chooses what to show: "params", "float_ops", "bytes", "micros"."""
        return self._with(select=list(attributes))

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Chooses the order of nodes: "name", or what is shown."""
        return self._with(order_by=attribute)

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints the report."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the report to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Writes a Chrome trace of the step to a file, whose name ends with its number."""
        return self._with(output=f"timeline:outfile={timeline_file}")

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
