"""Programs that walk the nodes of a GraphDef, change them, or make them by hand."""

from ..case import programs

TEXTS = {
    "walk": """
        x = tf.placeholder(tf.float32, [None, 3], name='x'); c = tf.constant([[1., 2.], [3., 4.]], name='c')
        y = tf.nn.conv2d(tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1]), [1, 2, 2, 1], 'SAME', name='cv')
        z = tf.matmul(c, c, name='mm')
        n = {n.name: n for n in tf.get_default_graph().as_graph_def().node}
        show([d.size for d in n['x'].attr['shape'].shape.dim], n['x'].attr['dtype'].type, n['x'].attr['dtype'].WhichOneof('value'))
        show(list(n['cv'].attr['strides'].list.i), n['cv'].attr['padding'].s, n['cv'].attr['T'].type, n['mm'].attr['transpose_a'].b)
        show(n['c'].attr['value'].tensor.tensor_content, n['c'].attr['value'].tensor.dtype, [d.size for d in n['c'].attr['value'].tensor.tensor_shape.dim])
        show('T' in n['mm'].attr, 'nothing' in n['mm'].attr, sorted(n['mm'].attr), str(n['mm'].attr['T']))
        show(tf.make_ndarray(n['c'].attr['value'].tensor), list(n['mm'].input))
    """,
    "walk_all": """
        p = tf.parse_example(tf.placeholder(tf.string, [None]), {'a': tf.FixedLenFeature([2], tf.float32)}, name='p')
        gd = tf.get_default_graph().as_graph_def()
        show(len([v for n in gd.node for v in n.attr.values() if v.WhichOneof('value') == 'tensor']) > 0, 'ParseExample' in str(gd))
    """,
    "text": """
        tf.constant([1., 2.], name='c'); tf.constant(3, name='d'); tf.constant(2., shape=[3], name='e'); tf.constant(['a', 'b'], name='f'); tf.placeholder(tf.int64, [None, 2], name='p')
        for n in tf.get_default_graph().as_graph_def().node:
            show(*sorted(line for line in str(n).splitlines() if 'key' not in line and 'value {' not in line and 'attr' not in line and '}' not in line))
    """,
    "values": """
        c = tf.constant(1.5, name='c'); d = tf.constant([7], tf.int32, name='d'); s = tf.constant(['a', 'bc'], name='s'); f = tf.fill([2, 2], 1.)
        for t in (c, d, s):
            v = t.op.node_def.attr['value'].tensor
            show(list(v.float_val), list(v.int_val), list(v.string_val), v.dtype, tf.make_ndarray(v).tolist())
    """,
    "get_attr": """
        x = tf.placeholder(tf.float32, [None, 3]); y = tf.nn.relu(x); z = tf.concat([x, x], 1); t = tf.stack([x, x, x], axis=1)
        show(y.op.get_attr('T'), z.op.get_attr('N'), t.op.get_attr('N'), t.op.get_attr('axis'), x.op.get_attr('dtype'), [d.size for d in x.op.get_attr('shape').dim])
        show(tf.make_ndarray(tf.constant([1., 2.]).op.get_attr('value')).tolist()); fails(lambda: y.op.get_attr('none'))
    """,
    "change": """
        with tf.Graph().as_default() as g:
            x = tf.placeholder(tf.float32, [None, 2], name='x'); y = tf.nn.leaky_relu(x, alpha=0.5, name='y'); z = tf.matmul(y, tf.ones([2, 2]), transpose_a=True, name='z')
        gd = g.as_graph_def()
        for n in gd.node:
            if n.op == 'LeakyRelu':
                n.attr['alpha'].f = 0.25
            if n.op == 'MatMul':
                n.attr['transpose_a'].b = False
                del n.attr['transpose_b']
            if n.name == 'x':
                n.attr['shape'].shape.dim[0].size = 1
        [x, z] = tf.import_graph_def(gd, return_elements=['x:0', 'z:0'], name='')
        show(x.shape, z.shape, run(z, {x: [[-4., 2.]]}))
    """,
    "change_type": """
        with tf.Graph().as_default() as g:
            tf.square(tf.placeholder(tf.float32, [2], name='x'), name='y')
        gd = g.as_graph_def()
        for n in gd.node:
            for key in ('T', 'dtype'):
                if key in n.attr and n.attr[key].type == tf.float32.as_datatype_enum:
                    n.attr[key].type = tf.float64.as_datatype_enum
        x, y = tf.import_graph_def(gd, return_elements=['x:0', 'y:0'], name='')
        show(x.dtype, y.dtype, run(y, {x: [2., 3.]}))
    """,
    "wrong_type": """
        with tf.Graph().as_default() as g:
            tf.square(tf.placeholder(tf.float32, [2], name='x'), name='y')
        gd = g.as_graph_def()
        gd.node[1].attr['T'].type = tf.int32.as_datatype_enum
        fails(lambda: tf.import_graph_def(gd, name=''))
    """,
    "by_hand": """
        gd = tf.GraphDef()
        gd.node.extend([tf.NodeDef(name='x', op='Placeholder', attr={'dtype': tf.AttrValue(type=tf.float32.as_datatype_enum)})])
        n = gd.node.add(); n.name = 'axis'; n.op = 'Const'; n.attr['dtype'].type = tf.int32.as_datatype_enum; n.attr['value'].tensor.CopyFrom(tf.make_tensor_proto([1], tf.int32))
        n = gd.node.add(); n.name = 's'; n.op = 'Sum'; n.input.extend(['x', 'axis']); n.attr['T'].type = 1; n.attr['Tidx'].type = 3; n.attr['keep_dims'].b = True
        n = gd.node.add(); n.name = 'p'; n.op = 'Pack'; n.input.append('s'); n.input.append('s'); n.attr['N'].i = 2; n.attr['T'].CopyFrom(tf.AttrValue(type=1)); n.attr['axis'].i = 0
        x, p = tf.import_graph_def(gd, return_elements=['x:0', 'p:0'], name='')
        show(run(p, {x: [[1., 2.], [3., 4.]]}), [(o.name, o.type) for o in (x.op, p.op)])
    """,
    "graph_defs": """
        a = tf.identity(tf.constant(1., name='c'), name='i'); gd = tf.get_default_graph().as_graph_def(); out = tf.GraphDef()
        for n in gd.node:
            m = out.node.add(); m.CopyFrom(n); m.device = '/cpu:0'
        out.library.CopyFrom(gd.library); out.versions.CopyFrom(gd.versions)
        show([(n.name, n.op, n.device) for n in out.node], len(gd.library.function), gd.versions.producer > 0)
        other = tf.GraphDef(); other.ParseFromString(out.SerializeToString()); show([n.name for n in other.node], other.node[1].attr['T'].type)
    """,
    "attr_values": """
        v = tf.AttrValue(list=tf.AttrValue.ListValue(i=[1, 2])); v.list.i.append(3); show(v.WhichOneof('value'), list(v.list.i), v.HasField('list'), v.i, v.s, list(v.list.s))
        w = tf.AttrValue(); show(w.WhichOneof('value'), w.type, w.b); w.s = b'abc'; show(w.s, str(w)); w.i = 3; show(str(w), w == tf.AttrValue(i=3), w == tf.AttrValue(i=4))
        w.shape.CopyFrom(tf.TensorShape([2, None]).as_proto()); show(w.WhichOneof('value'), str(w)); w.shape.dim.add().size = 5; show(len(w.shape.dim), tf.TensorShape(w.shape))
        u = tf.AttrValue(shape=tf.TensorShape(None).as_proto()); show(u.shape.unknown_rank, str(u))
    """,
    "numbers": """
        show([t.as_datatype_enum for t in (tf.float32, tf.int32, tf.string, tf.bool, tf.float16, tf.bfloat16, tf.resource)], tf.as_dtype(1), tf.as_dtype(9), tf.float32._as_ref.as_datatype_enum)
        p = tf.TensorShape([2, None]).as_proto(); show([d.size for d in p.dim], p.unknown_rank, str(p), tf.TensorShape(p), tf.TensorShape(tf.TensorShape(None).as_proto()))
    """,
    "frozen_parts": """
        g = tf.get_default_graph(); ids = tf.placeholder(tf.int32, [None], "ids")
        for kind in (False, True):
            with tf.variable_scope("s%d" % kind, partitioner=tf.fixed_size_partitioner(3)):
                e = tf.get_variable("e", [7, 2], initializer=tf.ones_initializer(), use_resource=kind); look = tf.nn.embedding_lookup(e, ids) + tf.cond(ids[0] > 0, lambda: tf.reduce_sum(e), lambda: 2.)
            tf.identity(look, "z%d" % kind); run(tf.global_variables_initializer()); frozen = tf.graph_util.convert_variables_to_constants(session(), g.as_graph_def(), ["z%d" % kind])
            show(sorted({n.op for n in frozen.node} & {"ReadVariableOp", "VariableV2", "VarHandleOp", "Identity"}))
            with tf.Graph().as_default(), tf.Session() as s: z, = tf.import_graph_def(frozen, return_elements=["z%d:0" % kind], name=""); show(s.run(z, {"ids:0": [0, 6]}), s.run(z, {"ids:0": [5]}))
    """,
    "an_unknown_op_beside_a_network": """
        def odd(make):
            with tf.Graph().as_default() as g:
                tf.identity(make(tf.placeholder(tf.float32, [2, 3, 4], "x")), "out"); gd = g.as_graph_def()
            n = gd.node.add(); n.name = "odd"; n.op = "MyOddOp"; n.input.append("out")
            for each in (gd, tf.GraphDef.FromString(gd.SerializeToString())):
                with tf.Graph().as_default():
                    try: tf.import_graph_def(each, name="")
                    except tf.errors.NotFoundError as e: show(str(e).split(" in binary")[0])
        odd(lambda x: tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(5), x, dtype=tf.float32)[0]); odd(lambda x: tf.cond(x[0, 0, 0] > 0, lambda: x, lambda: -x)); odd(lambda x: tf.layers.conv1d(x, 3, 2))
    """,
    "freeze_by_hand": """
        v = tf.Variable([1., 2.], name='v'); tf.add(v, 1., name='y'); run(tf.global_variables_initializer())
        out = tf.GraphDef()
        for n in tf.get_default_graph().as_graph_def().node:
            if n.name == 'v':
                m = out.node.add(); m.op = 'Const'; m.name = n.name
                m.attr['dtype'].CopyFrom(n.attr['dtype']); m.attr['value'].CopyFrom(tf.AttrValue(tensor=tf.make_tensor_proto(run(v))))
            elif n.name in ('v/read', 'y', 'add/y', 'y/y', 'y/x'):
                m = out.node.add(); m.CopyFrom(n)
                if '_class' in m.attr:
                    del m.attr['_class']
        with tf.Graph().as_default():
            [y] = tf.import_graph_def(out, return_elements=['y:0'], name='')
            show(tf.Session().run(y))
    """,
}

CASES = programs("node_defs", TEXTS)
