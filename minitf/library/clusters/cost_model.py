"""What a cluster would reach: time as a sum of messages, bytes and arithmetic.

    seconds = messages * latency + bytes / bandwidth + flops / flops_a_second + steps * overhead

The four numbers of a machine are fitted by least squares to points that were measured
(`measuring.py`), or taken from a data sheet (`HARDWARE`). A `Workload` says what one step
computes and sends; how often it sends, and how much, follows from the algorithm:

                 messages one after the other    bytes through the busiest link
    ring         2 (N - 1)                       2 (N - 1) / N * size
    tree         2 ceil(log2 N)                  2 ceil(log2 N) * size
    ps, n of it  2 max(N, n)                     2 max(N / n, 1) * size

Nothing is computed while something is sent, and no link has other traffic: what real clusters do
better and worse. How far that is off shows the error on points that the model was not fitted to.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

REPLICAS = (1, 2, 4, 8, 16, 64, 256, 1_000, 10_000)


@dataclass(frozen=True)
class Hardware:
    """The numbers of a machine, and where they come from.

    Args:
      name: for tables.
      flops: floating-point operations a second of one replica.
      bandwidth: bytes a second of one link, in each direction.
      latency: seconds that a message costs the task that waits for it.
      overhead: seconds that a step costs besides.
      cores: how many replicas compute at the same time; the others wait. None: each has its own.
      jitter: by what part of its time a replica is now faster, now slower (standard deviation):
        who trains synchronously waits for the slowest.
      source: of the numbers.
    """

    name: str
    flops: float = math.inf
    bandwidth: float = math.inf
    latency: float = 0.0
    overhead: float = 0.0
    cores: int | None = None
    jitter: float = 0.0
    source: str = ""


@dataclass(frozen=True)
class Workload:
    """What one replica does in a step.

    Args:
      name: for tables.
      flops: floating-point operations for one example: forward, backward and update.
      nbytes: size of the gradients, which is that of the variables.
      batch: examples of one replica in one step.
      source: of the numbers.
    """

    name: str
    flops: float
    nbytes: float
    batch: int
    source: str = ""


@dataclass(frozen=True)
class Point:
    """Something that was measured.

    Args:
      kind: "ping", "pull", "compute", "training", ...
      seconds: how long it took.
      messages, bytes, flops, steps: how much there was of each.
      replicas: how many did the same at that time.
    """

    kind: str
    seconds: float
    messages: float = 0.0
    bytes: float = 0.0
    flops: float = 0.0
    steps: float = 0.0
    replicas: int = 1

    @property
    def counts(self) -> tuple[float, float, float, float]:
        """What the four unknowns are multiplied with."""
        return self.messages, self.bytes, self.flops, self.steps


#: Messages one after the other, and bytes through the busiest link, of one update by
#: (replicas, bytes, parameter servers).
TRAFFIC: dict[str, Callable[[int, float, int], tuple[float, float]]] = {
    "ring": lambda n, size, ps: (2 * (n - 1), 2 * (n - 1) / n * size),
    "tree": lambda n, size, ps: (2 * _levels(n), 2 * _levels(n) * size),
    "ps": lambda n, size, ps: (2 * max(n, ps), 2 * max(n / ps, 1.0) * size),
}

RESNET50 = Workload(
    "ResNet-50",
    flops=3 * 2 * 3.8e9,
    nbytes=4 * 25_636_712,
    batch=128,
    source="3.8e9 multiply-adds forward (He et al. 2015, table 1), twice as many backward; "
    "variables as tf.keras.applications.ResNet50 counts them",
)
IMAGENET = 1_281_167  # images, in one epoch
EPOCHS = 90
TALK = {1: 1_250.0, 8: 10_000.0}  # GPUs -> images a second
_TALK = "tf.distribute talk (TF World 2019)"

HARDWARE = {
    "v100": Hardware(
        "V100s of one machine",
        flops=TALK[1] * RESNET50.flops,
        bandwidth=150e9,
        latency=10e-6,
        source=f"flops: 1,250 images/s of ResNet-50 on one GPU, {_TALK}; bandwidth: NVLink 2, six "
        "links of 25 GB/s each way (NVIDIA's V100 data sheet); latency: assumed",
    ),
    "talk_87_hours": Hardware(
        "GPUs in a network",
        flops=EPOCHS * IMAGENET / (87 * 3600) * RESNET50.flops,
        bandwidth=12.5e9,
        latency=20e-6,
        source=f"flops: 90 epochs of ImageNet in 87 hours on one GPU, {_TALK}; bandwidth: Ethernet "
        "of 100 Gbit/s; latency: assumed",
    ),
    "classroom": Hardware(
        "laptops in a classroom",
        flops=100e9,
        bandwidth=125e6,
        latency=300e-6,
        overhead=100e-6,
        jitter=0.1,
        source="bandwidth: Ethernet of 1 Gbit/s; all others: assumed",
    ),
}


@dataclass(frozen=True)
class Prediction:
    """A step of a number of replicas.

    Attributes:
      method, replicas, ps: what it is about; "async" is a parameter server without waiting.
      compute, communication: seconds of each replica's step.
      images_per_second: of all replicas together.
      efficiency: the same as a part of what as many replicas would reach without communication.
      staleness: how many updates of others a gradient misses, on the average.
    """

    method: str
    replicas: int
    ps: int
    compute: float
    communication: float
    images_per_second: float
    efficiency: float
    staleness: float = 0.0

    @property
    def seconds(self) -> float:
        """From one step of a replica to its next."""
        return self.compute + self.communication


class CostModel:
    """Predicts how training scales.

    Args:
      hardware: the machine, or the name of one in `HARDWARE`.
      checked: points that it was not fitted to; what it says about them is its error.
    Example:
      >>> model = tf.cluster.CostModel("v100")
      >>> round(model.step(tf.cluster.RESNET50, 8).images_per_second)
      9871
    """

    def __init__(self, hardware: Hardware | str, checked: Iterable[Point] = ()):
        if isinstance(hardware, str):
            if hardware not in HARDWARE:
                known = ", ".join(HARDWARE)
                raise ValueError(f"No hardware is named {hardware!r}; known are {known}")
            hardware = HARDWARE[hardware]
        self.hardware = hardware
        self.checked = tuple(checked)

    @classmethod
    def fit(
        cls,
        points: Iterable[Point],
        check: str | None = None,
        name: str = "this machine",
        cores: int | None = None,
    ) -> CostModel:
        """Finds the machine's numbers from what was measured, by least squares.

        Each point counts by its relative error, so that microseconds count as much as seconds. No
        number comes out negative: what the points cannot tell from nothing is nothing.

        Args:
          points: of different kinds.
          check: the kind of points that is kept for the check; None for each third of every kind.
          name, cores: of the `Hardware`.
        Raises:
          ValueError: when there are fewer points than unknown numbers, or one took no time.
        """
        given = list(points)
        for point in given:
            if not (math.isfinite(point.seconds) and point.seconds > 0):
                raise ValueError(f"A measured point took {point.seconds} s: {point}")
        held = {id(p) for p in _held_out(given, check)}
        used = [p for p in given if id(p) not in held]
        counts = np.array([p.counts for p in used], float).reshape(len(used), 4)
        seconds = np.array([p.seconds for p in used])
        rates = _least_squares(counts / seconds[:, None])
        latency, per_byte, per_flop, overhead = (float(rate) for rate in rates)
        hardware = Hardware(
            name,
            flops=_inverse(per_flop),
            bandwidth=_inverse(per_byte),
            latency=latency,
            overhead=overhead,
            cores=cores,
            source=f"fitted to {len(used)} measured points",
        )
        return cls(hardware, [p for p in given if id(p) in held])

    def seconds(self, point: Point) -> float:
        """How long the model thinks that a point takes."""
        here = self.hardware
        rates = (here.latency, 1 / here.bandwidth, 1 / here.flops, here.overhead)
        return sum(count * rate for count, rate in zip(point.counts, rates))

    def errors(self, points: Iterable[Point] | None = None) -> list[float]:
        """By what part of the measured time the model is off, point by point.

        Args:
          points: those that it was not fitted to when None.
        """
        points = self.checked if points is None else points
        return [abs(self.seconds(point) / point.seconds - 1.0) for point in points]

    def step(
        self, workload: Workload, replicas: int, method: str = "ring", ps: int = 1
    ) -> Prediction:
        """Predicts a training step.

        Args:
          workload: what each replica does.
          replicas: how many there are.
          method: "ring", "tree" or "ps", where all wait for each other; or "async".
          ps: number of parameter servers, each with an equal part of the variables.
        Raises:
          ValueError: when there is no such method, or nobody to do it.
        """
        if replicas < 1 or ps < 1:
            raise ValueError(f"{replicas} replicas and {ps} parameter servers cannot train")
        here = self.hardware
        crowd = max(1.0, replicas / here.cores) if here.cores else 1.0
        alone = workload.batch * workload.flops / here.flops
        compute = crowd * alone + here.overhead
        stale = 0.0
        if method == "async":
            own = self._transfer(*TRAFFIC["ps"](1, workload.nbytes, ps))
            # A server answers one after the other; the pull of one passes the push of another.
            served = self._transfer(2.0, workload.nbytes / ps)
            communication = max(own, replicas * served - compute)
            stale = replicas - 1.0
        elif method in TRAFFIC:
            compute += crowd * alone * here.jitter * math.sqrt(2 * math.log(replicas))
            communication = self._transfer(*TRAFFIC[method](replicas, workload.nbytes, ps))
        else:
            known = ", ".join((*TRAFFIC, "async"))
            raise ValueError(f"No method is named {method!r}; known are {known}")
        rate = replicas * workload.batch / (compute + communication)
        ideal = replicas * workload.batch / (alone + here.overhead)
        return Prediction(method, replicas, ps, compute, communication, rate, rate / ideal, stale)

    def scaling(
        self,
        workload: Workload,
        replicas: Sequence[int] = REPLICAS,
        methods: Sequence[str] = ("ring", "tree", "ps", "async"),
        ps: int = 1,
        beside: Mapping[str, Mapping[int, float]] | None = None,
    ) -> Scaling:
        """Predicts how images a second grow with the replicas.

        Args:
          workload, methods, ps: as of `step`.
          replicas: the numbers of replicas.
          beside: further columns: {title: {replicas: images a second}}, as of what was measured.
        """
        rows = {m: [self.step(workload, n, m, ps) for n in replicas] for m in methods}
        return Scaling(self, workload, tuple(replicas), ps, rows, dict(beside or {}))

    def _transfer(self, messages: float, nbytes: float) -> float:
        return messages * self.hardware.latency + nbytes / self.hardware.bandwidth

    def __repr__(self) -> str:
        here = self.hardware
        numbers = (
            f"{_short(here.flops)}flop/s, {_short(here.bandwidth)}B/s, "
            f"{here.latency * 1e6:.3g} µs a message, {here.overhead * 1e6:.3g} µs a step"
        )
        text = f"CostModel of {here.name}: {numbers} ({here.source}"
        errors = self.errors()
        if errors:
            text += (
                f"; on {len(errors)} others it is off by {median(errors):.0%}, "
                f"at most by {max(errors):.0%}"
            )
        return text + ")"


@dataclass(frozen=True)
class Scaling:
    """A table of predictions: prints as text, and in a notebook as a table.

    Attributes:
      model, workload, replicas, ps: what it is about.
      predictions: for each method one of each number of replicas.
      beside: further columns of images a second.
    """

    model: CostModel
    workload: Workload
    replicas: tuple[int, ...]
    ps: int
    predictions: dict[str, list[Prediction]]
    beside: dict[str, Mapping[int, float]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What the table shows."""
        servers = f", {self.ps} ps" if {"ps", "async"} & self.predictions.keys() else ""
        return (
            f"{self.workload.name}, batch {self.workload.batch} a replica{servers}: "
            "images/s, and the share of linear scaling"
        )

    def rows(self) -> list[list[str]]:
        """The cells as texts, the headings first."""
        rows = [["replicas", *self.predictions, *self.beside]]
        for i, n in enumerate(self.replicas):
            cells = [each[i] for each in self.predictions.values()]
            known = [column.get(n) for column in self.beside.values()]
            rows.append(
                [
                    f"{n:,}",
                    *(f"{c.images_per_second:,.0f} {c.efficiency:4.0%}" for c in cells),
                    *("" if rate is None else f"{rate:,.0f}" for rate in known),
                ]
            )
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([self.title, *lines, repr(self.model)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self.rows()
        lines = [_html_row("th", head), *(_html_row("td", row) for row in body)]
        above, below = html.escape(self.title), html.escape(repr(self.model))
        return f"<div>{above}</div><table>{''.join(lines)}</table><div>{below}</div>"


def talk_scaling(batch: int = RESNET50.batch) -> Scaling:
    """ResNet-50 on the GPUs of one machine, predicted beside the talk's figures."""
    workload = replace(RESNET50, batch=batch)
    return CostModel("v100").scaling(workload, (1, 2, 4, 8), beside={"the talk": TALK})


def _levels(replicas: int) -> int:
    return math.ceil(math.log2(replicas))


def _held_out(points: list[Point], check: str | None) -> list[Point]:
    if check is not None:
        return [p for p in points if p.kind == check]
    kinds = dict.fromkeys(p.kind for p in points)
    return [p for kind in kinds for p in [q for q in points if q.kind == kind][2::3]]


def _least_squares(rows: np.ndarray) -> np.ndarray:
    """The rates >= 0 with which every row comes closest to 1."""
    active = [i for i in range(rows.shape[1]) if rows[:, i].any()]
    if len(rows) < len(active) or not active:
        raise ValueError(
            f"{len(rows)} points cannot tell {max(len(active), 1)} numbers: measure more of them"
        )
    rates = np.zeros(rows.shape[1])
    while active:
        scale = rows[:, active].max(axis=0)
        found = np.linalg.lstsq(rows[:, active] / scale, np.ones(len(rows)), rcond=None)[0]
        if (found >= 0).all():
            rates[active] = found / scale
            break
        del active[int(found.argmin())]
    return rates


def _inverse(rate: float) -> float:
    return 1.0 / rate if rate else math.inf


def _short(number: float) -> str:
    """A number with three digits and a letter for its thousands: 1.25e9 -> "1.25 G"."""
    for letter, size in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if 0.9995 * size <= number < math.inf:  # 999.7 M would print as 1e+03
            return f"{number / size:.3g} {letter}"
    return f"{number:.3g} "


def _html_row(tag: str, cells: Sequence[str]) -> str:
    style = " style='text-align:right'"
    inner = "".join(f"<{tag}{style}>{html.escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"
