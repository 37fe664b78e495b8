"""The names of `tf.profiler`."""

from minitf.library.formats.summary_protos import OpLogProto as OpLogProto
from minitf.library.graph_tools.profile_advice import AdviceProto as AdviceProto
from minitf.library.graph_tools.profile_advice import Profiler as Profiler
from minitf.library.graph_tools.profile_advice import advise as advise
from minitf.library.graph_tools.profile_advice import write_op_log as write_op_log
from minitf.library.graph_tools.profiler import GraphNodeProto as GraphNodeProto
from minitf.library.graph_tools.profiler import GraphNodeProto as MultiGraphNodeProto
from minitf.library.graph_tools.profiler import ProfileOptionBuilder as ProfileOptionBuilder
from minitf.library.graph_tools.profiler import profile as profile

__all__ = [
    "AdviceProto", "GraphNodeProto", "MultiGraphNodeProto", "OpLogProto",
    "ProfileOptionBuilder", "Profiler", "advise", "profile", "write_op_log"
]
