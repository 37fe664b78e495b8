"""One model on several GPUs: each computes a part of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.stacks import device, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape
from minitf.library.graph_tools.physical_devices import list_logical_devices
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.core import Lambda
from minitf.library.keras.layers.merge import concatenate


def multi_gpu_model(
    model: Any, gpus: int | Sequence[int], cpu_merge: bool = True, cpu_relocation: bool = False
) -> Any:
    """A model that gives each GPU a part of the batch; all of them share its weights.

        batch ──slices──> /gpu:0: model ──┐
                     └──> /gpu:1: model ──┴──concatenate──> outputs

    Args:
      model: the model; its weights are where it was made.
      gpus: how many GPUs, two at least, or their numbers.
      cpu_merge: put the parts together on the CPU.
      cpu_relocation: accepted; make the model under `tf.device("/cpu:0")` for that.
    Raises:
      ValueError: when there are fewer than two, or not so many here.
    Example:
      >>> parallel = tf.keras.utils.multi_gpu_model(model, gpus=2)  # doctest: +SKIP
    """
    numbers = list(range(gpus)) if isinstance(gpus, int) else list(gpus)
    if len(numbers) < 2:
        raise ValueError(
            "For multi-gpu usage to be effective, call `multi_gpu_model` with `gpus >= 2`. "
            f"Received: `gpus={gpus}`"
        )
    wanted = ["/cpu:0", *(f"/gpu:{number}" for number in numbers)]
    there = [each.name.lower().replace("/device:", "/") for each in list_logical_devices()]
    if not set(wanted) <= set(there):
        raise ValueError(
            f"To call `multi_gpu_model` with `gpus={gpus}`, we expect the following devices to be "
            f"available: {wanted}. However this machine only has: {there}. Try reducing `gpus`."
        )
    parts: list[list[Any]] = []
    for place, name in enumerate(wanted[1:]):
        with device(name), name_scope(f"replica_{place}"):
            inputs = [_part(each, place, len(numbers)) for each in model.inputs]
            found = model(inputs[0] if len(inputs) == 1 else inputs)
            parts.append(found if isinstance(found, list) else [found])
    with device("/cpu:0" if cpu_merge else wanted[1]):
        merged = [
            concatenate(list(each), axis=0, name=name)
            for each, name in zip(zip(*parts), model.output_names)
        ]
    return Model(model.inputs, merged)


def _part(batch: Tensor, place: int, count: int) -> Any:
    """One of so many parts of a batch; the last one takes what is left."""

    def rows(x: Tensor) -> Tensor:
        size = shape(x)[:1][0]
        step = size // count
        return x[place * step : size if place == count - 1 else (place + 1) * step]

    return Lambda(rows, output_shape=batch.shape.as_list()[1:])(batch)
