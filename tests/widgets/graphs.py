"""GraphDefs in JSON form, built by hand, for the widget tests."""

from __future__ import annotations

import base64
import struct
from typing import Any


class Builder:
    """Collects nodes and returns their GraphDef."""

    def __init__(self) -> None:
        self.node: list[dict[str, Any]] = []
        self.shapes: dict[str, list[int]] = {}

    def add(self, op, name, inputs=(), shape=(), device="", dtype="DT_FLOAT", outputs=1, **attrs):
        shapes = {"list": [{"shape": {"dim": [{"size": s} for s in shape]}}] * outputs}
        attr = {
            "T": {"type": dtype.removesuffix("_REF")},
            **attrs,
            "_output_shapes": shapes,
            "_output_types": {"list": [{"type": dtype}] * outputs},
        }
        node = {"name": name, "op": op, "input": list(inputs), "device": device, "attr": attr}
        self.node.append(node)
        self.shapes[name] = list(shape)
        return name

    def const(self, name, value=0.0, device=""):
        data = base64.b64encode(struct.pack("<f", value)).decode()
        tensor = {"tensor": {"dtype": "DT_FLOAT", "shape": [], "data": data}}
        return self.add("Const", name, device=device, value=tensor)

    def variable(self, name, shape, device=""):
        """A variable with its initializer; returns the name of its read op."""
        self.add("VariableV2", name, shape=shape, device=device, dtype="DT_FLOAT_REF")
        start = f"{name}/Initializer/random_uniform"
        sizes = self.add(
            "Const", f"{start}/shape", shape=[len(shape)], dtype="DT_INT32", device=device
        )
        self.const(f"{start}/min", -0.1, device)
        self.const(f"{start}/max", 0.1, device)
        self.add("RandomUniform", f"{start}/RandomUniform", [sizes], shape, device)
        self.add("Sub", f"{start}/sub", [f"{start}/max", f"{start}/min"], (), device)
        self.add("Mul", f"{start}/mul", [f"{start}/RandomUniform", f"{start}/sub"], shape, device)
        self.add("Add", start, [f"{start}/mul", f"{start}/min"], shape, device)
        self.add("Assign", f"{name}/Assign", [name, start], shape, device, dtype="DT_FLOAT_REF")
        return self.add("Identity", f"{name}/read", [name], shape, device)

    def graph_def(self):
        return {"versions": {"producer": 1}, "node": self.node}


def tiny():
    """d = b + c; e = c + 2; a = d * e."""
    b = Builder()
    b.const("b", 3.0)
    b.const("c", 1.0)
    b.add("Add", "d", ["b", "c"])
    b.const("e/y", 2.0)
    b.add("Add", "e", ["c", "e/y"])
    b.add("Mul", "a", ["d", "e"])
    return b.graph_def()


def mlp(sizes=(784, 128, 64, 10), devices=("", "")):
    """A multilayer perceptron with its loss, gradients, Adam, initialization and saver.

    Args:
      sizes: features of the input, of each hidden layer, and the number of classes.
      devices: the device of the variables and that of all else.
    """
    home, work = devices
    b = Builder()
    b.add("Placeholder", "x", shape=[-1, sizes[0]], device=work)
    b.add("Placeholder", "labels", shape=[-1], dtype="DT_INT64", device=work)
    below, forward, variables = "x", [], []
    layers = len(sizes) - 1
    for k in range(layers):
        scope = f"hidden{k + 1}" if k < layers - 1 else "logits"
        weights = b.variable(f"{scope}/weights", [sizes[k], sizes[k + 1]], home)
        bias = b.variable(f"{scope}/bias", [sizes[k + 1]], home)
        variables += [(f"{scope}/weights", b.shapes[weights]), (f"{scope}/bias", b.shapes[bias])]
        shape = [-1, sizes[k + 1]]
        product = b.add("MatMul", f"{scope}/MatMul", [below, weights], shape, work)
        forward.append((product, [below, weights]))
        total = b.add("BiasAdd", f"{scope}/BiasAdd", [product, bias], shape, work)
        forward.append((total, [product, bias]))
        below = total
        if k < layers - 1:
            below = b.add("Relu", f"{scope}/Relu", [total], shape, work)
            forward.append((below, [total]))
    cross = "loss/SparseSoftmaxCrossEntropyWithLogits"
    b.add("Shape", f"{cross}/Shape", ["labels"], [1], work, "DT_INT32")
    b.add("SparseSoftmaxCrossEntropyWithLogits", cross, [below, "labels"], [-1], work, outputs=2)
    b.add("Const", "loss/Const", shape=[1], dtype="DT_INT32", device=work)
    b.add("Mean", "loss/Mean", [cross, "loss/Const"], [], work)
    forward += [(cross, [below]), ("loss/Mean", [cross])]
    b.add("ArgMax", "accuracy/ArgMax", [below], [-1], work, "DT_INT64")
    b.add("Equal", "accuracy/Equal", ["accuracy/ArgMax", "labels"], [-1], work, "DT_BOOL")
    b.add("Cast", "accuracy/Cast", ["accuracy/Equal"], [-1], work)
    b.add("Mean", "accuracy/Mean", ["accuracy/Cast"], [], work)
    _gradients(b, forward, work)
    _adam(b, variables, home)
    b.add("NoOp", "init", [f"^{n['name']}" for n in b.node if n["op"] == "Assign"], outputs=0)
    _save(b, variables)
    return b.graph_def()


