"""Variables drawn at random: kinds and partitions, all updates, all optimizers with dense and sparse
slopes over several steps, slots, averages, savers that keep some files and restore some variables.
"""

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

#: Those of some hundred seeds that found something, and a few more; TensorFlow itself answers all.
SEEDS = (0, 6, 9, 38, 66, 87)

PRELUDE = """
import os
steps = tf.train.get_or_create_global_step()

def numbers(shape, dtype=None, partition_info=None):
    sizes = [int(n) for n in shape]
    return tf.constant(np.sin(np.arange(np.prod(sizes)) * 1.7).reshape(sizes) * 0.5, dtype or tf.float32)

def step(name, make):
    try:
        made = make()
    except Exception as error:
        show(**{name: error})
        return None
    show(**{name: made if isinstance(made, tf.Tensor) else "made"})
    return made

def does(name, fetches, feeds=None):
    try:
        values = sess.run(fetches, feeds)
        show(**{name: None if values is None else values})
    except Exception as error:
        show(**{name: error})

"""

KINDS = (
    "tf.Variable(numbers([4, 3]), name='{n}')", "tf.Variable(numbers([4, 3]), name='{n}', use_resource=True)", "tf.get_variable('{n}', [4, 3], initializer=numbers)", "tf.get_variable('{n}', [4, 3], initializer=numbers, use_resource=True)",
    "tf.get_variable('{n}', [4, 3], initializer=numbers, partitioner=tf.fixed_size_partitioner({p}))", "tf.get_variable('{n}', [4, 3], initializer=numbers, partitioner=tf.min_max_variable_partitioner(2, 0, 8))",
    "tf.get_variable('{n}', [4, 3], initializer=numbers, partitioner=tf.variable_axis_size_partitioner(24))", "tf.get_variable('{n}', [4, 3], tf.float64, numbers)", "tf.get_variable('{n}', [4, 3], initializer=numbers, caching_device='/cpu:0')",
    "tf.Variable(numbers([4, 3]), name='{n}', caching_device='/cpu:0')", "tf.Variable(numbers([4, 3]), name='{n}', validate_shape=False)", "tf.Variable(lambda: numbers([4, 3]), name='{n}')", "tf.Variable(numbers([4, 3]), name='{n}', constraint=lambda v: tf.clip_by_value(v, -0.4, 0.4))",
    "tf.Variable(numbers([4, 3]), name='{n}', trainable=False)", "tf.get_variable('{n}', [4, 3], initializer=numbers, use_resource=True, partitioner=tf.fixed_size_partitioner(2, axis=1))", "tf.Variable(numbers([4, 3], tf.float64), name='{n}', use_resource=True)", "tf.get_local_variable('{n}', [4, 3], initializer=numbers)",
)  # fmt: skip
VALUES = ("numbers([4, 3], {0}.dtype.base_dtype)", "{0} * 2.0", "{0} + 1.0", "tf.ones([4, 3], {0}.dtype.base_dtype)", "np.ones([4, 3])", "{0}.initialized_value()", "tf.zeros([2, 3], {0}.dtype.base_dtype)", "tf.placeholder_with_default(tf.ones([4, 3], {0}.dtype.base_dtype), None)",
          "tf.reverse({0}, [0])")  # fmt: skip
