"""`tensorflow.python.summary.plugin_asset`: what a plugin of TensorBoard finds beside a graph.

get_plugin_asset(Mine) --> kept with the graph --> FileWriter(logdir, graph)
                                                     --> logdir/plugins/<plugin_name>/<asset>
"""

from __future__ import annotations

import os
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph import Graph
from minitf.library.formats.file_io import makedirs, open_file

_KEPT = "__tensorboard_plugin_asset__"


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
