"""LSTM cells of `tf.contrib.rnn` for speech: they go over time, and at each time over frequencies.

    TimeFreqLSTMCell            one cell; each band of frequencies also sees the output of the last
    GridLSTMCell                two cells, one along time, one along the frequencies
    BidirectionalGridLSTMCell   the same, and once more down the frequencies

Li, Mohamed, Zweig and Gong (2015), "LSTM time and frequency recurrence for automatic speech
recognition"; Kalchbrenner, Danihelka and Graves (2015), "Grid long short-term memory".
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from minitf.compat.contrib.gated_cells import depth_of, sharded
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_padding import pad
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import sigmoid, tanh
from minitf.core.variables.initializers import Zeros
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.layers.rnn.cells import RNNCell, clipped, peeping
from minitf.library.layers.rnn.loops import size_of
from minitf.library.nets.basics import bias_add


class _Bands(RNNCell):
    """A cell that looks at bands of the features, one after the other.

    Args:
      num_units: the size of the output of each band.
      use_peepholes: whether the gates see c as well.
      cell_clip: a limit for the values of c.
      forget_bias: added to the forget gate, so that a new cell remembers.
      num_unit_shards: as how many variables the matrices are kept.
      feature_size, frequency_skip: how wide a band is, and how far it is to the next.
      reuse: whether variables must exist already.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool, cell_clip: float | None, num_unit_shards: int,
        forget_bias: float, feature_size: Any, frequency_skip: Any, reuse: bool | None,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._cell_clip, self._shards, self._forget_bias = cell_clip, num_unit_shards, forget_bias
        self._width, self._skip = feature_size, frequency_skip

    def _bands(self, inputs: Tensor, start: int, size: int) -> list[Tensor]:
        count = int((size - self._width) / self._skip) + 1
        places = (start + n * self._skip for n in range(count))
        return [inputs[:, place : place + self._width] for place in places]

    def _matrix(self, x: Tensor, columns: int, name: str) -> tuple[Any, Any]:
        """The weights and the bias of gates that see a band and two outputs."""
        rows = x.shape[1].value + 2 * self._num_units
        weights = sharded(name.format("W"), [rows, columns], x.dtype, self._shards)
        return weights, get_variable(name.format("B"), [columns], x.dtype, Zeros())

    def _empty(self, x: Tensor) -> Tensor:
        return zeros([size_of([x], 0), self._num_units], x.dtype)