ROWS = ("numbers([2, 3], {0}.dtype.base_dtype)", "[[1.0, 2.0, 3.0], [0.5, 0.25, 2.0]]", "tf.gather({0}, [1, 1])", "2.0", "numbers([3], {0}.dtype.base_dtype)", "numbers([1, 3], {0}.dtype.base_dtype)")  # fmt: skip
IDS = (
    "[0, 2]",
    "[1, 1]",
    "tf.constant([3, 0], tf.int64)",
    "[4, 0]",
    "tf.placeholder_with_default([2, 3], [None])",
    "[-1, 1]",
)
UPDATES = (
    "tf.assign({0}, {1})", "tf.assign({0}, {1}, validate_shape=False)", "tf.assign_add({0}, {1})", "tf.assign_sub({0}, {1})", "{0}.assign({1})", "{0}.assign_add({1}, use_locking=True)", "{0}.assign({1}, read_value=False)", "{0}.assign_sub({1})",
    "tf.scatter_update({0}, {3}, {2})", "tf.scatter_add({0}, {3}, {2})", "tf.scatter_sub({0}, {3}, {2})", "tf.scatter_mul({0}, {3}, {2})", "tf.scatter_div({0}, {3}, {2})", "tf.scatter_min({0}, {3}, {2})", "tf.scatter_max({0}, {3}, {2})",
    "{0}.scatter_update(tf.IndexedSlices({2}, {3}))", "{0}.scatter_add(tf.IndexedSlices({2}, {3}))", "{0}.scatter_sub(tf.IndexedSlices({2}, {3}))", "tf.scatter_nd_update({0}, [[0, 1], [2, 2]], [5.0, 6.0])", "tf.scatter_nd_add({0}, [[1], [3]], {2})", "tf.scatter_nd_sub({0}, [[1, 0]], [0.5])",
    "{0}[1:3, 0].assign([7.0, 8.0])", "{0}[::2].assign({2})", "{0}[-1].assign([1.0, 2.0, 3.0])", "{0}.scatter_nd_add([[0, 0]], [1.0])", "tf.batch_scatter_update({0}, [[0], [1], [2], [0]], [[1.0], [2.0], [3.0], [4.0]])", "{0}.count_up_to(3)", "{0}.load(np.ones([4, 3]), sess)", "tf.count_up_to(steps, 2)",
    "{0}.scatter_mul(tf.IndexedSlices({2}, {3}))", "{0}.batch_scatter_update(tf.IndexedSlices([[1.0], [2.0], [3.0], [4.0]], [[0], [1], [2], [0]]))", "tf.assign({0}, tf.zeros([3]), validate_shape=False)", "{0}.scatter_max(tf.IndexedSlices({2}, {3}))", "{0}.scatter_div(tf.IndexedSlices({2}, {3}))",
)  # fmt: skip
READS = (
    "{0}", "{0} + 0.0", "{0}.initialized_value()", "{0}.read_value()", "{0}.value()", "tf.is_variable_initialized({0})", "{0}.initial_value", "tf.gather({0}, [3, 0])", "tf.nn.embedding_lookup({0}, [3, 0, 2])", "tf.nn.embedding_lookup({0}, [[3, 0], [2, 2]], max_norm=0.5)", "tf.nn.embedding_lookup({0}, [1], partition_strategy='div')",
    "tf.convert_to_tensor({0})", "{0}[1]", "{0}[:, 1:2]", "tf.matmul({0}, {0}, transpose_b=True)", "tf.shape({0})", "tf.identity({0})", "tf.stack([{0}, {0}])", "{0}.shape", "{0}.dtype", "{0}.op", "{0}.name", "{0}.device", "{0}.initializer", "{0}.get_shape().as_list()", "{0}.trainable", "{0}.constraint", "{0}.graph is tf.get_default_graph()",
    "tf.report_uninitialized_variables()", "{0}.sparse_read([0, 1])", "{0}.gather_nd([[0, 1]])", "tf.gather_nd({0}, [[0, 1], [3]])", "tf.nn.safe_embedding_lookup_sparse({0}, tf.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 2], tf.int64), [2, 1]))", "tf.nn.embedding_lookup_sparse({0}, tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([1, 2, 3], tf.int64), [2, 2]), None, combiner='mean')",
    "len({0})", "list({0})", "float({0})", "[v.name for v in {0}]", "{0}.eval(session=sess)", "{0}._save_slice_info is None", "{0}.to_proto().variable_name", "{0} == {0}", "hash({0}) == hash({0})", "str({0})", "tf.trainable_variables().index({0})", "{0}.as_tensor()", "{0}.is_initialized()", "{0}.handle.dtype", "{0}.synchronization", "tf.where({0} > 0, {0}, -{0})", "{0} @ tf.transpose({0})",
)  # fmt: skip
OPTIMIZERS = (
    "GradientDescentOptimizer({0})", "MomentumOptimizer({0}, 0.9)", "MomentumOptimizer({0}, 0.9, use_nesterov=True)", "AdamOptimizer({0})", "AdamOptimizer({0}, 0.8, 0.9, 1e-3)", "RMSPropOptimizer({0})", "RMSPropOptimizer({0}, 0.8, 0.5, 1e-4)", "RMSPropOptimizer({0}, momentum=0.5, centered=True)", "AdagradOptimizer({0})",
    "AdagradOptimizer({0}, 0.3)", "AdadeltaOptimizer({0})", "AdadeltaOptimizer({0}, 0.8, 1e-3)", "FtrlOptimizer({0})", "FtrlOptimizer({0}, -0.3, 0.2, 0.01, 0.02)", "FtrlOptimizer({0}, l2_shrinkage_regularization_strength=0.02)", "ProximalGradientDescentOptimizer({0}, 0.01, 0.02)", "ProximalAdagradOptimizer({0}, 0.2, 0.01, 0.02)",
    "AdagradDAOptimizer({0}, steps, 0.1, 0.01, 0.02)",
)  # fmt: skip
TERMS = ("tf.square({0} - 0.3)", "tf.gather({0}, [2, 0, 2]) * 0.7", "tf.square(tf.nn.embedding_lookup({0}, [1, 3, 1]))", "tf.tanh({0}[1:3])", "tf.nn.embedding_lookup({0}, [0]) ** 3", "tf.sin(tf.gather({0}, [[1], [3]]))", "tf.sparse_tensor_dense_matmul(tf.SparseTensor([[0, 1]], tf.ones([1], {0}.dtype.base_dtype), [2, 4]), {0})",
         "tf.zeros([], {0}.dtype.base_dtype)", "tf.square(tf.matmul({0}, {0}, transpose_b=True))")  # fmt: skip
