"""Notebook widgets that show minitf's graphs and clusters at work.

They see minitf only from outside: a graph through its GraphDef, a run through its RunMetadata, a
cluster through its traffic events. Each module of this package is one widget; `static/` holds the
built front ends, whose sources are in widgets/src.
"""

from minitf_widgets.graph.view import GraphView
from minitf_widgets.live.controls import Checkbox, Choice, Slider, Text
from minitf_widgets.live.descent import Descent
from minitf_widgets.live.live import Live
from minitf_widgets.live.monitor import Monitor
from minitf_widgets.live.scaling import ScalingView
from minitf_widgets.live.tensor import TensorView
from minitf_widgets.live.what_if import WhatIf
from minitf_widgets.plan.view import ExplainView
from minitf_widgets.reductions.all_reduce import AllReduce
from minitf_widgets.reductions.dot import DotProduct
from minitf_widgets.timeline.view import TimelineView
from minitf_widgets.traffic.view import TrafficView

__all__ = [
    "AllReduce",
    "Checkbox",
    "Choice",
    "Descent",
    "DotProduct",
    "ExplainView",
    "GraphView",
    "Live",
    "Monitor",
    "ScalingView",
    "Slider",
    "TensorView",
    "Text",
    "TimelineView",
    "TrafficView",
    "WhatIf",
]
