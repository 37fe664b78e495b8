"""What programs and TensorFlow's own tests take from below `tensorflow.python`."""

import textwrap

from ..case import programs

START = """
if tf.__name__.startswith("tensorflow"):
    from tensorflow.python.autograph.operators import data_structures as lists
    from tensorflow.python.framework import smart_cond
    from tensorflow.python.ops import list_ops
    from tensorflow.python.ops.state_ops import variable_op
    from tensorflow.python.saved_model import utils
    from tensorflow.python.summary import plugin_asset
else:
    from minitf.compat.internals import autograph_lists as lists, list_ops
    from minitf.core.gradients import cond as smart_cond
    from minitf.compat.internals.op_variants import variable_op
    from minitf.library.saving import signatures as utils
    from minitf.library.summary import plugin_asset
def bad(): raise RuntimeError
"""

TEXTS = {
    "cases known already": """
        x = tf.placeholder(tf.int32, [], name="x"); y = tf.constant(10)
        pairs = [(x > 1, lambda: tf.constant(1)), (y < 1, bad), (False, bad), (True, lambda: tf.constant(3))]
        z = smart_cond.smart_case(pairs, default=bad)
        show(z, [run(z, {x: v}) for v in (2, 0)])
        show(run(smart_cond.smart_case([(True, lambda: tf.constant(1)), (x > 1, bad)], exclusive=False)))
        show(run(smart_cond.smart_case([(False, bad)], default=lambda: tf.constant(7))))
        fails(smart_cond.smart_case, [(True, 3)])
    """,
    "histograms": """
        values = [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]
        bins = tf.histogram_fixed_width_bins(values, [0.0, 5.0], nbins=5, dtype=tf.int64)
        show(bins.dtype, run(bins))
        for ends, count in (([0.0, 5.0], -5), ([0.0, 5.0], 0), ([0.0, 5.0], [1, 2]), (1.0, 5), ([1.0], 5), ([[1.0, 2.0]], 5), ([1.0, 2.0, 3.0], 5)):
            fails(tf.histogram_fixed_width, values, ends, nbins=count)
    """,
    "devices": """
        for text in ("/job:muu/task:1/device:MyFunnyDevice:2", "/device:gpu:1", "/cpu:0", "/device:cpu:*", "/device:tpu:0"):
            spec = tf.DeviceSpec.from_string(text)
            show(spec.to_string(), spec.device_type)
        show([tf.DeviceSpec(device_type=t, device_index=1).to_string() for t in ("gpu", "Foo", "foo")])
    """,
    "descriptions": """
        v = tf.Variable([1, 2], name="v")
        info = utils.build_tensor_info(v)
        show(info.name, [d.size for d in info.tensor_shape.dim])
        show(tf.as_dtype(info.dtype if isinstance(info.dtype, int) else info.dtype[3:].lower()).name)
        nothing = utils.build_tensor_info_from_op(tf.group(v.initializer, name="all"))
        show(nothing.name, nothing.tensor_shape.unknown_rank, not nothing.dtype)
    """,
    "variables of open shape": """
        p = variable_op([1, 2], tf.float32, set_shape=False)
        show(p.shape, tf.assign(p, [[1.0, 2.0]]).shape, tf.assign(p, tf.placeholder(tf.float32)).shape)
        show(variable_op([1, 2], tf.float32).shape)
    """,
    "templates without a name": """
        template = tf.make_template("", lambda: tf.get_variable("dummy", [1]))
        with tf.variable_scope("outer"):
            x = tf.get_variable("x", [])
            y = template()
        show(template.variable_scope_name, y.name, [v.name for v in template.variables])
    """,
    "sparse tensors are printed": """
        import os, tempfile
        path = os.path.join(tempfile.mkdtemp(), "printed")
        s = tf.SparseTensor([[0, 0]], [1], [2, 3])
        run(tf.print(s, [s, 1], {"b": s, "a": (tf.constant(2.0), "c")}, output_stream="file://" + path))
        with open(path) as file: show(file.read())
    """,
    "ranges that are empty": """
        @tf.function
        def count(start, stop):
            n = 0
            for _ in range(start, stop):
                n += 1
            for _ in range(stop):
                n += 10
            return n
        show(run([count(tf.constant(a), tf.constant(b)) for a, b in ((0, 2), (2, 1), (1, -3))]))
    """,
    "scopes of strategies are entered again": """
        strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        scope = strategy.scope()
        with scope:
            with scope as inner:
                show(inner is strategy, tf.distribute.get_strategy() is strategy)
        show(tf.distribute.has_strategy())
    """,
    "older definitions of queue runners": """
        q = tf.FIFOQueue(2, tf.float32)
        told = tf.train.QueueRunner(q, [q.enqueue(1.0)]).to_proto()
        del told.queue_closed_exception_types[:]
        again = tf.train.QueueRunner.from_proto(told)
        show([kind.__name__ for kind in again.queue_closed_exception_types], again.name)
    """,
    "files for plugins beside a graph": """
        import os, tempfile
        class Mine(plugin_asset.PluginAsset):
            plugin_name = "mine"
            def assets(self): return {"a.txt": "one", "b": b"\\0two"}
        class Other(Mine): pass
        class Nameless(Mine): plugin_name = None
        made = plugin_asset.get_plugin_asset(Mine)
        show(made is plugin_asset.get_plugin_asset(Mine), plugin_asset.get_all_plugin_assets() == [made])
        show(plugin_asset.get_all_plugin_assets(tf.Graph()), tf.get_default_graph().get_all_collection_keys())
        fails(plugin_asset.get_plugin_asset, Other)
        fails(plugin_asset.get_plugin_asset, Nameless)
        fails(plugin_asset.PluginAsset)
        folder = tempfile.mkdtemp()
        tf.summary.FileWriter(folder, tf.get_default_graph()).close()
        for name in ("a.txt", "b"):
            with open(os.path.join(folder, "plugins", "mine", name), "rb") as file: show(file.read())
    """,
    "rows of tables inside loops": """
        table = tf.get_variable("e", [4, 1], initializer=tf.ones_initializer())
        ids = tf.placeholder(tf.int32, [])
        def loop(turn):
            return tf.while_loop(lambda i, c: i < 2, turn, [tf.constant(0), tf.constant(0.0)])[1]
        def look(i, c):
            return i + 1, c + tf.reduce_sum(tf.nn.embedding_lookup(table, [ids, i]))
        for cost in loop(look), loop(lambda i, c: (i + 1, c + loop(look))):
            found = tf.gradients(cost, table)[0]
            step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(cost)
            run(tf.global_variables_initializer())
            show(run([found.values, found.indices, found.dense_shape], {ids: 3}))
            for number in (1, 2, 3, 3):
                run(step, {ids: number})
            show(run(table))
    """,
    "lists of AutoGraph": """
        show(run(list_ops.tensor_list_stack(lists.tf_tensor_list_new([3, 4]), tf.int32)))
        show(run(lists.tf_tensor_array_new([3, 4, 5]).stack()))
        made = lists.tf_tensor_list_new([3, 4])
        rest, last = lists.list_pop(made, None, lists.ListPopOpts(tf.int32, ()))
        show(run([last, lists.list_stack(rest, lists.ListStackOpts(tf.int32, None))]))
        show(lists.new_list([3, 4]), lists.list_append([], 1), lists.list_stack([1, 2], lists.ListStackOpts(None, sum)))
        array = lists.list_append(tf.TensorArray(tf.int32, 0, dynamic_size=True), 7)
        show(run(array.stack()))
        fails(lists.list_pop, made, 0, lists.ListPopOpts(tf.int32, ()))
        fails(lists.list_pop, made, None, lists.ListPopOpts(None, ()))
        fails(lists.list_stack, made, lists.ListStackOpts(None, None))
        fails(lists.list_pop, array, None, lists.ListPopOpts(None, ()))
        fails(lists.tf_tensor_list_new, tf.constant([1, 2, 3]), element_shape=[1])
        fails(lists.tf_tensor_array_new, [], element_shape=(2,))
    """,
}

CASES = programs("borrowed", {name: START + textwrap.dedent(text) for name, text in TEXTS.items()})