class TimeFreqLSTMCell(_Bands):
    """An LSTM over bands of frequencies; see `LSTMCell`. Its state is one tensor."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False, cell_clip: float | None = None,
        initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
        feature_size: int | None = None, frequency_skip: int = 1, reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, use_peepholes, cell_clip, num_unit_shards, forget_bias, feature_size,
            frequency_skip, reuse,
        )  # fmt: skip

    @property
    def state_size(self) -> int:
        """Of c and h together."""
        return 2 * self._num_units

    @property
    def output_size(self) -> int:
        """The size of the output of each band."""
        return self._num_units

    def call(self, inputs: Tensor, state: Tensor) -> Any:
        """One step."""
        bands, units = self._bands(inputs, 0, depth_of(inputs)), self._num_units
        weights, bias = self._matrix(bands[0], 4 * units, "{}")
        seen: dict[str, Any] = {
            gate: get_variable(f"W_{gate.upper()}_diag", [units], inputs.dtype)
            for gate in ("fio" if self._use_peepholes else "")
        }
        last, states, outputs = self._empty(inputs), [], []
        for n, x in enumerate(bands):
            c, h = (state[:, part * units : (part + 1) * units] for part in (2 * n, 2 * n + 1))
            gates = bias_add(matmul(concat([x, h, last], 1), weights), bias)
            i, j, f, o = split(gates, 4, axis=1)
            forget = sigmoid(peeping(f + self._forget_bias, seen.get("f"), c))
            new_c = forget * c + sigmoid(peeping(i, seen.get("i"), c)) * tanh(j)
            new_c = clipped(new_c, self._cell_clip)
            last = sigmoid(peeping(o, seen.get("o"), new_c)) * tanh(new_c)
            states += [new_c, last]
            outputs.append(last)
        return concat(outputs, 1), concat(states, 1)


class GridLSTMCell(_Bands):
    """LSTMs along time and along the frequencies, which see each other.

    Args:
      share_time_frequency_weights: whether both have the same weights.
      num_frequency_blocks: how many bands each block of frequencies has.
      start_freqindex_list, end_freqindex_list: where the blocks begin and end; without, there is
        one block of all.
      couple_input_forget_gates: whether it forgets as much as it takes in.
      state_is_tuple: whether the state is a tuple, or one tensor.

    The other arguments are those of `TimeFreqLSTMCell`.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False,
        share_time_frequency_weights: bool = False, cell_clip: float | None = None,
        initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
        feature_size: int | None = None, frequency_skip: int | None = None,
        num_frequency_blocks: Any = None, start_freqindex_list: Any = None,
        end_freqindex_list: Any = None, couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True, reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, use_peepholes, cell_clip, num_unit_shards, forget_bias, feature_size,
            frequency_skip, reuse,
        )  # fmt: skip
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._shared, self._coupled = share_time_frequency_weights, couple_input_forget_gates
        self._counts, self._is_tuple = [int(n) for n in num_frequency_blocks], state_is_tuple
        self._blocks = (start_freqindex_list, end_freqindex_list)
        self._directions: tuple[str, ...] = ("",)
        self._tuple_type = self._state_type("GridLSTMStateTuple")

    def _state_type(self, name: str) -> Any:
        fields = [
            f"{direction}state_f{band:02d}_b{block:02d}_{part}"
            for direction in self._directions
            for block, count in enumerate(self._counts)
            for band in range(count)
            for part in "cm"
        ]
        return namedtuple(name, fields)  # its fields are known only now

    @property
    def state_tuple_type(self) -> Any:
        """The named tuple of a state; None when it is one tensor."""
        return self._tuple_type if self._is_tuple else None

    @property
    def state_size(self) -> Any:
        """The sizes of c and m of each band."""
        sizes = self._tuple_type(*[self._num_units] * len(self._tuple_type._fields))
        return sizes if self._is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """Two outputs for each band."""
        return self._num_units * len(self._tuple_type._fields)

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        outputs: list[Tensor] = []
        states: list[Tensor] = []
        for block, bands in enumerate(self._all_bands(inputs)):
            self._along(bands, block, state, "", outputs, states)
        kept = self._tuple_type(*states) if self._is_tuple else concat(states, 1)
        return concat(outputs, 1), kept

    def _all_bands(self, inputs: Tensor, offset: int = 0) -> list[list[Tensor]]:
        size, (starts, ends) = depth_of(inputs), self._blocks
        if offset:
            inputs = pad(inputs, [[0, 0], [max(-offset, 0), max(offset, 0)]])
        shift = max(offset, 0)
        starts, ends = ([0], [size]) if not starts else (starts, ends)
        if not len(starts) == len(ends) == len(self._counts):
            raise ValueError(
                "Length of num_frequency_blocks, start_freqindex_list and end_freqindex_list must "
                f"be the same: {len(self._counts)}, {len(starts)}, {len(ends)}"
            )
        blocks = [
            self._bands(inputs, start + shift, end - start)
            for start, end in zip(starts, ends, strict=True)
        ]
        for bands, count in zip(blocks, self._counts, strict=True):
            if len(bands) != count:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {count} but gets {len(bands)}, "
                    "please check the input size and filter config are correct."
                )
        return blocks

    def _along(
        self, bands: list[Tensor], block: int, state: Any, direction: str, outputs: list,
        states: list,
    ) -> None:  # fmt: skip
        """Goes over the bands of a block; adds to the outputs and the states."""
        units, letters = self._num_units, "ijo" if self._coupled else "ijfo"
        kinds = ("freq",) if self._shared else ("freq", "time")
        matrices = {
            kind: self._matrix(bands[0], len(letters) * units, f"{{}}_{kind[0]}_{block}")
            for kind in kinds
        }
        seen = {
            (kind, gate, of): get_variable(
                f"W_{gate.upper()}_diag_{kind}{of}_{block}", [units], bands[0].dtype
            )
            for kind in (kinds if self._use_peepholes else ())
            for gate in ("io" if self._coupled else "fio")
            for of in "ft"
        }
        h = {"freq": self._empty(bands[0])}
        c = {"freq": self._empty(bands[0])}
        for n, x in enumerate(bands):
            if self._is_tuple:
                place = f"{direction}state_f{n:02d}_b{block:02d}_"
                c["time"], h["time"] = (getattr(state, place + part) for part in "cm")
            else:
                c["time"], h["time"] = (
                    state[:, part * units : (part + 1) * units] for part in (2 * n, 2 * n + 1)
                )
            joined = concat([x, h["time"], h["freq"]], 1)
            gates = {
                kind: dict(
                    zip(letters, split(bias_add(matmul(joined, w), b), len(letters), axis=1),
                        strict=True)
                )
                for kind, (w, b) in matrices.items()
            }  # fmt: skip

            def seeing(kind: str, gate: str, memory: dict, bias: float = 0.0, own: Any = gates):
                value = own[kind][gate] + bias
                value = peeping(value, seen.get((kind, gate, "f")), memory["freq"])
                return sigmoid(peeping(value, seen.get((kind, gate, "t")), memory["time"]))

            new_c, new_h = {}, {}
            for name in ("freq", "time"):
                kind = "freq" if self._shared else name
                take = seeing(kind, "i", c)
                forget = 1.0 - take if self._coupled else seeing(kind, "f", c, self._forget_bias)
                kept = forget * c[name] + take * tanh(gates[kind]["j"])
                new_c[name] = clipped(kept, self._cell_clip)
            for name in ("freq", "time"):
                kind = "freq" if self._shared else name
                new_h[name] = seeing(kind, "o", new_c) * tanh(new_c[name])
            c, h = new_c, new_h
            outputs += [h["time"], h["freq"]]
            states += [c["time"], h["time"]]


