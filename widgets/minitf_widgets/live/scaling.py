"""How training scales: the cost model's curves, with sliders, beside what was measured.

    points = tf.cluster.measure()                             # about ten seconds
    model = tf.cluster.CostModel.fit(points, check="training")
    ScalingView(model, workload, measured=points)

The model is asked for every number of workers anew when a slider moves; it is used by its methods
alone (`step`), and changed copies of its hardware are made with `dataclasses.replace`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from minitf_widgets.chart import counted, format_value
from minitf_widgets.live.controls import Slider
from minitf_widgets.live.live import Live

__all__ = ["ScalingView"]

_METHODS = {"ring": "ring", "tree": "tree", "ps": "ps, sync", "async": "ps, async"}  # their names
_WORKERS = (1, 2, 4, 8, 16, 24, 32, 48, 64)
_SPEEDUP, _TIME = "speedup", "milliseconds a step"


class ScalingView(Live):
    """Shows what more workers bring, by the cost model and as measured.

    Two charts over the number of workers: the speedup against one worker that talks to nobody, and
    the time of a step; for ring and tree all-reduce, for parameter servers in step and out of step.

    Args:
      model: a `tf.cluster.CostModel`.
      workload: what a worker does in a step, as `tf.cluster.RESNET50`.
      measured: points to compare with: what `tf.cluster.measure()` returned (of which those of
        training count), or {workers: examples a second}.
    Example:
      >>> ScalingView(tf.cluster.CostModel("v100"), tf.cluster.RESNET50)
    """

    def __init__(
        self,
        model: Any,
        workload: Any,
        measured: Iterable[Any] | Mapping[int, float] = (),
    ) -> None:
        self._model, self._workload = model, workload
        self._measured = _rates(measured, workload.batch)
        super().__init__(
            title=f"Scaling: {workload.name} on {model.hardware.name}",
            x="workers",
            workers=Slider(1, _WORKERS[-1], 8),
            batch=Slider(1.0, max(4096.0, workload.batch), float(workload.batch), log=True),
            ps=Slider(1, 16, 1, label="parameter servers"),
            network=Slider(0.001, 100.0, 1.0, log=True, label="network speed ×"),
        )
        self.draw(self._curves_now)

    def _curves_now(self, workers: int, batch: float, ps: int, network: float) -> None:
        """Asks a copy of the model, with the hardware and the batch of the sliders."""
        hardware = self._model.hardware
        faster = {"bandwidth": hardware.bandwidth * network, "latency": hardware.latency / network}
        hardware = dataclasses.replace(hardware, **faster)
        model = type(self._model)(hardware)
        workload = dataclasses.replace(self._workload, batch=max(1, round(batch)))
        every = _WORKERS
        self.curve("linear", every, every, panel=_SPEEDUP)
        for method, name in _METHODS.items():
            steps = [model.step(workload, n, method, ps) for n in every]
            self.curve(name, every, [p.efficiency * p.replicas for p in steps], panel=_SPEEDUP)
            self.curve(name, every, [p.seconds * 1e3 for p in steps], panel=_TIME)
        # What one worker that talks to nobody does, as it was measured or as the model says.
        one = self._model.step(self._workload, 1, "ring").images_per_second
        if self._measured:
            found = sorted(self._measured.items())
            alone, counts = self._measured.get(1, one), [n for n, _ in found]
            speedup = [rate / alone for _, rate in found]
            times = [1e3 * n * self._workload.batch / rate for n, rate in found]
            self.curve("measured", counts, speedup, panel=_SPEEDUP, points=True)
            self.curve("measured", counts, times, panel=_TIME, points=True)
        self.say(self._sentence(model, workload, workers, ps))

    def _sentence(self, model: Any, workload: Any, n: int, ps: int) -> str:
        parts = []
        for method, name in _METHODS.items():
            step = model.step(workload, n, method, ps)
            parts.append(
                f"{name} {format_value(step.efficiency * n)}×, "
                f"{format_value(step.seconds * 1e3)} ms a step "
                f"({step.communication / step.seconds:.0%} network)"
            )
        measured = self._measured and workload.batch != self._workload.batch
        note = f" (Measured with batch {self._workload.batch}.)" if measured else ""
        return f"With {counted(n, 'worker')}: {'; '.join(parts)}.{note}"


def _rates(measured: Iterable[Any] | Mapping[int, float], batch: int) -> dict[int, float]:
    """Examples a second by workers."""
    if isinstance(measured, Mapping):
        return {int(n): float(rate) for n, rate in measured.items()}
    training = [p for p in measured if p.kind == "training"]
    return {p.replicas: p.replicas * batch / p.seconds for p in training}
