"""The names of `tf.passes`."""

from minitf.core.runtime.passes import PASSES as PASSES
from minitf.core.runtime.passes import register as register
from minitf.core.runtime.passes import using as using
from minitf.core.runtime.passes.cleanups import common_subexpressions as common_subexpressions
from minitf.core.runtime.passes.cleanups import fold_constants as fold_constants
from minitf.core.runtime.passes.rewriting import Readers as Readers
from minitf.core.runtime.passes.rewriting import constant_node as constant_node
from minitf.core.runtime.passes.rewriting import new_node as new_node
from minitf.core.runtime.passes.rewriting import replace as replace
from minitf.core.runtime.passes.rewriting import touches_variable as touches_variable
