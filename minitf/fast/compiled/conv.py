"""Convolution without unfolding: sums stay in registers while a loop walks over their windows.

    an image with its margins         eight outputs, 32 features of each, and
    . . . . . .    x[here + there]    what all of them see of one tap after the other:
    . x x x x .  ─────────────────>   y[i, :] += x[here[i] + there[t]] * w[t, :]
    . x x x x .

`here` says where windows begin and `there` how far away their elements are. The gradient by the
filter is the same loop with the two lists exchanged, and `dy` in place of `w`. Taps that meet only
margins are left out, line by line.

Pooling is done while the outputs are there, and its gradient is spread just before it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import llvmlite.binding
import numpy as np

from minitf.core.kernels.threads import split
from minitf.fast.compiled._blas import clear, copy
from minitf.fast.compiled._lanes import WIDTH, _all, _first, _masked
from minitf.fast.compiled._loops import cgutils, in_parts, intrinsic, ir, loop, types
from minitf.fast.compiled._windows import MOST
from minitf.fast.kernels import conv_pool
from minitf.library.nets import conv_ops as conv
from minitf.library.nets.windows import Axis

_X = "const(float32[:,:,:,::1])"  # images, channels last
_W = "const(float32[:,:,::1])"  # the filter as matrices [window * channels, some of the features]
_DW = "float32[:,::1]"  # its gradient
_Y = "float32[:,:,::1]"  # [images, outputs, features]
_DY = f"const({_Y})"
_BEST = "uint8[:,:,::1]"  # which element of its window won
_WON = f"const({_BEST})"
_AXES = "const(int64[:,::1])"  # of each axis: size, window, stride, dilation, before, outputs, ...
_PLACES = "const(int64[::1])"  # where windows begin, where their elements are: as `_Plan` has them
_FLOAT = np.dtype(np.float32)
_SIZE, _WINDOW, _STRIDE, _DILATION, _BEFORE, _OUTPUTS, _PADDED = range(7)

_TALL, _WIDE = 8, 2  # outputs, and registers of features, of a tile: half of what AVX-512 has
if not llvmlite.binding.get_host_cpu_features().get("avx512f"):
    _TALL, _WIDE = 6, 1  # sixteen lanes are two registers there, of sixteen
_PIECE = 5_000_000  # products: about 50 us
_TOGETHER = 1 << 17  # numbers of images with margins that wait for their part in a gradient
_CACHED = 1 << 17  # numbers of a filter that all outputs meet as a whole
_BLOCK = 2 * WIDTH  # features of a part of a larger one
_OF_A_TAP = 1 << 11  # outputs after which a loop turns to the next elements of the filter
_POOLED = 1 << 15  # outputs that are pooled at a time


def _tile(wide: int, whole: bool) -> Any:
    """A loop over the elements of a window with `_TALL` x `wide` registers of sums.

    Args:
      wide: how many registers.
      whole: whether there are columns for all of their lanes.
    """

    @intrinsic
    def tile(
        typing_context: Any,
        x: Any,
        here: Any,
        rows: Any,
        there: Any,
        count: Any,
        w: Any,
        line: Any,
        y: Any,
        row: Any,
        columns: Any,
        more: Any,
    ) -> Any:
        """y[i, :columns] = the sum over t of x[here[i] + there[t]] * w[t, :columns].

        i is in range(rows), t in range(count). x, here, there, w and y are addresses; `line` and
        `row` are how many numbers a line of w and one of y has. With `more` it is added to y.
        """

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind, number = ir.VectorType(ir.FloatType(), WIDTH), ir.IntType(64)
            x, here, rows, there, count, w, line, y, row, columns, more = args

            def at(base: Any, place: Any, what: Any) -> Any:
                far = builder.mul(place, number(8 if what is number else 4))
                return builder.inttoptr(builder.add(base, far), what.as_pointer())

            def touch(name: str, start: Any, part: int, *value: Any) -> Any:
                """Loads or stores those columns of a line that there are."""
                place, align = at(start, number(WIDTH * part), kind), ir.IntType(32)(4)
                if whole:
                    if value:
                        return builder.store(*value, place, align=4)
                    return builder.load(place, align=4)
                given = [*value, place, align, valid[part]]
                given += [] if value else [ir.Constant(kind, None)]
                result = ir.VoidType() if value else kind
                function = _masked(builder, name, result, [each.type for each in given])
                return builder.call(function, given)

            def start(base: Any, place: Any, size: Any) -> Any:
                return builder.add(base, builder.mul(builder.mul(place, size), number(4)))

            valid = [
                _first(builder, builder.sub(columns, number(WIDTH * part))) for part in range(wide)
            ]
            starts, tile = [], []
            for i in range(_TALL):
                first = builder.load(at(here, number(i), number))
                starts.append(builder.add(x, builder.mul(first, number(4))))
                for part in range(wide):
                    total = cgutils.alloca_once_value(builder, ir.Constant(kind, None))
                    tile.append((i, part, total))
            with builder.if_then(builder.icmp_signed("!=", more, number(0))):
                for i, part, total in tile:
                    with builder.if_then(builder.icmp_signed(">", rows, number(i))):
                        builder.store(touch("load", start(y, number(i), row), part), total)
            with cgutils.for_range(builder, count) as loop:
                weights = start(w, loop.index, line)
                loaded = [touch("load", weights, part) for part in range(wide)]
                place = builder.load(at(there, loop.index, number))
                for i, part, total in tile:
                    value = _all(builder, builder.load(at(starts[i], place, ir.FloatType())))
                    product = builder.fmul(value, loaded[part], flags=("contract",))
                    new = builder.fadd(builder.load(total), product, flags=("contract",))
                    builder.store(new, total)
            for i, part, total in tile:
                with builder.if_then(builder.icmp_signed(">", rows, number(i))):
                    touch("store", start(y, number(i), row), part, builder.load(total))
            return context.get_dummy_value()

        return types.void(*[types.intp] * 11), code

    return tile


_whole, _rest = _tile(_WIDE, True), _tile(1, False)


@loop()
def _strip(x, here, rows, there, count, w, line, y, row, columns, more):  # type: ignore[no-untyped-def]
    """As `_tile`, of as many columns as there are."""
    at = 0
    while columns - at >= _WIDE * WIDTH:
        far = 4 * at
        _whole(x, here, rows, there, count, w + far, line, y + far, row, columns - at, more)
        at += _WIDE * WIDTH
    while columns > at:
        far = 4 * at
        _rest(x, here, rows, there, count, w + far, line, y + far, row, columns - at, more)
        at += WIDTH


@loop()
def _near(first, last, step, apart, count, rows):  # type: ignore[no-untyped-def]
    """Which of `count` places, `apart`, bring any of the places first to last into the image.

    The places are `step` apart, `rows` are the first row of the image and the one behind the last.
    """
    low = max(0, -((last * step - rows[0]) // apart))
    return low, max(low, min(count, (rows[1] - 1 - first * step) // apart + 1))


@loop(f"void({_X}, intp, {_AXES}, intp)")
def _pad(x, n, axes, to):  # type: ignore[no-untyped-def]
    """Copies an image to the address `to`, with its margins."""
    height, width, channels = x.shape[1:]
    before, padded = axes[1, _BEFORE] * channels, axes[1, _PADDED] * channels
    line = width * channels
    for row in range(-axes[0, _BEFORE], axes[0, _PADDED] - axes[0, _BEFORE]):
        if row < 0 or row >= height:
            clear(to, padded)
        else:
            clear(to, before)
            copy(to + 4 * before, x.ctypes.data + 4 * (n * height + row) * line, line)
            clear(to + 4 * (before + line), padded - before - line)
        to += 4 * padded


@loop(f"void(intp, {_PLACES}, {_PLACES}, intp, intp, {_W}, intp, intp, {_AXES})")
def _outputs(image, here, there, first, count, w, target, features, axes):  # type: ignore[no-untyped-def]
    """Writes the outputs [first, first + count) of a padded image to the address `target`."""
    across, (blocks, depth, wide) = axes[1, _OUTPUTS], w.shape
    line = depth // axes[0, _WINDOW]
    rows = axes[0, _BEFORE], axes[0, _BEFORE] + axes[0, _SIZE]
    for block in range(blocks):
        column, start = block * wide, w.ctypes.data + 4 * block * depth * wide
        for p in range(first, first + count, _TALL):
            many = min(_TALL, first + count - p)
            low, high = _near(
                *(p // across, (p + many - 1) // across, axes[0, _STRIDE]),
                *(axes[0, _DILATION], axes[0, _WINDOW], rows),
            )
            _strip(
                *(image, here.ctypes.data + 8 * p, many),
                *(there.ctypes.data + 8 * low * line, (high - low) * line),
                *(start + 4 * low * line * wide, wide),
                *(target + 4 * ((p - first) * features + column), features),
                *(min(wide, features - column), 0),
            )


@loop(f"void({_X}, {_W}, {_Y}, {_AXES}, {_PLACES}, {_PLACES})")
def _convolve(x, w, y, axes, here, there):  # type: ignore[no-untyped-def]
    image = np.empty(axes[0, _PADDED] * axes[1, _PADDED] * x.shape[3], np.float32)
    size = 4 * y.shape[1] * y.shape[2]
    for n in range(x.shape[0]):
        _pad(x, n, axes, image.ctypes.data)
        target = y.ctypes.data + n * size
        _outputs(image.ctypes.data, here, there, 0, y.shape[1], w, target, y.shape[2], axes)


@loop(f"void(intp, intp, intp, {_PLACES}, {_PLACES}, intp, intp, intp, intp, {_DW}, {_AXES})")
def _add_gradient(images, many, size, here, there, first, count, dy, step, dw, axes):  # type: ignore[no-untyped-def]
    """Adds to `dw` what the outputs [first, first + count) of some padded images have to say.

    Their gradients lie at `dy`; `size` and `step` are how far one image, and one image's gradients,
    lie from the next.
    """
    across, features = axes[1, _OUTPUTS], dw.shape[1]
    line = dw.shape[0] // axes[0, _WINDOW]
    rows = axes[0, _BEFORE], axes[0, _BEFORE] + axes[0, _SIZE]
    for tap in range(0, dw.shape[0], _TALL):
        tall = min(_TALL, dw.shape[0] - tap)
        low, high = _near(
            *(tap // line, (tap + tall - 1) // line, axes[0, _DILATION]),
            *(axes[0, _STRIDE], axes[0, _OUTPUTS], rows),
        )
        low, high = max(low * across, first), min(high * across, first + count)
        for n in range(many):
            _strip(
                *(images + n * size, there.ctypes.data + 8 * tap, tall),
                *(here.ctypes.data + 8 * low, max(0, high - low)),
                *(dy + n * step + 4 * (low - first) * features, features),
                *(dw.ctypes.data + 4 * tap * features, features, features, 1),
            )


@loop(f"void({_X}, {_DY}, {_DW}, {_AXES}, {_PLACES}, {_PLACES})")
def _filter_gradient(x, dy, dw, axes, here, there):  # type: ignore[no-untyped-def]
    size = axes[0, _PADDED] * axes[1, _PADDED] * x.shape[3]
    most = max(1, min(_TOGETHER // max(1, size), 1 + _OF_A_TAP // dy.shape[1]))
    images = np.empty((most, size), np.float32)
    step = 4 * dy.shape[1] * dy.shape[2]
    for n in range(0, x.shape[0], most):
        many = min(most, x.shape[0] - n)
        for i in range(many):
            _pad(x, n + i, axes, images.ctypes.data + 4 * i * size)
        given = dy.ctypes.data + n * step
        _add_gradient(
            *(images.ctypes.data, many, 4 * size, here, there, 0, dy.shape[1], given, step),
            *(dw, axes),
        )


# ---- with the pooling that follows ---------------------------------------------------------


@loop("void(float32[:,::1], intp, intp, intp, intp, float32[:,::1], uint8[:,::1], intp)")
def _pick(lines, across, high, wide, many, best, winner, first):  # type: ignore[no-untyped-def]
    """The largest of each window of `high` x `wide` outputs, for one row of windows."""
    features = lines.shape[1]
    for j in range(many):
        to, corner = first + j, j * wide
        if high == 2 and wide == 2:  # all four at once: what nearly every network does
            for c in range(features):
                m, t = lines[corner, c], 0
                v = lines[corner + 1, c]
                more = (not v <= m) and m == m
                m, t = v if more else m, 1 if more else t
                v = lines[corner + across, c]
                more = (not v <= m) and m == m
                m, t = v if more else m, 2 if more else t
                v = lines[corner + across + 1, c]
                more = (not v <= m) and m == m
                best[to, c], winner[to, c] = v if more else m, 3 if more else t
            continue
        for c in range(features):
            best[to, c], winner[to, c] = lines[corner, c], 0
        for tap in range(1, high * wide):
            at = corner + tap // wide * across + tap % wide
            for c in range(features):
                v, m = lines[at, c], best[to, c]
                more = (not v <= m) and m == m
                best[to, c] = v if more else m
                winner[to, c] = tap if more else winner[to, c]


@loop(f"void({_X}, {_W}, {_Y}, {_BEST}, {_AXES}, intp[::1], {_PLACES}, {_PLACES})")
def _convolve_and_pool(x, w, y, winners, axes, pool, here, there):  # type: ignore[no-untyped-def]
    features, across = y.shape[2], axes[1, _OUTPUTS]
    many = across // pool[1]
    lines = axes[0, _OUTPUTS] // pool[0]
    group = max(1, min(lines, _POOLED // max(1, pool[0] * across * features)))
    image = np.empty(axes[0, _PADDED] * axes[1, _PADDED] * x.shape[3], np.float32)
    found = np.empty((group * pool[0] * across, features), np.float32)
    for n in range(x.shape[0]):
        _pad(x, n, axes, image.ctypes.data)
        for line in range(0, lines, group):
            rows = min(group, lines - line)
            first, count = line * pool[0] * across, rows * pool[0] * across
            target = found.ctypes.data
            _outputs(image.ctypes.data, here, there, first, count, w, target, features, axes)
            for i in range(rows):
                start = i * pool[0] * across
                _pick(
                    found[start : start + pool[0] * across],
                    *(across, pool[0], pool[1], many),
                    *(y[n], winners[n], (line + i) * many),
                )


@loop(f"void({_WON}, {_DY}, intp, intp, intp, {_AXES}, intp[::1], float32[:,::1])")
def _spread(winners, dy, n, line, rows, axes, pool, out):  # type: ignore[no-untyped-def]
    """The gradients of all outputs under some rows of windows: zero but for the winners'."""
    across, features, zero = axes[1, _OUTPUTS], out.shape[1], np.float32(0)
    high, wide = pool[0], pool[1]
    many = across // wide
    for i in range(rows):
        for j in range(many):
            window, corner = (line + i) * many + j, i * high * across + j * wide
            if high == 2 and wide == 2:
                below = corner + across
                for c in range(features):
                    g, t = dy[n, window, c], winners[n, window, c]
                    out[corner, c] = g if t == 0 else zero
                    out[corner + 1, c] = g if t == 1 else zero
                    out[below, c] = g if t == 2 else zero
                    out[below + 1, c] = g if t == 3 else zero
                continue
            for tap in range(high * wide):
                to = corner + tap // wide * across + tap % wide
                for c in range(features):
                    g, t = dy[n, window, c], winners[n, window, c]
                    out[to, c] = g if t == tap else zero
        for k in range(high):  # what fills no window
            for j in range(many * wide, across):
                out[(i * high + k) * across + j] = 0


