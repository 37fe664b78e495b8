"""How training scales: the cost model's curves, with sliders, beside what was measured.

    points = tf.cluster.measure()                             # about ten seconds
    model = tf.cluster.CostModel.fit(points, check="training")
    ScalingView(model, workload, measured=points)

The model is asked for every number of workers anew when a slider moves; it is used by its methods
alone (`step`), and changed copies of its hardware are made with `dataclasses.replace`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minitf_widgets.chart import format_value
from minitf_widgets.live.controls import Slider
from minitf_widgets.live.live import Live

__all__ = ["ScalingView"]

_NAMES = {"ring": "ring", "tree": "tree", "ps": "ps, sync", "async": "ps, async"}
_STYLES = {"ring": 5, "tree": 4, "ps": 2, "async": 3}  # places in the palette
_LINEAR, _POINTS = 0, 1
_SPEEDUP, _TIME = "speedup", "milliseconds a step"


class ScalingView(Live):
    """Shows what more workers bring, by the cost model and as measured.

    Two charts over the number of workers: the speedup against one worker that talks to nobody, and
    the time of a step; for ring and tree all-reduce, for parameter servers in step and out of step.

    Args:
      model: a `tf.cluster.CostModel`; or the result of its `scaling`, which brings all the rest.
      workload: what a worker does in a step, as `tf.cluster.RESNET50`.
      measured: points to compare with: what `tf.cluster.measure()` returned (of which those of
        training count), or {workers: examples a second}.
      replicas: the numbers of workers.
      methods: of "ring", "tree", "ps", "async".
      title: what stands above.
    Raises:
      TypeError: when there is no workload.
    Example:
      >>> view = ScalingView(tf.cluster.CostModel("v100"), tf.cluster.RESNET50)
      >>> view.speedups()["ring"][8] > 7.5
      True
    """

    _answers = True

    def __init__(
        self,
        model: Any,
        workload: Any = None,
        measured: Iterable[Any] | Mapping[int, float] = (),
        *,
        replicas: Sequence[int] = (1, 2, 4, 8, 16, 24, 32, 48, 64),
        methods: Sequence[str] = tuple(_NAMES),
        title: str = "",
    ) -> None:
        ps, beside = 1, {}
        if hasattr(model, "predictions"):
            table, model = model, model.model
            workload, replicas, ps = table.workload, table.replicas, table.ps
            methods, beside = tuple(table.predictions), table.beside
        if workload is None:
            raise TypeError("A ScalingView needs a workload, as tf.cluster.RESNET50.")
        self._model, self._workload = model, workload
        self._replicas, self._methods = sorted({int(n) for n in replicas}), tuple(methods)
        self._measured = {**beside, "measured": _rates(measured, workload.batch)}
        most = self._replicas[-1]
        nearest = min(self._replicas, key=lambda n: abs(math.log(n / 8)))
        controls = {
            "workers": Slider(1, max(most, 2), min(nearest, most)),
            "batch": Slider(1.0, max(4096.0, workload.batch), float(workload.batch), log=True),
            "ps": Slider(1, 16, min(max(ps, 1), 16), label="parameter servers"),
            "network": Slider(0.001, 100.0, 1.0, log=True, label="network speed ×"),
        }
        name = title or f"Scaling: {workload.name} on {model.hardware.name}"
        super().__init__(title=name, x="workers", **controls)
        self._draw_curves()

    def speedups(self) -> dict[str, dict[int, float]]:
        """Returns, for each method and number of workers, the speedup as the sliders stand."""
        model, workload = self._now()
        return {
            method: {n: self._predict(model, workload, n, method).efficiency * n for n in every}
            for method, every in dict.fromkeys(self._methods, self._replicas).items()
        }

    def _now(self) -> tuple[Any, Any]:
        """The model and the workload as the sliders stand."""
        hardware = self._model.hardware
        hardware = dataclasses.replace(
            hardware,
            bandwidth=hardware.bandwidth * self.network,
            latency=hardware.latency / self.network,
        )
        batch = max(1, round(self.batch))
        return type(self._model)(hardware), dataclasses.replace(self._workload, batch=batch)

    def _predict(self, model: Any, workload: Any, replicas: int, method: str) -> Any:
        return model.step(workload, replicas, method, self.ps)

    def _changed(self, values: dict[str, Any], content: dict[str, Any]) -> None:
        self._draw_curves()

    def set(self, **values: Any) -> None:
        super().set(**values)
        self._draw_curves()

    def _draw_curves(self) -> None:
        model, workload = self._now()
        every = self._replicas
        self.curve("linear", every, every, panel=_SPEEDUP, style=_LINEAR)
        for method in self._methods:
            steps = [self._predict(model, workload, n, method) for n in every]
            name, style = _NAMES.get(method, method), _STYLES.get(method)
            faster = [p.efficiency * p.replicas for p in steps]
            self.curve(name, every, faster, panel=_SPEEDUP, style=style)
            self.curve(name, every, [p.seconds * 1e3 for p in steps], panel=_TIME, style=style)
        # What one worker that talks to nobody does, as it was measured or as the model says.
        one = self._model.step(self._workload, 1, "ring").images_per_second
        for name, rates in self._measured.items():
            if rates:
                found = sorted(rates.items())
                alone, counts = rates.get(1, one), [n for n, _ in found]
                speedup = [rate / alone for _, rate in found]
                times = [1e3 * n * self._workload.batch / rate for n, rate in found]
                look: dict[str, Any] = {"points": True, "style": _POINTS}
                self.curve(name, counts, speedup, panel=_SPEEDUP, **look)
                self.curve(name, counts, times, panel=_TIME, **look)
        self.say(self._sentence(model, workload))

    def _sentence(self, model: Any, workload: Any) -> str:
        n, parts = self.workers, []
        for method in self._methods:
            step = self._predict(model, workload, n, method)
            parts.append(
                f"{_NAMES.get(method, method)} {format_value(step.efficiency * n)}×, "
                f"{format_value(step.seconds * 1e3)} ms a step "
                f"({step.communication / step.seconds:.0%} network)"
            )
        measured = any(self._measured.values()) and workload.batch != self._workload.batch
        note = f" (Measured with batch {self._workload.batch}.)" if measured else ""
        return f"With {n} worker{'' if n == 1 else 's'}: {'; '.join(parts)}.{note}"


def _rates(measured: Iterable[Any] | Mapping[int, float], batch: int) -> dict[int, float]:
    """Examples a second by workers."""
    if isinstance(measured, Mapping):
        return {int(n): float(rate) for n, rate in measured.items()}
    training = [p for p in measured if p.kind == "training"]
    return {p.replicas: p.replicas * batch / p.seconds for p in training}
