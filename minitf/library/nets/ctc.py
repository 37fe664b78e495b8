"""Connectionist temporal classification: labels for sequences without saying when each is spoken.

A network gives for each moment the logits of all labels and of a blank, the last class. A path
chooses one class a moment; without its repetitions and then without its blanks it is a labelling:

    a a - b b -   ──>  a b            p(labelling) = sum over the paths that give it  (Graves 2006)

The sum runs over a table: the labelling with blanks around its labels, against time.
"""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_host
from minitf.core.ops.array import one_of
from minitf.core.ops.array_shaping import expand_dims, transpose
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import multiply

_NEVER = -np.inf


def _log_softmax(x: np.ndarray) -> np.ndarray:
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _targets(
    indices: np.ndarray, values: np.ndarray, lengths: np.ndarray, n: int, same: bool, longer: bool
) -> list[list[int]]:
    """The labels of each example, without those of `n` and above that fill it up at the end."""
    targets: list[list[int]] = []
    rows = indices[:, 0]
    for row, length in enumerate(lengths.tolist()):
        given = values[rows == row].tolist()
        if not given:
            raise invalid(f"Labels length is zero in batch {row}")
        labels = [label for label, _ in groupby(given)] if same else given
        target = list(takewhile(n.__gt__, labels))
        if any(label < n for label in labels[len(target) :]):
            raise invalid(
                "Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
                f"{row} num_classes: {n + 1} labels: {','.join(map(str, given))} labels seen so "
                f"far: {','.join(map(str, target))}"
            )
        if min(target, default=0) < 0:
            raise invalid(
                f"All labels must be nonnegative integers, batch: {row} labels: "
                f"{','.join(map(str, target))}"
            )
        if len(target) > length and not longer:
            raise invalid(
                f"Not enough time for target transition sequence (required: {len(target)}, "
                f"available: {length}){row}You can turn this error into a warning by using the "
                "flag ignore_longer_outputs_than_inputs"
            )
        targets.append(target)
    return targets


def _log_sum(terms: np.ndarray) -> np.ndarray:
    """The logarithm of the sum over the first axis of numbers that are given as logarithms."""
    largest = terms.max(axis=0)
    largest[largest == _NEVER] = 0
    with np.errstate(divide="ignore"):
        return largest + np.log(np.exp(terms - largest).sum(axis=0))


def _beginnings(emitted: np.ndarray, path: np.ndarray, blank: int, merge: bool) -> np.ndarray:
    """How probable it is, as a logarithm, to be at each place at each moment.

    Args:
      emitted: [time, batch, places]: the log-probability of what a place emits at a moment.
      path: [batch, places]: the class that it emits.
    """
    times, batch, width = emitted.shape
    stays = np.where(merge | (path == blank), 0, _NEVER)
    over_blank = (path[:, 2:] != blank) & ~(merge & (path[:, 2:] == path[:, :-2]))
    skips = np.pad(np.where(over_blank, 0, _NEVER), [(0, 0), (2, 0)])
    found = np.full((times, batch, 2 + width), _NEVER)  # two places more before the first one
    found[0, :, 2:4] = emitted[0, :, :2]
    ways = np.empty((3, batch, width))
    for t in range(1, times):
        before = found[t - 1]
        ways[0] = before[:, 2:] + stays
        ways[1] = before[:, 1:-1]
        ways[2] = before[:, :-2] + skips
        found[t, :, 2:] = _log_sum(ways) + emitted[t]
    return found[:, :, 2:]