def _gradients(b, forward, device):
    b.add("Shape", "train/gradients/Shape", ["loss/Mean"], [0], device, "DT_INT32")
    b.const("train/gradients/grad_ys_0", 1.0, device)
    b.add("Fill", "train/gradients/Fill", ["train/gradients/Shape", "train/gradients/grad_ys_0"])
    arriving = {"loss/Mean": "train/gradients/Fill"}
    for name, inputs in reversed(forward):
        dy = arriving[name]
        op = next(n["op"] for n in b.node if n["name"] == name)
        for place, source in enumerate(inputs):
            grad = f"train/gradients/{name}_grad/{op}Grad" + (f"_{place}" if place else "")
            b.add(f"{op}Grad", grad, [dy, *inputs], b.shapes[source], device)
            if source.endswith("/read"):
                arriving[source.removesuffix("/read")] = grad
            elif source != "x":
                arriving[source] = grad
    b.arriving = arriving


def _adam(b, variables, device):
    names = ("learning_rate", "beta1", "beta2", "epsilon")
    hyper = [b.const(f"train/Adam/{n}", v, device) for n, v in zip(names, (1e-3, 0.9, 0.999, 1e-8))]
    for power in ("train/beta1_power", "train/beta2_power"):
        b.variable(power, [], device)
    updates = []
    for name, shape in variables:
        slots = []
        for slot in (f"train/{name}/Adam", f"train/{name}/Adam_1"):
            b.add("VariableV2", slot, shape=shape, device=device, dtype="DT_FLOAT_REF")
            b.add("Const", f"{slot}/Initializer/zeros", shape=shape, device=device)
            zeros = [slot, f"{slot}/Initializer/zeros"]
            b.add("Assign", f"{slot}/Assign", zeros, shape, device, "DT_FLOAT_REF")
            slots.append(slot)
        powers = ["train/beta1_power/read", "train/beta2_power/read"]
        update = f"train/Adam/update_{name}/ApplyAdam"
        inputs = [name, *slots, *powers, *hyper, b.arriving[name]]
        updates.append(b.add("ApplyAdam", update, inputs, shape, device, "DT_FLOAT_REF"))
    b.add("NoOp", "train/Adam", [f"^{u}" for u in updates], device=device, outputs=0)


def _save(b, variables):
    b.add("Const", "save/filename", dtype="DT_STRING")
    names = [name for name, _ in variables]
    b.add("SaveV2", "save/SaveV2", ["save/filename", *names], outputs=0)
    b.add("RestoreV2", "save/RestoreV2", ["save/filename"], [-1], outputs=len(names))
    for k, name in enumerate(names):
        b.add("Assign", f"save/Assign_{k}", [name, f"save/RestoreV2:{k}"], b.shapes[name])
    b.add("NoOp", "save/restore_all", [f"^save/Assign_{k}" for k in range(len(names))], outputs=0)


def large(blocks=30):
    """A residual network of some 1,500 ops: blocks of two layers, loss, gradients, Adam."""
    b = Builder()
    b.add("Placeholder", "images", shape=[-1, 224, 224, 3])
    b.add("Placeholder", "labels", shape=[-1], dtype="DT_INT64")
    below, forward, variables = "images", [], []
    shape = [-1, 56, 56, 64]
    for k in range(blocks):
        block = f"resnet/stage{k // 6 + 1}/block{k % 6 + 1}"
        start = below
        for layer in ("conv1", "conv2"):
            scope = f"{block}/{layer}"
            kernel = b.variable(f"{scope}/kernel", [3, 3, 64, 64])
            variables.append((f"{scope}/kernel", [3, 3, 64, 64]))
            conv = b.add("Conv2D", f"{scope}/Conv2D", [below, kernel], shape)
            below_next = b.add("Relu", f"{scope}/Relu", [conv], shape)
            forward += [(conv, [below, kernel]), (below_next, [conv])]
            below = below_next
        if k:
            total = b.add("AddV2", f"{block}/add", [below, start], shape)
            forward.append((total, [below, start]))
            below = total
    b.add("Mean", "loss/Mean", [below], [])
    forward.append(("loss/Mean", [below]))
    _gradients(b, forward, "")
    _adam(b, variables, "")
    b.add("NoOp", "init", [f"^{n['name']}" for n in b.node if n["op"] == "Assign"], outputs=0)
    _save(b, variables)
    return b.graph_def()


def flat(count=1500):
    """`count` ops without a single name scope."""
    b = Builder()
    b.add("Placeholder", "x", shape=[8, 8])
    below = "x"
    for k in range(1, count):
        op = ("MatMul", "Add", "Relu")[k % 3]
        inputs = [below, "x"] if op != "Relu" else [below]
        below = b.add(op, f"{op}_{k}", inputs, [8, 8])
    return b.graph_def()