@loop(f"void({_X}, {_WON}, {_DY}, {_DW}, {_AXES}, intp[::1], {_PLACES}, {_PLACES})")
def _pooled_filter_gradient(x, winners, dy, dw, axes, pool, here, there):  # type: ignore[no-untyped-def]
    features, across = dw.shape[1], axes[1, _OUTPUTS]
    lines = axes[0, _OUTPUTS] // pool[0]
    group = max(1, min(lines, _POOLED // max(1, pool[0] * across * features)))
    image = np.empty(axes[0, _PADDED] * axes[1, _PADDED] * x.shape[3], np.float32)
    spread = np.empty((group * pool[0] * across, features), np.float32)
    for n in range(x.shape[0]):
        _pad(x, n, axes, image.ctypes.data)
        for line in range(0, lines, group):
            rows = min(group, lines - line)
            first, count = line * pool[0] * across, rows * pool[0] * across
            _spread(winners, dy, n, line, rows, axes, pool, spread)
            _add_gradient(
                *(image.ctypes.data, 1, 0, here, there, first, count, spread.ctypes.data, 0),
                *(dw, axes),
            )


@loop(f"void({_WON}, {_DY}, {_Y}, {_AXES}, intp[::1])")
def _unpool(winners, dy, out, axes, pool):  # type: ignore[no-untyped-def]
    used = axes[0, _OUTPUTS] // pool[0] * pool[0] * axes[1, _OUTPUTS]
    for n in range(dy.shape[0]):
        _spread(winners, dy, n, 0, axes[0, _OUTPUTS] // pool[0], axes, pool, out[n, :used])
        out[n, used:] = 0


# ---- what they serve -----------------------------------------------------------------------


class _Plan(NamedTuple):
    """What the loops have to know of the windows.

    Attributes:
      table: the axes as the loops take them.
      here: where the windows begin in an image with margins; the last one as often as fills a tile.
      there: how far their elements are behind that, in the same way.
      depth: how many numbers a window holds.
      least: how many images make a piece for a thread.
      trivial: whether it is one product of matrices.
    """

    table: Any
    here: Any
    there: Any
    depth: int
    least: int
    trivial: bool


@lru_cache(maxsize=64)
def _plan(axes: tuple[Axis, Axis], channels: int, features: int) -> _Plan:
    line = axes[1].padded * channels
    steps = np.array([[line], [channels]])
    here = _places(steps * [[a.stride] for a in axes], [a.outputs for a in axes])
    there = _places(steps * [[a.dilation] for a in axes], [a.window for a in axes])
    there = (there[:, None] + np.arange(channels)).reshape(-1)
    return _Plan(
        np.array([(*a[:5], a.outputs, a.padded) for a in axes]),
        *(np.concatenate([places, places[-1:].repeat(_TALL)]) for places in (here, there)),
        len(there),
        1 + _PIECE // max(1, len(here) * len(there) * features),
        all(a.window == a.stride == 1 and a.size == a.padded == a.outputs for a in axes),
    )


def _places(steps: Any, counts: Sequence[int]) -> Any:
    """Where the elements of a grid lie."""
    return (np.indices(counts).reshape(2, -1) * steps).sum(axis=0)


class _Job:
    """One convolution, as the loops take it: or not, when `fits` is false.

    Args:
      x: [batch, rows, columns, channels].
      features: how many numbers each output has.
      axes: how the windows lie.
      other: one more array that must fit.
    """

    def __init__(self, x: Any, features: int, axes: Sequence[Axis], other: Any) -> None:
        self.fits = (
            len(axes) == 2
            and x.dtype == other.dtype == _FLOAT
            and x.size
            and other.size
            and axes[0].padded * axes[1].padded <= MOST
        )
        if self.fits:
            self.x = np.ascontiguousarray(x)
            plan = _plan(tuple(axes), x.shape[-1], features)
            self.axes, *self.places, self.depth, self.least, self.trivial = plan

    def summed(self, run: Any, shape: Sequence[int]) -> Any:
        """The sum of what `run(start, stop, dw)` adds to one array for each thread."""

        def piece(start: int, stop: int) -> Any:
            part = np.zeros((self.depth, shape[-1]), np.float32)
            run(start, stop, part)
            return part

        return sum(in_parts(piece, len(self.x), self.least)).reshape(shape)


def _blocks(w: Any) -> Any:
    """The filter as a matrix; as several ones for some features each, when it is a large one."""
    matrix = np.ascontiguousarray(w).reshape(-1, w.shape[-1])
    depth, features = matrix.shape
    if matrix.size <= _CACHED:
        return matrix[np.newaxis]
    blocks = np.zeros((-(-features // _BLOCK), depth, _BLOCK), np.float32)
    for start, block in zip(range(0, features, _BLOCK), blocks, strict=True):
        part = matrix[:, start : start + _BLOCK]
        block[:, : part.shape[1]] = part
    return blocks


def _listed(array: Any) -> Any:
    """Images as lists of outputs."""
    return np.ascontiguousarray(array).reshape(len(array), -1, array.shape[-1])


@conv.convolve.tier("numba")
def _(x: Any, w: Any, axes: Sequence[Axis]) -> Any:
    job = _Job(x, w.shape[-1], axes, w)
    if not job.fits or job.trivial:
        return NotImplemented
    y = np.empty((len(x), axes[0].outputs, axes[1].outputs, w.shape[-1]), np.float32)
    flat, matrix = _listed(y), _blocks(w)

    def run(start: int, stop: int) -> None:
        _convolve(job.x[start:stop], matrix, flat[start:stop], job.axes, *job.places)

    split(run, len(x), job.least)
    return y


@conv.filter_gradient.tier("numba")
def _(x: Any, dy: Any, axes: Sequence[Axis]) -> Any:
    job = _Job(x, dy.shape[-1], axes, dy)
    if not job.fits or job.trivial:
        return NotImplemented
    flat = _listed(dy)

    def run(start: int, stop: int, dw: Any) -> None:
        _filter_gradient(job.x[start:stop], flat[start:stop], dw, job.axes, *job.places)

    return job.summed(run, (axes[0].window, axes[1].window, x.shape[-1], dy.shape[-1]))


@conv_pool.convolve_and_pool.tier("numba")
def _(x: Any, w: Any, axes: Sequence[Axis], pool: Sequence[int], keep: bool = True) -> Any:
    job = _Job(x, w.shape[-1], axes, w)
    if not job.fits:
        return NotImplemented
    shape = (len(x), *(a.outputs // p for a, p in zip(axes, pool, strict=True)), w.shape[-1])
    y, winners = np.empty(shape, np.float32), np.empty(shape, np.uint8)
    flat = len(x), -1, w.shape[-1]
    best, won, matrix, window = y.reshape(flat), winners.reshape(flat), _blocks(w), np.array(pool)

    def run(start: int, stop: int) -> None:
        piece = slice(start, stop)
        _convolve_and_pool(
            job.x[piece], matrix, best[piece], won[piece], job.axes, window, *job.places
        )

    split(run, len(x), job.least)
    return y, winners


@conv_pool.pooled_filter_gradient.tier("numba")
def _(x: Any, winners: Any, dy: Any, axes: Sequence[Axis], pool: Sequence[int]) -> Any:
    job = _Job(x, dy.shape[-1], axes, dy)
    if not job.fits or winners.dtype != np.uint8:
        return NotImplemented
    given, won, window = _listed(dy), _listed(winners), np.array(pool)

    def run(start: int, stop: int, dw: Any) -> None:
        piece = slice(start, stop)
        _pooled_filter_gradient(
            job.x[piece], won[piece], given[piece], dw, job.axes, window, *job.places
        )

    return job.summed(run, (axes[0].window, axes[1].window, x.shape[-1], dy.shape[-1]))


@conv_pool.unpool.tier("numba")
def _(winners: Any, dy: Any, sizes: Sequence[int], pool: Sequence[int]) -> Any:
    if len(sizes) != 2 or dy.dtype != np.float32 or winners.dtype != np.uint8 or not dy.size:
        return NotImplemented
    out = np.empty((len(dy), *sizes, dy.shape[-1]), np.float32)
    given, won, flat, window = _listed(dy), _listed(winners), _listed(out), np.array(pool)
    axes = np.array([(0, 0, 0, 0, 0, n, n) for n in sizes])

    def run(start: int, stop: int) -> None:
        piece = slice(start, stop)
        _unpool(won[piece], given[piece], flat[piece], axes, window)

    split(run, len(dy), 1 + 100_000 // max(1, out[:1].size))
    return out
