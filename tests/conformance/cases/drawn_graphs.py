"""Graphs drawn at random: scopes within scopes, variables shared and made anew, collections, devices,
control dependencies, gradients in all their forms; the names of everything, and what `as_graph_def`
and `import_graph_def` make of it.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

#: Those of some hundred seeds that found something, and a few more; TensorFlow itself answers all.
SEEDS = (0, 1, 3, 6, 9, 16, 22, 33, 38)

PRELUDE = """
made = []

def step(make):
    number = len(made)
    try:
        made.append(make())
    except Exception as error:
        made.append(error)
    show(**{"%d" % number: made[-1]})
    return made[-1]

def keep(number, tensor):
    if isinstance(tensor, (list, tuple)):
        tensor = next((t for t in tensor if isinstance(t, tf.Tensor)), None)
    return tensor if isinstance(tensor, tf.Tensor) else x

x = tf.placeholder_with_default([0.5, -0.25], [None], name="x")
y = tf.constant([1.5, 2.0], name="y")
t = [x, y]

"""

ENDING = """
graph = tf.get_default_graph()
for key in sorted(graph.get_all_collection_keys(), key=str):
    if key in ("cond_context", "while_context"):
        continue
    show(**{"collection %s" % (key,): [getattr(v, "name", v) for v in tf.get_collection(key)]})
show(scoped=[v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="a")],
     trained=[(v.name, v.op.device) for v in tf.trainable_variables()])
wanted = [v for v in t if v is not None]
values = run(wanted)
show(values=values)
with tf.Graph().as_default() as other:
    with tf.device("/device:CPU:0"):
        tf.constant(1.0, name="b")
    again = tf.import_graph_def(graph.as_graph_def(), {input_map}return_elements=[v.name for v in wanted if "import" not in v.name][:6], name={name!r})
    show(again=again)
