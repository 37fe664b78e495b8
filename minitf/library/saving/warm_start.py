"""Warm start: variables begin with the values of another model's checkpoint.

A matrix with a row (or column) for each word of a vocabulary can begin from a checkpoint of another
vocabulary: each word takes the row that it had, and a word that is new takes a fresh one.

    new_vocab:  sun  rain  snow       old_vocab:  rain  sun       rows taken:  1  0  fresh
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minitf.core.graph import logging, stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.comparisons import where
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variables import Variable
from minitf.library.formats.file_io import regular
from minitf.library.saving import save_restore
from minitf.library.saving.checkpoint_utils import init_from_checkpoint, load_checkpoint, start_with


class VocabInfo(
    namedtuple(
        "VocabInfo",
        "new_vocab new_vocab_size num_oov_buckets old_vocab old_vocab_size backup_initializer axis",
    )
):
    """Two vocabularies, for warm start: that of a variable, and that of the checkpoint.

    Args:
      new_vocab: the file of the new one, a word a line.
      new_vocab_size: how many of its words count.
      num_oov_buckets: how many rows of the variable stand for unknown words.
      old_vocab: the file of the old one.
      old_vocab_size: how many of its words count; -1 for all.
      backup_initializer: makes the rows of new words; zeros by default.
      axis: 0 when words are rows, 1 when they are columns.

    Raises:
      ValueError: when the axis is another.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: Callable | None = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(
                "The only supported values for the axis argument are 0 and 1.  Provided axis: "
                f"{axis}"
            )
        vocabularies = new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size
        return super().__new__(cls, *vocabularies, backup_initializer, axis)


def warm_start(
    ckpt_to_initialize_from: str,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Makes the initializers of variables read another model's checkpoint.

    Args:
      ckpt_to_initialize_from: the checkpoint, or a directory of them.
      vars_to_warm_start: a regular expression for trainable variables, a list of them for all
        variables, a list of variables, or None for those with a vocabulary alone.
      var_name_to_vocab_info: the vocabularies, by the variable's name.
      var_name_to_prev_var_name: the names in the checkpoint that are others, by the variable's.
    Raises:
      ValueError: when a name was not used, or is not in the checkpoint.
      TypeError: when `vars_to_warm_start` is of another type.
    """
    logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    vocabularies = var_name_to_vocab_info or {}
    old_names = var_name_to_prev_var_name or {}
    groups = _grouped(vars_to_warm_start)
    plain: list[tuple[str, Any]] = []
    started = 0
    for name, parts in groups.items():
        old_name = old_names.get(name) or name
        if name in vocabularies:
            _start_by_words(parts, vocabularies[name], ckpt_to_initialize_from, old_name)
        elif vars_to_warm_start:
            plain.append((old_name, parts))
        else:
            continue
        started += 1
    if plain:
        init_from_checkpoint(ckpt_to_initialize_from, plain)
    logging.info("Warm-started %d variables.", started)
    for what, given in (
        ("var_name_to_prev_var_name", old_names),
        ("var_name_to_vocab_info", vocabularies),
    ):
        if unused := set(given) - set(groups):
            raise ValueError(
                f"You provided the following variables in {what} that were not used: {unused}.  "
                "Perhaps you misspelled them?  Here is the list of viable variable names: "
                f"{groups.keys()}"
            )


def _grouped(wanted: Any) -> dict[str, list[Variable]]:
    """The variables by name; the parts of a partitioned one have one name."""
    if wanted is None or isinstance(wanted, str):
        logging.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
        found = stacks.get_collection(GraphKeys.TRAINABLE_VARIABLES, wanted)
    elif not isinstance(wanted, list):
        raise ValueError(
            f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}"
        )
    elif all(isinstance(each, str) for each in wanted):
        key = GraphKeys.GLOBAL_VARIABLES
        found = [v for each in wanted for v in stacks.get_collection(key, each)]
    elif all(isinstance(each, Variable) for each in wanted):
        found = wanted
    else:
        raise ValueError(
            "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given "
            f"types are {[type(each) for each in wanted]}"
        )
    groups: dict[str, list[Variable]] = {}
    for variable in found:
        info = getattr(variable, "_save_slice_info", None)
        groups.setdefault(info.full_name if info else variable.op.name, []).append(variable)
    return groups


# ---- vocabularies ------------------------------------------------------------------------


def words_of(path: str, count: int = -1) -> list[str]:
    """The first words of a file, one a line; all, when `count` is negative."""
    with open(path, encoding="utf-8", opener=regular) as file:
        words = file.read().splitlines()
    return words if count < 0 else words[:count]


def places_of(words: list[str], old: str, old_size: int = -1) -> np.ndarray:
    """For each word its place in a file of old ones, of which `old_size` count; -1 for none."""
    places = {word: i for i, word in enumerate(words_of(old, old_size))}
    return np.array([places.get(word, -1) for word in words], np.int64)


def _start_by_words(parts: list[Variable], info: VocabInfo, checkpoint: str, old_name: str) -> None:
    """Starts the parts of a matrix from the rows or columns of the same words."""
    reader = load_checkpoint(checkpoint)
    words = words_of(info.new_vocab, info.new_vocab_size)
    places = places_of(words, info.old_vocab, info.old_vocab_size)
    places = np.pad(places, (0, info.num_oov_buckets), constant_values=-1)
    for part in parts:
        sizes: list[Any] = part.shape.as_list()
        slices = getattr(part, "_save_slice_info", None)
        begins = slices.var_offset if slices else [0] * len(sizes)
        at = [np.arange(begin, begin + size) for begin, size in zip(begins, sizes, strict=True)]
        at[info.axis] = places[at[info.axis]]
        dtype = part.dtype.base_dtype
        (value,) = save_restore.restore_v2(reader.prefix, [old_name], [""], dtypes=(dtype,))
        for axis, indices in enumerate(at):
            value = gather(value, np.maximum(indices, 0), axis=axis)
        fresh = (info.backup_initializer or zeros_initializer())(sizes, dtype=dtype)
        known = np.expand_dims(at[info.axis] >= 0, 1 - info.axis)
        value = where(np.broadcast_to(known, sizes), value, fresh)
        value.set_shape(sizes)
        start_with(part, value)
