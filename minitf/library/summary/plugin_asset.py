"""`tensorflow.python.summary.plugin_asset`: what a plugin of TensorBoard finds beside a graph.

get_plugin_asset(Mine) --> kept with the graph --> FileWriter(logdir, graph)
                                                     --> logdir/plugins/<plugin_name>/<asset>
"""

from __future__ import annotations

import abc
import os
from collections.abc import Mapping
from typing import Any, ClassVar

from minitf.core.graph import stacks
from minitf.core.graph.graph import Graph
from minitf.library.formats.file_io import makedirs, open_file

_KEPT = "__tensorboard_plugin_asset__"


class PluginAsset(abc.ABC):
    """What one plugin of TensorBoard is to find; a subclass says its `plugin_name`."""

    plugin_name: ClassVar[str | None] = None

    @abc.abstractmethod
    def assets(self) -> Mapping[str, Any]:
        """The contents of the files, a string or bytes for each name."""


def get_plugin_asset(plugin_asset_cls: type[PluginAsset], graph: Graph | None = None) -> Any:
    """The asset of a class that a graph has, made when it has none yet.

    Args:
      plugin_asset_cls: a subclass of `PluginAsset`.
      graph: the graph; None means the default one.
    Raises:
      ValueError: when the class has no `plugin_name`, or one that another class has too.
    """
    graph = graph or stacks.get_default_graph()
    name = plugin_asset_cls.plugin_name
    if not name:
        raise ValueError(f"Class {plugin_asset_cls.__name__} has no plugin_name")
    kept = graph.get_collection_ref(_KEPT + name)
    if not kept:
        kept.append(plugin_asset_cls())
        graph.add_to_collection(_KEPT, name)
    if not isinstance(kept[0], plugin_asset_cls):
        raise ValueError(
            f"Plugin name collision between classes {plugin_asset_cls.__name__} and "
            f"{type(kept[0]).__name__}"
        )
    return kept[0]


def get_all_plugin_assets(graph: Graph | None = None) -> list[Any]:
    """All assets that a graph has; None means the default graph."""
    graph = graph or stacks.get_default_graph()
    return [graph.get_collection(_KEPT + name)[0] for name in graph.get_collection(_KEPT)]


def write_plugin_assets(graph: Graph, event_writer: Any) -> None:
    """Writes the files of all assets of a graph, each below the writer's folder of its plugin."""
    for asset in get_all_plugin_assets(graph):
        folder = os.path.join(event_writer.get_logdir(), "plugins", asset.plugin_name)
        makedirs(folder)
        for name, content in asset.assets().items():
            data = content.encode() if isinstance(content, str) else content
            with open_file(os.path.join(folder, name), "wb") as file:
                file.write(data)