"""

SCOPES = ("a", "b", "a/", "layer", "net", "grad")
TENSORS = (
    "tf.tanh({0})", "{0} + {1}", "{0} * {1}", "tf.multiply({0}, 2.0, name='{n}')", "tf.identity({0}, name='{n}')", "tf.add_n([{0}, {1}], name='{n}')",
    "tf.reduce_sum({0}) * {1}", "tf.matmul([{0}], [{1}], transpose_b=True)[0] + {0}", "tf.nn.relu({0})", "tf.cast(tf.cast({0}, tf.int32), tf.float32)",
    "tf.maximum({0}, 0.1)", "{0} - 1", "2.0 / ({0} + 9.0)", "tf.stop_gradient({0})", "tf.square({0}, name='{n}/{n}')", "tf.where({0} > {1}, {0}, {1})",
    "tf.nn.softmax({0}, name='{n}')", "tf.concat([{0}, {1}], 0, name='{n}')[:2]", "tf.stack([{0}, {1}])[0]", "tf.reshape({0}, [-1], name='{n}')", "tf.clip_by_value({0}, -1.0, 1.0)",
    "tf.Print({0}, [{1}], 'seen')", "tf.nn.dropout({0}, rate=0.0)", "tf.cond(tf.reduce_sum({0}) > 0, lambda: {0} + 1.0, lambda: {1} * 2.0)", "tf.tuple([{0}, {1}])[1]",
    "tf.nn.bias_add([{0}], tf.constant([0.1, 0.2]))[0]", "tf.reduce_mean({0}, name='{n}') + {1}", "tf.identity_n([{0}, {1}])[0]", "tf.nn.l2_normalize({0}, 0)", "-{0}", "abs({0})", "{0} ** 2",
    "tf.layers.dense([{0}], 2, name='{n}', reuse=tf.AUTO_REUSE, kernel_initializer=tf.ones_initializer())[0]", "tf.layers.dense([{0}], 2, kernel_initializer=tf.ones_initializer())[0]", "tf.layers.flatten([{0}])[0]",
    "tf.nn.moments({0}, [0])[0] + {1}", "tf.split({0}, 2)[0] + {1}", "tf.unstack({0}, 2)[1] + {1}", "tf.expand_dims({0}, 0)[0]", "tf.slice({0}, [0], [2])", "tf.pad({0}, [[0, 1]])[:2]",
    "tf.squared_difference({0}, {1})", "tf.nn.sigmoid_cross_entropy_with_logits(labels={0}, logits={1})", "tf.losses.mean_squared_error({0}, {1}) + {0}", "tf.one_hot(1, 2) + {0}", "tf.gather({0}, [1, 0])",
    "tf.py_func(lambda v: v, [{0}], tf.float32)", "tf.zeros_like({0}) + {1}", "tf.ones_like({1}) * {0}", "tf.sigmoid({0})", "tf.exp({0})", "tf.placeholder_with_default({0}, [None], name='{n}')", "tf.transpose({0})", "tf.tile({0}, [1])",
)  # fmt: skip
VARIABLES = (
    "tf.get_variable('{n}', [2], initializer=tf.ones_initializer())", "tf.get_variable('{n}', initializer=[1.0, 2.0])", "tf.Variable([1.0, 2.0], name='{n}')",
    "tf.Variable(tf.constant([2.0, 1.0]), trainable=False, name='{n}')", "tf.get_variable('{n}', [2], initializer=tf.zeros_initializer(), collections=['mine', tf.GraphKeys.GLOBAL_VARIABLES])",
    "tf.get_variable('{n}', [2], tf.float32, tf.constant_initializer(0.3), regularizer=lambda v: tf.reduce_sum(v, name='reg'))", "tf.get_variable('{n}', [3])", "tf.get_variable('{n}', [2], trainable=False, initializer=tf.ones_initializer())",
    "tf.get_variable('{n}', [2], initializer=tf.ones_initializer(), use_resource=True)", "tf.Variable([1.0, 2.0], use_resource=True)", "tf.get_local_variable('{n}', [2], initializer=tf.ones_initializer())",
    "tf.train.get_or_create_global_step()", "tf.get_variable('{n}', [2], dtype=tf.float32)", "tf.get_variable('{n}')",
    "tf.get_variable('{n}', [4], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))",
)  # fmt: skip
SHOWN = (
    "tf.get_variable_scope().name", "tf.get_default_graph().unique_name('{n}')", "tf.get_default_graph().unique_name('{n}', mark_as_used=False)", "tf.get_default_graph().get_name_scope()", "tf.get_variable_scope().original_name_scope",
    "tf.get_variable_scope().reuse", "tf.no_op(name='{n}')", "tf.group({0}, {1}, name='{n}')", "tf.group({0}.op)", "tf.Assert(tf.reduce_all({0} < 99.0), [{0}], name='{n}')", "tf.get_default_graph().get_tensor_by_name('{n}:0')",
    "tf.get_default_graph().get_operation_by_name('{n}')", "tf.add_to_collection('mine', {0})", "tf.add_to_collections(['mine', 'other'], {0})", "tf.constant([1, 2])", "tf.constant(2.0, name='{n}')", "tf.constant('a', name='{n}_1')", "tf.zeros([2, 2])",
    "tf.placeholder(tf.float32, [None, 2])", "tf.placeholder(tf.int32, name='{n}')", "tf.random_normal([2], name='{n}')", "tf.assert_equal(tf.shape({0}), tf.shape({1}))", "tf.get_default_graph().as_graph_element('{n}')", "tf.shape({0})", "tf.range(3)", "tf.ones([3], name='{n}')",
    "{0}.op.node_def.name", "{0}.device", "[c.name for c in {0}.consumers()][:1]", "{0}.op.colocation_groups()", "{0}.op.name", "len({0}.op.inputs) > 0", "tf.get_default_graph().get_tensor_by_name('{n}')", "tf.constant(1.0, name='{n}')", "tf.constant(1.0, name='_x')", "tf.identity({0}, name='a b')",
    "tf.fill([2], 1.0)", "tf.eye(2)", "tf.is_nan({0})", "tf.greater({0}, {1}, name='{n}')", "tf.argmax({0})", "tf.cast({0}, tf.float64)", "tf.cast({0}, tf.float32)", "tf.strings.join(['a', 'b'])", "tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])", "tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * {0}), [0, {1}], name='{n}')",
    "tf.cond(tf.constant(True), lambda: 1, lambda: 2, name='{n}')", "tf.case([(tf.reduce_sum({0}) > 0, lambda: {0})], lambda: {1}, name='{n}')", "tf.map_fn(lambda v: v * 2.0, {0})", "tf.scan(lambda s, v: s + v, {0})", "tf.TensorArray(tf.float32, 2).unstack({0}).stack()", "tf.TensorArray(tf.float32, 2, name='{n}').write(0, {0}).flow",
    "tf.train.Saver([tf.Variable(1.0, name='s')]).as_saver_def().save_tensor_name", "tf.global_variables_initializer()", "tf.summary.scalar('{n}', tf.reduce_sum({0}))", "tf.summary.histogram('{n}', {0})", "tf.summary.merge_all()", "tf.metrics.mean({0}, name='{n}')", "tf.FIFOQueue(3, tf.float32, name='{n}').size()", "tf.random_uniform([2], seed=3)", "tf.train.exponential_decay(0.1, 3, 2, 0.5)",
    "tf.linalg.norm({0})", "tf.global_norm([{0}, {1}])", "tf.clip_by_global_norm([{0}, {1}], 1.0)", "tf.unique(tf.cast({0}, tf.int32))", "tf.nn.top_k({0}, 1)", "tf.boolean_mask({0}, {0} > 0)", "tf.meshgrid({0}, {1})", "tf.sequence_mask([1, 2])", "tf.nn.embedding_lookup({1}, [0, 1])", "tf.get_seed(3)", "tf.nn.log_softmax([{0}])",
)  # fmt: skip
WITH = (
    "tf.name_scope('{s}')", "tf.name_scope('{s}')", "tf.variable_scope('{v}')", "tf.variable_scope('{v}', reuse=tf.AUTO_REUSE)", "tf.variable_scope('{v}', reuse=True)", "tf.variable_scope(None, default_name='{v}')", "tf.control_dependencies([{0}])",
    "tf.control_dependencies([{0}.op, {1}])", "tf.device('/cpu:0')", "tf.device('/job:localhost')", "tf.device('/device:CPU:0')", "tf.device(None)", "tf.colocate_with({0})", "tf.colocate_with({0}, ignore_existing=True)", "tf.control_dependencies(None)",
    "tf.name_scope(None)", "tf.variable_scope(tf.get_variable_scope())", "tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE)", "tf.variable_scope('{v}', initializer=tf.ones_initializer())", "tf.name_scope('{s}', values=[{0}])", "tf.name_scope('{n}', 'default', [{0}])",
    "tf.name_scope(None, 'default', [{0}])", "tf.variable_scope('{v}', use_resource=True)", "tf.variable_scope('{v}', auxiliary_name_scope=False)", "tf.get_default_graph().gradient_override_map({{'Tanh': 'Identity'}})", "tf.init_scope()", "tf.variable_scope('{v}', regularizer=lambda v: tf.reduce_sum(v * 0.1))",
    "tf.variable_scope('{v}', caching_device='/cpu:0')", "tf.variable_scope('{v}', constraint=tf.abs)", "tf.variable_scope('{v}', dtype=tf.float64)", "tf.device(lambda op: '/cpu:0' if op.type == 'Tanh' else '')", "tf.name_scope('{s}/')", "tf.name_scope('')",
)  # fmt: skip
SLOPES = (
    "tf.gradients({0}, {1})", "tf.gradients([{0}, {1}], [x, y])", "tf.gradients({0}, [x, y], grad_ys={1})", "tf.gradients({0}, [x, y], stop_gradients=[{1}])", "tf.gradients({0}, [x, y], unconnected_gradients='zero')",
    "tf.gradients({0}, x, name='{n}')", "tf.gradients(tf.reduce_sum({0}), [x, {1}], aggregation_method=2)", "tf.gradients({0}, tf.trainable_variables() or [x])", "tf.gradients({0}, [x], colocate_gradients_with_ops=True)", "tf.gradients({0}, [x], gate_gradients=True)",
    "tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum({0}))", "tf.train.AdamOptimizer(0.1, name='{n}').compute_gradients(tf.reduce_sum({0} * {1}))", "tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum({0}))", "tf.hessians(tf.reduce_sum({0} * {0}), x)", "tf.gradients({0}, [x], grad_ys=[{1}, {1}])",
    "tf.train.AdamOptimizer().minimize(tf.reduce_mean({0}), tf.train.get_or_create_global_step(), name='{n}')", "tf.gradients({0}, [x], unconnected_gradients='some')",
)  # fmt: skip


class Scopes:
    def __init__(self, d: Draw) -> None:
        self.d = d
        self.trained = False

    def filled(self, form: str) -> str:
        one = self.d.one
        picked = [
            f"t[-{self.d.number(1, 3)}]" if self.d.chance(0.7) else one("x y") for _ in range(2)
        ]
        return form.format(*picked, n=one("a b c out v"), s=one(SCOPES), v=one("a b layer v a/b"))

    def lines(self, depth: int, indent: str = "") -> list[str]:
        d, lines = self.d, []
        for _ in range(d.number(2, 4)):
            kind = d.number(0, 11)
            if kind <= 4:
                lines.append(f"t.append(keep(len(t), step(lambda: {self.filled(d.one(TENSORS))})))")
            elif kind == 5:
                lines.append(f"v = step(lambda: {self.filled(d.one(VARIABLES))})")
                if d.chance(0.7):
                    lines.append("t.append(keep(len(t), step(lambda: v * 1.0 + tf.zeros([2]))))")
            elif kind == 6:
                lines.append(f"step(lambda: {self.filled(d.one(SHOWN))})")
            elif kind == 7:
                lines.append(f"step(lambda: {self.filled(d.one(SLOPES))})")
            elif depth:
                scope = self.filled(d.one(WITH))
                named = (
                    " as scope"
                    if d.chance(0.3) and "scope(" in scope and "init" not in scope
                    else ""
                )
                lines.append(f"with {scope}{named}:")
                if named:
                    lines.append(
                        "    show(**{'scope %d' % len(made): getattr(scope, 'name', scope)})"
                    )
                lines += self.lines(depth - 1, "    ")
            else:
                lines.append(f"t.append(keep(len(t), step(lambda: {self.filled(d.one(TENSORS))})))")
        return [indent + line for line in lines]


def draw(seed: int) -> str:
    """The program of one seed."""
    scopes = Scopes(Draw(f"graphs {seed}"))
    lines = scopes.lines(3)
    lines += scopes.lines(2)
    ending = ENDING.replace("{input_map}", scopes.d.one(["", "{'x:0': tf.constant([0.1, 0.2])}, "]))
    ending = ending.replace("{name!r}", scopes.d.one(["None", "''", "'b'", "'c'"]))
    return PRELUDE.lstrip() + "\n".join(lines) + ending


CASES = [Case(f"drawn_graphs/{seed}", draw(seed)) for seed in SEEDS]
