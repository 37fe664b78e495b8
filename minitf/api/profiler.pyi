"""The names of `tf.profiler`."""

from minitf.library.graph_tools.profiler import GraphNodeProto as GraphNodeProto
from minitf.library.graph_tools.profiler import ProfileOptionBuilder as ProfileOptionBuilder
from minitf.library.graph_tools.profiler import Profiler as Profiler
from minitf.library.graph_tools.profiler import profile as profile
