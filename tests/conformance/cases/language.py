"""Graphs, names, scopes, collections, printed forms, conversion, dtypes."""

from ..case import programs

CASES = programs(
    "language",
    {
        "default_names": """
        a = tf.constant(2.0); b = tf.constant(3.0, tf.float32, name='b')
        show(a, b, tf.multiply(a, b), a * b, a + b, tf.add(a, b), a - b, a / b, -a, a ** b)
    """,
        "unique_names": """
        for _ in range(3):
            show(tf.constant(1.), tf.placeholder(tf.float32))
        show(tf.constant(1., name="Const"), tf.constant(1., name="Const_1"), tf.constant(1., name="x/y"))
    """,
        "names_of_operators": """
        a = tf.constant([1, 2]); b = tf.constant([3, 4])
        show(a // b, a % b, a < b, a <= b, a > b, a >= b, abs(a), a == b)
        c = tf.constant([True, False])
        show(c & c, c | c, c ^ c, ~c)
    """,
        "reversed_operators": """
        a = tf.constant([1., 2.])
        show(1 + a, 1 - a, 2 * a, 1 / a, 2 ** a, 3 // a, 3 % a, [1., 1.] + a)
        show(np.float32(2) * a, [[1., 2.], [3., 4.]] @ tf.constant([[1.], [2.]]))
        show([op.name for op in tf.get_default_graph().get_operations()])
    """,
        "operations_of_the_tutorial": """
        b = tf.placeholder(tf.float32, name="b"); c = tf.placeholder(tf.float32, name="c")
        d = b + c; e = c + 2; a = d * e
        show(a, [op.name for op in tf.get_default_graph().get_operations()])
        show(run(a, {b: 1., c: 2.}))
    """,
        "reprs": """
        a = tf.constant([[1., 2.]], name="a")
        p = tf.placeholder(tf.int32, [None, 3]); u = tf.placeholder(tf.string)
        show(str(a), repr(a), str(p), repr(p), str(u), repr(u), repr(a.op))
        v = tf.Variable([1., 2.], name="v")
        show(str(v), repr(v), str(v.op.name), repr(v.initializer))
        show(repr(tf.float32), str(tf.float32), repr(tf.int64), str(tf.string), repr(v.dtype), tf.bool.name)
        show(repr(a.shape), str(a.shape), repr(p.shape), str(p.shape), repr(u.shape), str(u.shape))
        show(repr(p.shape[0]), str(p.shape[0]), repr(p.shape[1]), str(p.shape[1]))
    """,
        "operation_fields": """
        with tf.device("/cpu:0"):
            a = tf.constant(1., name="a")
        with tf.control_dependencies([a]):
            b = tf.identity(a, name="b")
        show(b.op, b.op.name, b.op.type, b.op.device, a.op.device, [t.name for t in b.op.inputs])
        show([t.name for t in b.op.outputs], [op.name for op in b.op.control_inputs], b.value_index)
        show([op.name for op in a.consumers()], b.graph is tf.get_default_graph(), b.op.graph is b.graph)
        c = tf.matmul([[1.]], [[2.]], transpose_b=True)
        show(c.op.get_attr("transpose_a"), c.op.get_attr("transpose_b"))
    """,
        "name_scopes": """
        with tf.name_scope("outer") as outer:
            a = tf.constant(1., name="a")
            with tf.name_scope("inner"):
                b = tf.add(a, a)
            with tf.name_scope("inner") as again:
                c = tf.add(a, a, name="c")
        with tf.name_scope("outer") as second:
            d = tf.constant(1., name="a")
        with tf.name_scope(outer):
            e = tf.constant(1., name="e")
        with tf.name_scope(None):
            f = tf.constant(1., name="f")
        show(a, b, c, d, e, f, outer, again, second)
    """,
        "name_scope_values": """
        with tf.name_scope(None, "default", [1.]) as s:
            show(s, tf.constant(1.))
        with tf.name_scope("given", "default") as s:
            show(s, tf.constant(1.))
        with tf.name_scope("a/b") as s:
            show(s, tf.constant(1.))
    """,
        "name_scope_absolute": """
        with tf.name_scope("x"):
            show(tf.constant(1., name="y/"), tf.constant(1., name="z"), tf.constant(1., name="z"))
        show(tf.constant(1., name="x/z"), tf.constant(1., name="x"), tf.constant(1., name="X"))
    """,
        "bad_names": """
        fails(tf.constant, 1., name="a b")
        fails(tf.constant, 1., name="_a")
        fails(lambda: tf.name_scope("sp ace").__enter__())
        fails(tf.placeholder, tf.float32, None, "-x")
    """,
        "composite_scopes": """
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        show(tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.relu(x), tf.nn.sigmoid(x), tf.nn.tanh(x))
        show(tf.nn.l2_loss(x), tf.nn.bias_add(x, [1., 2., 3., 4.]), tf.reduce_mean(x), tf.reduce_sum(x, 1))
        show([op.name for op in tf.get_default_graph().get_operations()])
    """,
        "names_of_cross_entropy": """
        x = tf.placeholder(tf.float32, [None, 4], name="x"); y = tf.placeholder(tf.float32, [None, 4], name="y")
        z = tf.placeholder(tf.int64, [None], name="z")
        show(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x))
        show(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x))
        show(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=z, logits=x))
        show(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x))
    """,
        "names_of_helper_constants": """
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        show(tf.reduce_sum(x), tf.reduce_sum(x, 1), tf.reduce_mean(x, [0, 1]), tf.reduce_max(x, axis=0, name="m"))
        show(tf.constant(1.), tf.reduce_sum(x), tf.constant(1.))
    """,
        "names_of_helper_constants_unknown_rank": """
        x = tf.placeholder(tf.float32, name="x")
        show(tf.reduce_sum(x), tf.range(3), tf.rank(x), tf.constant(1))
    """,
        "graph_lookup": """
        a = tf.constant(1., name="a")
        g = tf.get_default_graph()
        show(g.get_tensor_by_name("a:0") is a, g.get_operation_by_name("a") is a.op)
        show(g.as_graph_element("a:0") is a, g.as_graph_element("a") is a.op, g.as_graph_element(a) is a)
        fails(g.get_tensor_by_name, "a")
        fails(g.get_tensor_by_name, "b:0")
        fails(g.get_tensor_by_name, "a:1")
        fails(g.get_operation_by_name, "b")
        fails(g.get_operation_by_name, "a:0")
        fails(g.as_graph_element, 7)
        fails(g.get_tensor_by_name, a)
    """,
        "graphs": """
        g = tf.Graph()
        with g.as_default():
            c = tf.constant(1.)
            show(c.graph is g, tf.get_default_graph() is g)
        show(tf.get_default_graph() is g, c.graph is tf.get_default_graph())
        d = tf.constant(2.)
        fails(lambda: c + d)
        with tf.Session(graph=g) as s:
            show(s.run(c), s.graph is g)
            fails(s.run, d)
        g.finalize()
        show(g.finalized)
        with g.as_default():
            fails(tf.constant, 2.)
    """,
        "collections": """
        g = tf.get_default_graph()
        tf.add_to_collection("things", 1); tf.add_to_collection("things", 2); g.add_to_collection("other", "x")
        show(tf.get_collection("things"), tf.get_collection("none"), g.get_all_collection_keys())
        tf.get_collection("things").append(3)
        show(tf.get_collection("things"))
        tf.get_collection_ref("things").append(3)
        show(tf.get_collection("things"))
        g.add_to_collections(["p", "q"], 5)
        show(g.get_collection("p"), g.get_collection("q"))
        g.clear_collection("things")
        show(tf.get_collection("things"))
    """,
        "collection_scopes": """
        with tf.name_scope("net"):
            a = tf.Variable(1., name="a")
        b = tf.Variable(1., name="b", trainable=False)
        c = tf.Variable(1., name="c", collections=[tf.GraphKeys.LOCAL_VARIABLES])
        show([v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)])
        show([v.name for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="net")])
        show([v.name for v in tf.trainable_variables()], [v.name for v in tf.global_variables()])
        show([v.name for v in tf.local_variables()], sorted(tf.get_default_graph().get_all_collection_keys()))
    """,
        "graph_keys": """
        K = tf.GraphKeys
        show(K.GLOBAL_VARIABLES, K.LOCAL_VARIABLES, K.TRAINABLE_VARIABLES, K.SUMMARIES, K.LOSSES, K.TRAIN_OP)
        show(K.REGULARIZATION_LOSSES, K.UPDATE_OPS, K.GLOBAL_STEP, K.QUEUE_RUNNERS, K.MODEL_VARIABLES, K.INIT_OP)
    """,
        "control_dependencies": """
        a = tf.constant(1., name="a"); b = tf.constant(2., name="b")
        with tf.control_dependencies([a]):
            c = tf.constant(3., name="c")
            with tf.control_dependencies([b.op]):
                d = tf.identity(c, name="d")
                with tf.control_dependencies(None):
                    e = tf.constant(1., name="e")
        show(c.op, d.op, e.op)
        f = tf.group(a, b.op, name="f")
        g = tf.no_op()
        show(f, g, tf.tuple([a, b])[1])
    """,
        "group": """
        v = tf.Variable(1.); w = tf.Variable(2.)
        both = tf.group(v.assign(5.), w.assign(6.))
        show(both, tf.group(), tf.group(name="nothing"))
        show(run(both), run([v, w]))
        fails(tf.group, 3)
    """,
        "unique_name": """
        g = tf.get_default_graph()
        show(g.unique_name("n"), g.unique_name("n"), g.unique_name("n", mark_as_used=False), g.unique_name("n"))
        with g.name_scope("s"):
            show(g.unique_name("n"), g.get_name_scope())
    """,
        "constant_dtypes": """
        show(tf.constant(1), tf.constant(1.), tf.constant(True), tf.constant("a"), tf.constant(1j), tf.constant(b"x"))
        show(tf.constant([1, 2.5]), tf.constant([[1], [2]]), tf.constant(np.float64(1)), tf.constant(np.int64(1)))
        show(tf.constant(2 ** 40), tf.constant([]), tf.constant(np.zeros((2, 0))), tf.constant(1, tf.float16))
        show(tf.constant(np.arange(3)), tf.constant([True, False]), tf.constant(np.array(["a", "b"])))
        show(run(tf.constant("a")), run(tf.constant([b"a", b"bc"])), run(tf.constant(2 ** 40)))
    """,
        "constant_shapes": """
        show(run(tf.constant(7., shape=[2, 3])), run(tf.constant([1, 2, 3, 4], shape=[2, 2])))
        show(run(tf.constant([1, 2], shape=[4])))
        fails(tf.constant, [1, 2, 3], shape=[2])
        fails(tf.constant, [[1, 2], [3]])
        fails(tf.constant, 1, shape=[2], verify_shape=True)
    """,
        "constant_type_errors": """
        fails(tf.constant, 1.5, tf.int32)
        fails(tf.constant, "a", tf.float32)
        fails(tf.constant, [1, "a"])
        fails(tf.constant, None)
        fails(tf.constant, [1., 2.], dtype=tf.int64)
        fails(tf.constant, 1, tf.string)
        fails(tf.constant, True, tf.int32)
        fails(tf.constant, 1, tf.bool)
    """,
        "convert_to_tensor": """
        a = tf.constant(1.)
        show(tf.convert_to_tensor(a) is a, tf.convert_to_tensor([1, 2]), tf.convert_to_tensor([a, 2.]))
        show(tf.convert_to_tensor(1, preferred_dtype=tf.float32), tf.convert_to_tensor(1, tf.float64, name="n"))
        v = tf.Variable(1., name="v"); show(tf.convert_to_tensor(v))
        fails(tf.convert_to_tensor, a, tf.int32)
        fails(tf.convert_to_tensor, object(), tf.float32)
        fails(tf.convert_to_tensor, 1.5, dtype=tf.int32)
        show(run(tf.convert_to_tensor([a, 2.])))
    """,
        "numpy_inputs": """
        m = np.arange(6, dtype=np.float32).reshape(2, 3)
        show(tf.matmul(m, m.T), tf.add(m, 1.), tf.reduce_sum(m), run(tf.matmul(m, m.T)))
        show(tf.constant(m)[0], tf.constant(m)[:, 1], tf.constant(m)[-1, 0:2])
    """,
        "placeholders": """
        show(tf.placeholder(tf.float32), tf.placeholder(tf.float32, ()), tf.placeholder(tf.float32, 3))
        show(tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, (2,), name="p"), tf.placeholder("float"))
        show(tf.placeholder(tf.bool, tf.TensorShape([4, None])), tf.placeholder(np.float64, [1]))
        d = tf.placeholder_with_default([[1., 2.]], [None, 2])
        show(d, run(d), run(d, {d: [[3., 4.], [5., 6.]]}))
        fails(tf.placeholder)
        fails(tf.placeholder, "no such type")
    """,
        "get_shape_set_shape": """
        p = tf.placeholder(tf.float32)
        show(p.shape, p.get_shape().ndims)
        p.set_shape([None, 3]); show(p.shape)
        p.set_shape([2, None]); show(p.shape, p.shape.as_list())
        fails(p.set_shape, [4, 4])
        fails(p.set_shape, [2])
    """,
        "tensor_as_python": """
        t = tf.constant([1., 2.])
        fails(bool, t)
        fails(lambda: [v for v in t])
        fails(lambda: t and t)
        fails(float, t)
        show(hash(t) == id(t) // 1 or True, t in {t: 1}, {t: "here"}[t])
        fails(len, t)
        fails(lambda: t.no_such_attribute)
        fails(lambda: tf.constant(1.)[0])
        fails(lambda: t[0, 0])
        fails(lambda: t["a"])
        fails(lambda: t[1.5])
    """,
        "dtypes": """
        show(tf.as_dtype("float32"), tf.as_dtype(np.int64), tf.as_dtype(float), tf.as_dtype(bool))
        show(tf.float32 == np.float32, tf.float32 == "float32", tf.float32 != tf.float64)
        show(tf.float32.is_floating, tf.int32.is_integer, tf.complex64.is_complex, tf.bool.is_bool, tf.uint8.is_unsigned)
        show(tf.float32.size, tf.int64.size, tf.complex128.size, tf.float16.max, tf.int8.min, tf.int32.max)
        show(tf.float32.as_numpy_dtype is np.float32, tf.float32.base_dtype, tf.float32.real_dtype, tf.complex64.real_dtype)
        fails(tf.as_dtype, "float31")
        show(tf.float32.is_compatible_with(tf.float32), tf.float32.is_compatible_with(tf.int32), tf.bool.is_numpy_compatible)
    """,
        "ref_dtypes": """
        v = tf.Variable(1., name="v")
        show(v.dtype, v.dtype.base_dtype, v.dtype == tf.float32, v.dtype.base_dtype == tf.float32)
        show(v.value(), v.read_value(), v.initialized_value(), v.initial_value, v.op, v.graph is tf.get_default_graph())
    """,
        "tensor_shapes": """
        s = tf.TensorShape([2, None, 3]); u = tf.TensorShape(None)
        show(s, u, s.ndims, u.ndims, s.as_list(), len(s), s[0], s[1], s[-1], s[1:], s[:2], s.num_elements())
        show(s.is_fully_defined(), tf.TensorShape([2, 3]).is_fully_defined(), tf.TensorShape([2, 3]).num_elements())
        show(s.concatenate([4]), s.concatenate(u), s.merge_with([2, 5, 3]), s.with_rank(3), s.with_rank_at_least(2))
        show(s.is_compatible_with([2, 9, 3]), s.is_compatible_with([3, 9, 3]), s.is_compatible_with(u), s == [2, None, 3])
        show([d.value for d in s], s.dims[0].value, tf.TensorShape(()).ndims, bool(u), bool(s))
        show(tf.TensorShape(5), tf.TensorShape([tf.Dimension(2)]), tf.TensorShape([2]) == tf.TensorShape([2]))
    """,
        "tensor_shape_errors": """
        s = tf.TensorShape([2, None])
        fails(s.merge_with, [3, 3])
        fails(s.merge_with, [2])
        fails(s.assert_has_rank, 3)
        fails(s.with_rank, 1)
        fails(s.with_rank_at_least, 3)
        fails(s.with_rank_at_most, 1)
        fails(s.assert_is_compatible_with, tf.TensorShape([3, 3]))
        fails(s.assert_is_fully_defined)
        fails(s.assert_same_rank, [1])
        fails(tf.TensorShape(None).as_list)
        fails(lambda: len(tf.TensorShape(None)))
        fails(tf.TensorShape, [-2])
    """,
        "dimensions": """
        D = tf.Dimension
        show(D(3), D(None), D(3) + 2, D(3) - 1, D(3) * 2, D(7) // 2, D(7) % 2, D(None) + 1, 2 + D(3), 2 * D(3))
        show(D(3) == 3, D(3) == D(4), D(None) == 3, D(3) < 4, D(3) >= D(None), int(D(3)), D(None).value)
        show(D(3).is_compatible_with(D(None)), D(3).merge_with(D(None)), repr(D(3)), str(D(None)), repr(D(None)))
        fails(D(3).merge_with, D(4))
        fails(D, -1)
        fails(D(3).assert_is_compatible_with, 4)
    """,
        "broadcast_static_shape": """
        show(tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])))
        show(tf.broadcast_static_shape(tf.TensorShape([None, 3]), tf.TensorShape([1])))
        fails(tf.broadcast_static_shape, tf.TensorShape([2]), tf.TensorShape([3]))
    """,
        "device_scopes": """
        with tf.device("/gpu:0"):
            a = tf.constant(1.)
            with tf.device("/cpu:0"):
                b = tf.constant(1.)
            with tf.device("/job:ps/task:1"):
                c = tf.constant(1.)
            with tf.device(None):
                d = tf.constant(1.)
        show(a.device, b.device, c.device, d.device, tf.constant(1.).device)
        with tf.device("/job:worker"):
            with tf.device("/task:3/device:GPU:2"):
                show(tf.constant(1.).device)
            with tf.device("/job:ps"):
                show(tf.constant(1.).device)
            with tf.device(""):
                show(tf.constant(1.).device)
    """,
        "device_functions": """
        with tf.device(lambda op: "/gpu:1" if op.type == "Const" else "/cpu:0"):
            a = tf.constant(1.); b = a + a
            with tf.device("/job:w"):
                c = tf.constant(1.)
        show(a.device, b.device, c.device)
        with tf.device("/job:x"):
            with tf.device(lambda op: "/gpu:1"):
                show(tf.constant(1.).device)
        with tf.device(lambda op: ""):
            show(tf.constant(1.).device)
    """,
        "device_errors": """
        fails(lambda: tf.device("nonsense").__enter__())
        fails(lambda: tf.device("/cpu:0/gpu:0").__enter__())
    """,
        "device_of_variables": """
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1., name="v")
        show(v.device, v.initializer.device, v.op.device, v.assign(2.).device, v.value().device, v.read_value().device)
        with tf.device("/job:worker/task:1"):
            show(v.assign_add(1.).device, (v + 1.).device)
    """,
        "colocate_with": """
        with tf.device("/cpu:0"):
            a = tf.constant(1., name="a")
        with tf.device("/gpu:0"):
            with tf.colocate_with(a):
                b = tf.constant(1., name="b")
        show(b.device, b.op.colocation_groups(), a.op.colocation_groups())
    """,
        "interactive_session": """
        s = tf.InteractiveSession()
        a = tf.constant(3.)
        show(a.eval(), (a * 2).eval(), tf.get_default_session() is s)
        v = tf.Variable(4.); v.initializer.run(); show(v.eval())
        s.close()
        show(tf.get_default_session() is None)
    """,
        "eval_without_session": """
        fails(tf.constant(1.).eval)
        fails(tf.no_op().run)
        x = tf.placeholder(tf.float32, name="x")
        with tf.Session().as_default():
            show((x * 2).eval(feed_dict={x: 3.}), (x * 2).eval({x: 4.}))
            fails(x.eval)
    """,
        "eval_in_another_graph": """
        with tf.Graph().as_default():
            other = tf.Session()
            theirs = tf.constant(1.)
        with other.as_default():
            fails(tf.constant(1.).eval)
        fails(tf.constant(1.).eval, session=other)
    """,
        "truth_values_as_numbers": """
        made = [tf.constant(1) + True, tf.constant(1.5) * True, True - tf.constant(2, tf.int8), tf.constant(1j) * False, tf.constant([1, 2]) * [True, False], tf.convert_to_tensor(True, preferred_dtype=tf.int32)]
        show(made, run(made)); fails(lambda: tf.constant(True) + 1)
    """,
        "numbers_as_strings": """
        fails(tf.constant, np.int32(-2), tf.string); fails(tf.constant, np.array([1, 2]), tf.string); fails(tf.convert_to_tensor, np.float64(1.5), tf.string)
        show(tf.constant(np.array(['a', 'b']), tf.string), tf.constant(np.array([b'a'], object), tf.string))
    """,
        "ranges_of_other_types": """
        fails(tf.range, True); fails(tf.range, tf.constant(3, tf.int16)); fails(tf.range, 0, tf.constant('a'))
        show(tf.range(3, dtype=tf.int64), tf.range(0, 2.5))
    """,
        "limits_of_types": """
        show([tf.as_dtype(t).limits for t in ('uint8', 'int32', 'int64', 'uint16', 'float32', 'float64', 'bool')])
        for t in ('string', 'float16', 'complex64'): fails(lambda: tf.as_dtype(t).limits)
    """,
        "math_on_int_and_float": """
        i = tf.constant(1); f = tf.constant(1.)
        fails(lambda: i + f)
        fails(lambda: f + i)
        fails(lambda: tf.multiply(i, f))
        fails(lambda: i + 1.5)
        show(f + 1, i + 1, f * 2, run(f + 1))
        fails(lambda: tf.add(f, "a"))
        fails(lambda: tf.matmul(tf.constant([[1]]), tf.constant([[1.]])))
        fails(lambda: tf.constant([True]) + tf.constant([True]))
        fails(lambda: tf.constant("a") * tf.constant("b"))
    """,
        "op_scope_of_composites": """
        with tf.name_scope("layer"):
            x = tf.placeholder(tf.float32, [None, 3], name="x")
            w = tf.Variable(tf.zeros([3, 2]), name="w"); b = tf.Variable(tf.zeros([2]), name="b")
            y = tf.nn.relu(tf.matmul(x, w) + b, name="y")
        show(x, w, b, y, [op.name for op in tf.get_default_graph().get_operations()])
    """,
        "names_of_random_ops": """
        show(tf.random_normal([2]), tf.random_uniform([2]), tf.truncated_normal([2]), tf.random_shuffle([1, 2]))
        show([op.name for op in tf.get_default_graph().get_operations()])
    """,
        "names_of_creation_ops": """
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        show(tf.zeros([2]), tf.ones([2, 2]), tf.fill([2], 1.), tf.zeros_like(x), tf.ones_like(x), tf.range(5))
        show([op.name for op in tf.get_default_graph().get_operations()])
    """,
        "names_of_array_ops": """
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        show(tf.reshape(x, [3, 2]), tf.transpose(x), tf.expand_dims(x, 0), tf.squeeze(x[None]), tf.concat([x, x], 0))
        show(tf.stack([x, x]), tf.unstack(x)[1], tf.split(x, 3, 1)[2], tf.tile(x, [1, 2]), tf.slice(x, [0, 0], [1, 1]))
        show(tf.gather(x, [0]), tf.shape(x), tf.size(x), tf.rank(x), tf.pad(x, [[1, 1], [0, 0]]), tf.one_hot([1], 3))
        show(tf.cast(x, tf.int32), tf.argmax(x, 1), tf.where(x > 0, x, x), tf.equal(x, x), tf.identity(x))
        show([op.name for op in tf.get_default_graph().get_operations()])
    """,
        "names_of_variable_ops": """
        v = tf.Variable(tf.zeros([2]), name="v")
        v.assign([1., 1.]); v.assign_add([1., 1.]); tf.assign_sub(v, [1., 1.]); tf.global_variables_initializer()
        show([op.name for op in tf.get_default_graph().get_operations()])
    """,
        "names_of_training": """
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.Variable([[1.], [2.]], name="w")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)), name="loss")
        train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
        show(train, train.name, train.type)
        names = [op.name for op in tf.get_default_graph().get_operations()]
        show([n for n in names if not n.startswith("gradients/")])
    """,
        "strings": """
        s = tf.constant(["a", "bc"])
        show(s, run(s), run(tf.equal(s, "a")))
        show(tf.constant("x") + tf.constant("y"), run(tf.constant("x") + tf.constant("y")))
    """,
        "sets_of_exceptions": """
        E = tf.errors
        for name in ("Cancelled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists",
                     "PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange",
                     "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated"):
            cls = getattr(E, name + "Error")
            e = cls(None, None, "text of it")
            show(**{name: [e.error_code, str(e), e.message, isinstance(e, E.OpError), e.op is None, cls.__mro__[1].__name__]})
    """,
    },
)