def _posterior(
    log_p: np.ndarray, targets: list[list[int]], lengths: np.ndarray, merge: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The loss of each example, and how probable each class is at each moment, given the labels.

    Args:
      log_p: [time, batch, classes].
    """
    times, batch, classes = log_p.shape
    blank, width = classes - 1, 2 * max([1, *map(len, targets)]) + 1
    path = np.full((batch, width), blank)
    ends = np.array([2 * len(t) + 1 for t in targets])
    for row, target in enumerate(targets):
        path[row, 1 : 2 * len(target) : 2] = target
    rows = np.arange(batch)[:, None]
    t, place = np.arange(times)[:, None, None], np.arange(width)
    real = (t < lengths[:, None]) & (place < ends[:, None])
    emitted = np.where(real, log_p[t, rows, path], _NEVER)
    # the ends of paths are the beginnings of those that are read backwards
    back = lengths[:, None] - 1 - t, rows, ends[:, None] - 1 - place
    backwards = np.where(real, emitted[back], _NEVER)
    both = np.concatenate([emitted, backwards], 1), np.concatenate([path, path[back[1:]]])
    begins, finishes = np.split(_beginnings(*both, blank, merge), 2, axis=1)
    share = begins + finishes[back] - np.where(emitted == _NEVER, 0, emitted)
    total = _log_sum(share[0].T)
    possible = np.isfinite(total)
    share = np.exp(share - np.where(possible, total, 0)[:, None])
    classes_of = (path[:, :, None] == np.arange(classes)).astype(np.float64)
    return -total, np.swapaxes(np.swapaxes(share, 0, 1) @ classes_of, 0, 1)


@op(
    "CTCLoss",
    "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 -> loss: T, "
    "gradient: T",
    T=(dtypes.float32, dtypes.float64),
    no_samples="it can be derived once only; tests/core/ops/test_ctc.py compares with differences",
)
def ctc_loss_op(
    xp: Any,
    inputs: Any,
    labels_indices: Any,
    labels_values: Any,
    sequence_length: Any,
    *,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> tuple:
    """Gives for each example the negative logarithm of its labelling's probability."""
    host = [on_host(each) for each in (inputs, labels_indices, labels_values, sequence_length)]
    logits, indices, values, lengths = host
    times, batch, classes = logits.shape
    if lengths.size and lengths.max() > times:
        raise invalid(f"sequence_length(0) <= {times}")
    collapse, longer = preprocess_collapse_repeated, ignore_longer_outputs_than_inputs
    targets = _targets(indices, values, lengths, classes - 1, collapse, longer)
    log_p = _log_softmax(logits)
    loss, given = _posterior(log_p, targets, lengths, ctc_merge_repeated)
    gradient = np.exp(log_p) - given
    gradient[np.arange(times)[:, None] >= lengths] = 0
    hopeless = ~np.isfinite(loss)
    gradient[:, hopeless] = 0
    late = np.array([len(t) for t in targets]) > lengths
    loss[late] = 0
    return xp.asarray(loss.astype(logits.dtype)), xp.asarray(gradient.astype(logits.dtype))


@ctc_loss_op.shape
def _ctc_loss_shape(inputs: Any, indices: Any, values: Any, lengths: Any, **attrs: Any) -> list:
    sizes = inputs.shape.with_rank(3)
    batch = lengths.shape.with_rank(1)
    if sizes.ndims is not None:
        batch = batch.merge_with(sizes[1:2])
    return [batch, sizes]


@ctc_loss_op.gradient
def _ctc_loss_grad(op: Any, dloss: Any, dgradient: Any) -> list:
    if dgradient is not None:
        raise LookupError("The gradient of CTCLoss cannot be derived again.")
    return [multiply(op.outputs[1], expand_dims(expand_dims(dloss, 0), -1)), None, None, None]


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The negative logarithm of the probability that a network speaks the labels, whenever it does.

    Args:
      labels: an int32 `SparseTensor` [batch, most labels], each in [0, classes - 1).
      inputs: [time, batch, classes] float: logits; the last class is the blank. Also `logits`.
      sequence_length: [batch] int32: how many moments each example has.
      preprocess_collapse_repeated: whether equal neighbours among the labels count once.
      ctc_merge_repeated: whether equal neighbours in a path do.
      ignore_longer_outputs_than_inputs: whether an example that has more labels than time gives a
        loss of 0, instead of an error.
      time_major: False: the first two axes of `inputs` are [batch, time].
    Returns: [batch].
    Raises:
      TypeError: when the labels are not sparse.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            "Expected argument `labels` to be a SparseTensor. "
            f"Received labels={labels} of type: {type(labels).__name__}"
        )
    inputs = convert_to_tensor(one_of("logits", logits, "inputs", inputs))
    if not time_major:
        inputs = transpose(inputs, [1, 0, 2])
    options = {
        "preprocess_collapse_repeated": preprocess_collapse_repeated,
        "ctc_merge_repeated": ctc_merge_repeated,
        "ignore_longer_outputs_than_inputs": ignore_longer_outputs_than_inputs,
    }
    loss, _ = ctc_loss_op(inputs, labels.indices, labels.values, sequence_length, **options)
    return loss