class BidirectionalGridLSTMCell(GridLSTMCell):
    """`GridLSTMCell` up the frequencies, and another down.

    Args:
      backward_slice_offset: how far the bands of the way down are shifted.

    The other arguments are those of `GridLSTMCell`.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False,
        share_time_frequency_weights: bool = False, cell_clip: float | None = None,
        initializer: Any = None, num_unit_shards: int = 1, forget_bias: float = 1.0,
        feature_size: int | None = None, frequency_skip: int | None = None,
        num_frequency_blocks: Any = None, start_freqindex_list: Any = None,
        end_freqindex_list: Any = None, couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0, reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, use_peepholes, share_time_frequency_weights, cell_clip, initializer,
            num_unit_shards, forget_bias, feature_size, frequency_skip, num_frequency_blocks,
            start_freqindex_list, end_freqindex_list, couple_input_forget_gates, True, reuse,
        )  # fmt: skip
        self._offset = int(backward_slice_offset)
        self._directions = ("fwd_", "bwd_")
        self._tuple_type = self._state_type("BidirectionalGridLSTMStateTuple")

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        outputs: list[Tensor] = []
        states: list[Tensor] = []
        for direction in self._directions:
            down = direction == "bwd_"
            with variable_scope(direction.rstrip("_")):
                for block, bands in enumerate(self._all_bands(inputs, self._offset * down)):
                    ordered = bands[::-1] if down else bands
                    self._along(ordered, block, state, direction, outputs, states)
        return concat(outputs, 1), self._tuple_type(*states)
