"""The names by which premade estimators tell their metrics and predictions."""

from __future__ import annotations

from minitf.core.graph.graph_keys import GraphKeys
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.saving.checkpoint_utils import load_variable


def _load_global_step_from_checkpoint_dir(checkpoint_dir: str) -> int:
    """The step of the newest checkpoint in a folder; 0 where there is none."""
    newest = latest_checkpoint(checkpoint_dir)
    return 0 if newest is None else int(load_variable(newest, GraphKeys.GLOBAL_STEP))