# ---- decoders ----------------------------------------------------------------------------


def _without_repetitions(labels: list[int]) -> list[int]:
    return [c for i, c in enumerate(labels) if i == 0 or c != labels[i - 1]]


def _as_sparse(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists of labels as the three parts of a sparse matrix."""
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = [label for row in rows for label in row]
    widest = max((len(row) for row in rows), default=0)
    return (
        np.array(places, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(rows), widest], np.int64),
    )


def _spoken(**attrs: Any) -> Any:
    """A sample: logits of two examples, one shorter than the other."""
    return lambda rng: (rng.normal(size=(4, 2, 3)), np.array([4, 2], np.int32), attrs)


@op(
    "CTCGreedyDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, "
    "decoded_shape: int64, log_probability: T",
    T=(dtypes.float32, dtypes.float64),
    sized_by_values=True,
    differentiable=False,
    samples=[_spoken(), _spoken(merge_repeated=True)],
)
def ctc_greedy_decoder_op(
    xp: Any, inputs: Any, sequence_length: Any, *, merge_repeated: bool = False
) -> tuple:
    """Takes the most probable class of each moment."""
    logits, lengths = (on_host(each) for each in (inputs, sequence_length))
    blank, rows, scores = logits.shape[2] - 1, [], []
    for row, length in enumerate(lengths.tolist()):
        if length > len(logits):
            raise errors.FailedPreconditionError(
                None, None, f"sequence_length({row}) <= {len(logits)}"
            )
        path = logits[:length, row].argmax(axis=1).tolist()
        scores.append([-logits[:length, row].max(axis=1).sum()])
        kept = _without_repetitions(path) if merge_repeated else path
        rows.append([c for c in kept if c != blank])
    parts = (*_as_sparse(rows), np.array(scores, logits.dtype).reshape(-1, 1))
    return tuple(xp.asarray(part) for part in parts)


def _decoded_shapes(inputs: Any, lengths: Any, *, top_paths: int = 1, **attrs: Any) -> list:
    batch = lengths.shape.with_rank(1).as_list()[0] if lengths.shape.ndims == 1 else None
    inputs.shape.with_rank(3)
    n = top_paths
    shapes = [[None, 2]] * n + [[None]] * n + [[2]] * n + [[batch, n]]
    return [TensorShape(shape) for shape in shapes]


ctc_greedy_decoder_op.shape(_decoded_shapes)


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the path that is most probable at each moment.

    Args:
      inputs: [time, batch, classes] float: logits; the last class is the blank.
      sequence_length: [batch] int32.
      merge_repeated: whether equal neighbours in the path count once.
    Returns: a list of one `SparseTensor` [batch, most labels], and [batch, 1]: the sum of the
      negative largest logits.
    """
    indices, values, shape, score = ctc_greedy_decoder_op(
        inputs, sequence_length, merge_repeated=merge_repeated
    )
    return [SparseTensor(indices, values, shape)], score


def _beams(log_p: np.ndarray, width: int) -> list[tuple[list[int], float]]:
    """The most probable labellings of one example and their log-probabilities, the best first.

    A beam is a labelling so far, with the probability of its paths that end in a blank and of those
    that do not. Labellings are nodes of a tree: each is the node above it with one label more.
    """
    blank = log_p.shape[1] - 1
    node_of: dict[tuple[int, int], int] = {}
    nodes, above, last = [0], np.array([-1]), np.array([blank])  # the root has no last label
    ended, open_ = np.array([0.0]), np.array([_NEVER])
    for now in log_p:
        both = np.logaddexp(ended, open_)
        start = np.where(np.arange(blank + 1) == last[:, None], ended[:, None], both[:, None])
        grown = start + now
        ended, open_ = both + now[blank], open_ + now[last]
        row_of = {node: row for row, node in enumerate(nodes)}
        rows = np.array([row_of.get(node, -1) for node in above.tolist()])
        twice = rows >= 0  # beams that the one above grows to, too
        growth = rows[twice], last[twice]
        open_[twice] = np.logaddexp(open_[twice], grown[growth])
        grown[start == _NEVER] = np.nan  # no labelling, or no further one
        grown[growth] = np.nan
        grown[:, blank] = np.logaddexp(ended, open_)  # a beam without a new label
        best = np.argsort(-grown, axis=None, kind="stable")[:width]
        scores = grown.ravel()[best]
        best, scores = best[~np.isnan(scores)], scores[~np.isnan(scores)]
        rows, label = np.divmod(best, blank + 1)
        kept = label == blank
        ended = np.where(kept, ended[rows], _NEVER)
        open_ = np.where(kept, open_[rows], scores)
        below = np.array(nodes)[rows]
        nodes = [
            node if keeps else node_of.setdefault((node, new), len(node_of) + 1)
            for node, new, keeps in zip(below.tolist(), label.tolist(), kept.tolist())
        ]
        above = np.where(kept, above[rows], below)
        last = np.where(kept, last[rows], label)
    keys, scores = list(node_of), np.logaddexp(ended, open_).tolist()
    paths: list[list[int]] = [[] for _ in nodes]
    for node, path in zip(nodes, paths):
        while node:
            node, new = keys[node - 1]
            path.insert(0, new)
    return list(zip(paths, scores))


@op(
    "CTCBeamSearchDecoder",
    "inputs: T, sequence_length: int32 -> decoded_indices: top_paths*int64, "
    "decoded_values: top_paths*int64, decoded_shape: top_paths*int64, log_probability: T",
    T=(dtypes.float32, dtypes.float64),
    sized_by_values=True,
    differentiable=False,
    samples=[_spoken(beam_width=4, top_paths=2)],
)
def ctc_beam_search_decoder_op(
    xp: Any,
    inputs: Any,
    sequence_length: Any,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool = True,
) -> tuple:
    """Searches for the most probable labellings among `beam_width` at each moment."""
    logits, lengths = (on_host(each) for each in (inputs, sequence_length))
    log_p = _log_softmax(logits.astype(np.float64))
    scores = np.zeros((len(lengths), top_paths), logits.dtype)
    rows: list[list[list[int]]] = [[] for _ in range(top_paths)]
    for row, length in enumerate(lengths.tolist()):
        best = _beams(log_p[:length, row], beam_width)[:top_paths]
        if len(best) < top_paths:
            raise invalid("Less leaves in the beam search than requested.")
        for rank, (path, score) in enumerate(best):
            rows[rank].append(_without_repetitions(path) if merge_repeated else path)
            scores[row, rank] = score
    parts = [_as_sparse(of_rank) for of_rank in rows]
    lists = [[xp.asarray(part[i]) for part in parts] for i in range(3)]
    return (*lists[0], *lists[1], *lists[2], xp.asarray(scores))


ctc_beam_search_decoder_op.shape(_decoded_shapes)


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """The most probable labellings, which may each be the sum of many paths.

    Args:
      inputs: [time, batch, classes] float: logits; the last class is the blank.
      sequence_length: [batch] int32.
      beam_width: how many labellings are kept at each moment.
      top_paths: how many are given, at most `beam_width`.
      merge_repeated: whether equal neighbours in the result count once.
    Returns: a list of `top_paths` sparse tensors [batch, most labels], and their log-probabilities
      [batch, top_paths].
    """
    options = {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": merge_repeated}
    *parts, score = ctc_beam_search_decoder_op(inputs, sequence_length, **options)
    n = top_paths
    found = zip(parts[:n], parts[n : 2 * n], parts[2 * n :], strict=True)
    return [SparseTensor(*each) for each in found], score