MORE = ("", "", ", global_step=steps", ", gate_gradients=tf.train.Optimizer.GATE_NONE", ", aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE", ", colocate_gradients_with_ops=True", ", grad_loss=tf.constant(0.5)", ", name='own'", ", gate_gradients=3")  # fmt: skip


class Store:
    def __init__(self, d: Draw) -> None:
        self.d = d
        self.variables = [f"v{i}" for i in range(d.number(2, 4))]
        self.made = 0

    def name(self) -> str:
        self.made += 1
        return str(self.made)

    def read(self) -> list[str]:
        name, v = self.name(), self.d.one(self.variables)
        return [f"r = step('{name}', lambda: {self.d.one(READS).format(v)})", f"does('{name} value', r) if isinstance(r, tf.Tensor) else show(**{{'{name} text': r if isinstance(r, (str, bool, int, float, list, tf.TensorShape, tf.DType, np.ndarray)) else getattr(r, 'name', None)}})"]  # fmt: skip

    def update(self) -> list[str]:
        d, name, v = self.d, self.name(), self.d.one(self.variables)
        text = d.one(UPDATES).format(v, d.one(VALUES).format(v), d.one(ROWS).format(v), d.one(IDS))
        return [f"r = step('{name}', lambda: {text})", f"does('{name} value', r if r is None else tf.group(r))", f"does('{name} {v}', {v} + 0.0)"]  # fmt: skip

    def train(self) -> list[str]:
        d, name = self.d, self.name()
        some = sorted({d.one(self.variables) for _ in range(2)})
        terms = " + ".join(f"tf.cast(tf.reduce_sum({d.one(TERMS).format(v)}), tf.float32)" for v in some for _ in range(d.number(1, 2)))  # fmt: skip
        optimizer = d.one(OPTIMIZERS).format(d.one(["0.1", "0.01", "tf.train.exponential_decay(0.1, steps, 2, 0.5)", "lambda: 0.05", "tf.constant(0.02)"]))  # fmt: skip
        lines = [f"o = tf.train.{optimizer}"]
        kind = d.number(0, 2)
        listed = d.one(["", "", f", var_list=[{', '.join(some)}]"])
        if kind == 0:
            lines.append(
                f"pairs = step('{name} pairs', lambda: o.compute_gradients({terms}{listed}))"
            )
            lines.append(
                f"show(**{{'{name} kinds': [(isinstance(g, tf.IndexedSlices), v.name, None if g is None else g.dtype) for g, v in pairs or []]}})"
            )
            if d.chance(0.4):
                lines.append(
                    "pairs = [(None if g is None else tf.convert_to_tensor(g) * 0.5, v) for g, v in pairs or []]"
                )
            elif d.chance(0.3):
                lines.append(
                    "pairs = list(zip(tf.clip_by_global_norm([g for g, _ in pairs], 0.5)[0], [v for _, v in pairs]))"
                )
            lines.append(
                f"r = step('{name}', lambda: o.apply_gradients(pairs{d.one(['', ', global_step=steps', ', steps, chr(97)'])}))"
            )
        else:
            lines.append(f"r = step('{name}', lambda: o.minimize({terms}{d.one(MORE)}{listed}))")
        lines += [
            f"show(**{{'{name} names': sorted(v.name for v in tf.global_variables()), '{name} slots': [o.get_slot_names(), [getattr(o.get_slot(v, s), 'name', None) for s in o.get_slot_names() for v in tf.trainable_variables()], [v.name for v in o.variables()]]}})",
            "sess.run(tf.variables_initializer([v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]))",
            f"for n in range({d.number(1, 4)}): does('{name} step %d' % n, [] if r is None else [r])",
            f"does('{name} values', [v + 0 for v in tf.global_variables()])",
        ]
        return lines

    def saved(self) -> list[str]:
        d, name = self.d, self.name()
        what = d.one(
            [
                "",
                "[{0}]",
                "{{'one': {0}, 'two': {1}}}",
                "tf.trainable_variables()",
                "[{0}, {1}]",
                "{{'one': {0}}}",
                "tf.global_variables()",
                "{{'one': {0}, 'one': {1}}}",
                "[{0}, {0}]",
                "[]",
            ]
        )
        what = what.format(d.one(self.variables), d.one(self.variables))
        options = ", ".join(
            d.one(
                [
                    f"max_to_keep={d.number(1, 3)}",
                    "sharded=True",
                    "keep_checkpoint_every_n_hours=0.1",
                    "write_version=tf.train.SaverDef.V2",
                    "allow_empty=True",
                    "restore_sequentially=True",
                    "filename='m'",
                    "save_relative_paths=True",
                    "name='own'",
                    "reshape=True",
                ]
            )
            for _ in range(d.number(0, 2))
        )
        options = (
            ", ".join(dict.fromkeys(options.split(", ")))
            if options.count("max_to_keep") < 2
            else "max_to_keep=2"
        )
        path = f"os.path.join(folder, '{d.one('model m.ckpt')}{name}')"
        given = ", ".join(part for part in (what, options) if part)
        lines = [f"saver = step('{name}', lambda: tf.train.Saver({given}))", "if saver:"]
        inner = []
        for number in range(d.number(1, 4)):
            more = d.one(
                [
                    "",
                    f", global_step={number * 7}",
                    f", global_step={number}",
                    ", global_step=steps",
                    ", latest_filename='other'",
                    ", write_meta_graph=False",
                    ", meta_graph_suffix='m'",
                    ", write_state=False",
                ]
            )
            inner.append(
                f"does('{name} update {number}', tf.group(*[v.assign(v + tf.ones_like(v)) for v in {self.d.one(['tf.trainable_variables()', 'tf.global_variables()'])}]))"
            )
            inner += [
                "try:",
                f"    show(**{{'{name} save {number}': os.path.relpath(saver.save(sess, {path}{more}) or '.', folder)}})",
                "except Exception as error:",
                f"    show(**{{'{name} save {number}': error}})",
            ]
        inner += [
            f"show(**{{'{name} files': sorted(os.listdir(folder)), '{name} last': [os.path.relpath(p, folder) for p in saver.last_checkpoints], '{name} latest': os.path.relpath(tf.train.latest_checkpoint(folder) or '.', folder)}})",
            "for p in saver.last_checkpoints[:1]:",
            f"    show(**{{'{name} listed': [(n, list(s)) for n, s in tf.train.list_variables(p)], '{name} there': tf.train.checkpoint_exists(p)}})",
            "    try:", f"        saver.restore(sess, p); show(**{{'{name} restored': sess.run([v + 0 for v in tf.global_variables()])}})", "    except Exception as error:", f"        show(**{{'{name} restored': error}})",
        ]  # fmt: skip
        return lines + ["    " + line for line in inner]

    def averaged(self) -> list[str]:
        d, name = self.d, self.name()
        v = d.one(self.variables)
        lines = [f"ema = tf.train.ExponentialMovingAverage(0.7{d.one(['', ', steps', ', zero_debias=True', ', name=chr(97)'])})",
                 f"r = step('{name}', lambda: ema.apply({d.one(['', f'[{v}]', f'[{v}, {self.d.one(self.variables)}]', f'[{v} * 2.0]'])}))",
                 "sess.run(tf.variables_initializer([v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]))",
                 f"does('{name} does', [] if r is None else r)", f"step('{name} average', lambda: ema.average({v}))", f"step('{name} named', lambda: show(**{{'{name} names': [ema.average_name({v}), sorted(ema.variables_to_restore())]}}))",
                 f"does('{name} values', [v + 0 for v in tf.global_variables()])"]  # fmt: skip
        return lines


def draw(seed: int) -> str:
    """The program of one seed."""
    d = Draw(f"variables {seed}")
    store = Store(d)
    lines = [f"{v} = {d.one(KINDS).format(n=v, p=d.one('1 2 3'))}" for v in store.variables]
    lines.append("sess = session()")
    if d.chance(0.15):
        lines.append(f"does('early', {d.one(store.variables)} + 0)")
    lines.append("sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])")
    for _ in range(d.number(4, 7)):
        lines += d.pick([store.read, store.read, store.update, store.update, store.train, store.train, store.saved, store.averaged])()  # fmt: skip
    return PRELUDE.lstrip() + "\n".join(lines) + "\n"


CASES = [Case(f"drawn_variables/{seed}", draw(seed), rtol=1e-4) for seed in SEEDS]
