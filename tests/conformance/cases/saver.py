"""Checkpoints: the saver's nodes, its files, what it restores, and what it says when it cannot."""

from ..case import programs

_START = """
        import os, pathlib
        d = folder
        def listing(): return sorted(f for f in os.listdir(d) if not f.startswith("events"))
        def state(): return pathlib.Path(os.path.join(d, "checkpoint")).read_text()
        def new_ops(n): return [(o.name, o.type, [i.name for i in o.inputs], o.device) for o in tf.get_default_graph().get_operations()[n:]]
"""

_MODEL = (
    _START
    + """
        a = tf.Variable([1., 2.], name="a"); b = tf.Variable(3, name="b")
"""
)

_SAVED = (
    _MODEL
    + """
        saver = tf.train.Saver(); path = d + "/m"
        run([a, b]); saver.save(session(), path)
"""
)

_OTHER = """
        def restored(make, path, **kwargs):
            with tf.Graph().as_default():
                made = make(); saver = tf.train.Saver(**kwargs)
                with tf.Session() as sess:
                    saver.restore(sess, path); return sess.run(made)
"""

CASES = (
    programs(
        "saver",
        {
            "list_of_variables_in_parts": """
        import os
        w = tf.get_variable("w", [4, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2)); v = tf.Variable(2., name="v")
        run(v); saver = tf.train.Saver([w, v]); path = saver.save(session(), os.path.join(folder, "m")); show(tf.train.list_variables(path))
        run([p.assign(p * 3.) for p in w]); saver.restore(session(), path); show(run(tf.identity(w)))
        fails(tf.train.Saver, [w, w]); fails(tf.train.Saver, [w, list(w)[0]])
        """,
            "nodes": _MODEL
            + """
        n = len(tf.get_default_graph().get_operations()); saver = tf.train.Saver()
        show(new_ops(n)); s = saver.saver_def
        show(s.filename_tensor_name, s.save_tensor_name, s.restore_op_name, s.max_to_keep, s.sharded, s.keep_checkpoint_every_n_hours)
        """,
            "nodes_reshape": _MODEL
            + """
        n = len(tf.get_default_graph().get_operations()); tf.train.Saver(reshape=True); show(new_ops(n))
        """,
            "nodes_named": _MODEL
            + """
        saver = tf.train.Saver({"x": a}, name="mine", filename="f"); show(saver.as_saver_def().restore_op_name)
        show(tf.get_default_graph().get_tensor_by_name("mine/SaveV2/tensor_names:0"), run("mine/SaveV2/tensor_names:0"), run("mine/Const:0"))
        """,
            "nodes_on_devices": _START
            + """
        with tf.device("/job:ps/task:1"): a = tf.Variable([1.], name="a")
        with tf.device("/job:ps/task:0"): b = tf.Variable([1.], name="b")
        c = tf.Variable(1., name="c")
        saver = tf.train.Saver(sharded=True); g = tf.get_default_graph(); show(saver.saver_def.save_tensor_name, saver.saver_def.restore_op_name)
        show([(o.name, o.device) for o in g.get_operations() if o.type in ("SaveV2", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename", "Assign")])
        """,
            "two_savers": _MODEL
            + """
        show([tf.train.Saver(max_to_keep=k).saver_def.save_tensor_name for k in (1, 2)])
        """,
            "save_and_restore": _SAVED
            + _OTHER
            + """
        show(listing(), state().replace(d, "d"))
        show(restored(lambda: [tf.Variable([0., 0.], name="a"), tf.Variable(0, name="b")], path))
        """,
            "save_returns_the_path": _MODEL
            + """
        saver = tf.train.Saver(); run([a]); show(saver.save(session(), d + "/m") == d + "/m")
        show(saver.save(session(), d + "/m", global_step=7) == d + "/m-7", saver.save(session(), d + "/m", global_step=b) == d + "/m-3")
        show(saver.save(session(), d + "/m", global_step=np.int64(9)) == d + "/m-9", [p.replace(d, "d") for p in saver.last_checkpoints], listing())
        """,
            "every_type": _START
            + _OTHER
            + """
        kinds = [tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool, tf.complex64, tf.complex128]
        values = [np.array([[1, 0, 1], [0, 1, 1]], k.as_numpy_dtype) for k in kinds]
        vs = [tf.Variable(v, name=k.name) for k, v in zip(kinds, values)]
        s = tf.Variable([b"one", b"", b"\\x00\\xff"], name="text"); e = tf.Variable(np.zeros((0, 3), "f"), name="empty"); t = tf.Variable("word", name="scalar_text")
        run(vs + [s, e, t]); tf.train.Saver().save(session(), d + "/m")
        show(restored(lambda: [tf.Variable(np.zeros_like(v), name=k.name) for k, v in zip(kinds, values)] + [tf.Variable([b"", b"", b""], name="text"), tf.Variable(np.zeros((0, 3), "f"), name="empty"), tf.Variable("", name="scalar_text")], d + "/m"))
        r = tf.train.NewCheckpointReader(d + "/m"); show(sorted(r.get_variable_to_shape_map().items()), sorted((k, v.name) for k, v in r.get_variable_to_dtype_map().items()))
        """,
            "var_list_dict": _SAVED
            + _OTHER
            + """
        def make():
            global other; other = tf.Variable([9., 9.], name="other"); return [other]
        with tf.Graph().as_default(), tf.Session() as sess:
            other = tf.Variable([9., 9.], name="other"); tf.train.Saver({"a": other}).restore(sess, path); show(sess.run(other))
        """,
            "some_variables": _SAVED
            + """
        with tf.Graph().as_default(), tf.Session() as sess:
            a2 = tf.Variable([9., 9.], name="a"); b2 = tf.Variable(9, name="b"); tf.train.Saver([b2]).restore(sess, path); show(sess.run(b2)); fails(sess.run, a2)
        """,
            "max_to_keep": _MODEL
            + """
        saver = tf.train.Saver(max_to_keep=2); run(a)
        for i in range(4): saver.save(session(), d + "/m", global_step=i, write_meta_graph=i > 1)
        show(listing(), state().replace(d, "d"), [p.replace(d, "d") for p in saver.last_checkpoints])
        """,
            "keep_all": _MODEL
            + """
        saver = tf.train.Saver(max_to_keep=None); run(a)
        for i in range(7): saver.save(session(), d + "/m", global_step=i, write_meta_graph=False)
        show(len(listing()), state().replace(d, "d"), saver.last_checkpoints)
        """,
            "same_path_twice": _MODEL
            + """
        saver = tf.train.Saver(max_to_keep=2); run(a)
        for name in "xyxz": saver.save(session(), d + "/" + name, write_meta_graph=False)
        show(listing(), state().replace(d, "d"))
        """,
            "keep_every_n_hours": _MODEL
            + """
        saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=-1.); run(a)
        for i in range(3): saver.save(session(), d + "/m", global_step=i, write_meta_graph=False)
        show(listing())
        """,
            "save_relative_paths": _MODEL
            + """
        saver = tf.train.Saver(save_relative_paths=True); run(a); saver.save(session(), d + "/m", global_step=1); saver.save(session(), d + "/m", global_step=2)
        show(state(), tf.train.latest_checkpoint(d).replace(d, "d"), [p.replace(d, "d") for p in tf.train.get_checkpoint_state(d).all_model_checkpoint_paths])
        """,
            "relative_directory": _MODEL
            + """
        here = os.getcwd(); os.chdir(d); os.mkdir("sub")
        saver = tf.train.Saver(); run(a)
        show(saver.save(session(), "sub/m"), saver.save(session(), "./k"))
        show(pathlib.Path("sub/checkpoint").read_text(), pathlib.Path("checkpoint").read_text(), tf.train.latest_checkpoint("sub"), tf.train.latest_checkpoint("."))
        os.chdir(here)
        """,
            "pad_step_number": _MODEL
            + """
        run(a); show(tf.train.Saver(pad_step_number=True).save(session(), d + "/m", global_step=42).replace(d, "d"))
        """,
            "latest_filename": _MODEL
            + """
        saver = tf.train.Saver(); run(a); saver.save(session(), d + "/m", latest_filename="newest", meta_graph_suffix="graph")
        show(listing(), tf.train.latest_checkpoint(d), tf.train.latest_checkpoint(d, "newest").replace(d, "d"))
        """,
            "no_state_no_meta": _MODEL
            + """
        saver = tf.train.Saver(); run(a); saver.save(session(), d + "/m", write_state=False, write_meta_graph=False); show(listing(), saver.last_checkpoints)
        """,
            "sharded": _SAVED
            + _OTHER
            + """
        s = tf.train.Saver(sharded=True); s.save(session(), d + "/s", global_step=1); show(listing())
        show(restored(lambda: [tf.Variable([0., 0.], name="a"), tf.Variable(0, name="b")], d + "/s-1"))
        """,
            "reshape": _SAVED
            + _OTHER
            + """
        show(restored(lambda: [tf.Variable([[0.], [0.]], name="a"), tf.Variable(0, name="b")], path, reshape=True))
        """,
            "recover_last_checkpoints": _MODEL
            + """
        saver = tf.train.Saver(max_to_keep=2); run(a)
        for i in range(2): saver.save(session(), d + "/m", global_step=i, write_meta_graph=False)
        s = tf.train.Saver(max_to_keep=2); s.recover_last_checkpoints([d + "/gone"] + saver.last_checkpoints); show([p.replace(d, "d") for p in s.last_checkpoints])
        s.save(session(), d + "/m", global_step=5, write_meta_graph=False); show(listing())
        s.set_last_checkpoints_with_time([("x", 1.), ("y", 2.)]); show(s.last_checkpoints)
        """,
            "defer_build": _START
            + """
        saver = tf.train.Saver(defer_build=True); a = tf.Variable(1., name="a"); run(a)
        fails(saver.save, session(), d + "/m"); saver.build(); show(saver.save(session(), d + "/m").replace(d, "d"), saver.saver_def.restore_op_name)
        """,
            "empty": _START
            + """
        fails(tf.train.Saver); s = tf.train.Saver(allow_empty=True); tf.constant(1.); show(s.save(session(), d + "/m", write_meta_graph=False), listing()); s.restore(session(), "nothing")
        """,
            "wrong_var_lists": _MODEL
            + """
        for wrong in ([a, a], {"x": a, "y": a}, [a.op], [tf.constant(1.)], {1: a}, 3, "a"): fails(tf.train.Saver, wrong)
        fails(tf.train.Saver, saver_def=3); fails(tf.train.Saver, [a], defer_build=True)
        """,
            "wrong_saves": _MODEL
            + """
        saver = tf.train.Saver(); run(a); fails(saver.save, 3, d + "/m"); fails(saver.save, session(), d + "/m", latest_filename="a/b")
        fails(saver.save, session(), d + "/checkpoint"); fails(saver.save, session(), d + "/m", global_step=1.5)
        """,
            "uninitialized": _MODEL
            + """
        with tf.Session() as sess: fails(tf.train.Saver().save, sess, d + "/m"); show(listing())
        """,
            "missing_checkpoint": _SAVED
            + """
        fails(saver.restore, session(), d + "/nope"); fails(saver.restore, session(), None)
        """,
            "missing_tensor": _SAVED
            + """
        c = tf.Variable(1., name="c"); fails(tf.train.Saver().restore, session(), path)
        """,
            "other_shape": _SAVED
            + """
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable([1., 2., 3.], name="a"); fails(tf.train.Saver().restore, sess, path)
        """,
            "other_type": _SAVED
            + """
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable([1, 2], name="a"); fails(tf.train.Saver().restore, sess, path)
        """,
            "restore_while_training": _SAVED
            + """
        step = a.assign_add([1., 1.]); run(step); run(step); show(run(a)); saver.restore(session(), path); show(run(a)); run(step); show(run(a))
        """,
            "optimizer_slots": _START
            + _OTHER
            + """
        def make():
            w = tf.Variable([1., 2.], name="w"); step = tf.train.AdamOptimizer(.1).minimize(tf.reduce_sum(w * w)); return w, step
        w, step = make(); run(step); run(step); tf.train.Saver().save(session(), d + "/m"); run(step); show(run(w))
        with tf.Graph().as_default(), tf.Session() as sess:
            w, step = make(); tf.train.Saver().restore(sess, d + "/m"); sess.run(step); show(sess.run(w))
        show(tf.train.list_variables(d + "/m"))
        """,
            "reader": _SAVED
            + """
        r = tf.train.NewCheckpointReader(path); show(r.has_tensor("a"), r.has_tensor("c"), r.get_tensor("a"), r.get_tensor("b"), r.debug_string())
        fails(r.get_tensor, "c"); fails(tf.train.NewCheckpointReader, "/nonexistent/m")
        """,
            "load": _SAVED
            + """
        show(tf.train.load_variable(d, "a"), tf.train.load_variable(path, "b:0"), tf.train.list_variables(d), tf.train.load_checkpoint(path).has_tensor("b"))
        fails(tf.train.load_variable, d, "c")
        """,
            "checkpoint_files": _SAVED
            + """
        show(tf.train.checkpoint_exists(path), tf.train.checkpoint_exists(d + "/k"), len(tf.train.get_checkpoint_mtimes([path])), tf.train.latest_checkpoint(d + "/nowhere"))
        tf.train.remove_checkpoint(path); show(listing(), tf.train.latest_checkpoint(d), tf.train.checkpoint_exists(path))
        """,
            "checkpoint_state": _START
            + """
        show(tf.train.get_checkpoint_state(d)); tf.train.update_checkpoint_state(d, d + "/m-2", [d + "/m-1", d + "/m-2"])
        s = tf.train.get_checkpoint_state(d); show(s.model_checkpoint_path.replace(d, "d"), [p.replace(d, "d") for p in s.all_model_checkpoint_paths], state().replace(d, "d"))
        tf.train.update_checkpoint_state(d, "m-3"); show(state()); s = tf.train.get_checkpoint_state(d); show(s.model_checkpoint_path.replace(d, "d"))
        pathlib.Path(d + "/checkpoint").write_text("nonsense {"); show(tf.train.get_checkpoint_state(d)); pathlib.Path(d + "/checkpoint").write_text(""); fails(lambda: tf.train.get_checkpoint_state(d) and 1)
        fails(tf.train.update_checkpoint_state, d, d + "/checkpoint")
        """,
            "generate_state": """
        s = tf.train.generate_checkpoint_state_proto("/a", "/a/m-2", ["/a/m-1"]); show(s.model_checkpoint_path, list(s.all_model_checkpoint_paths))
        s = tf.train.generate_checkpoint_state_proto("a", "a/m-2", ["a/m-1", "a/m-2"]); show(s.model_checkpoint_path, list(s.all_model_checkpoint_paths))
        fails(tf.train.generate_checkpoint_state_proto, "/a", "/a/m", ["/a/m"], [1., 2.])
        """,
            "init_from_checkpoint": _SAVED
            + """
        with tf.Graph().as_default():
            with tf.variable_scope("s"): x = tf.get_variable("a", [2]); y = tf.get_variable("b", [], tf.int32, initializer=tf.zeros_initializer())
            z = tf.get_variable("z", [2]); tf.train.init_from_checkpoint(d, {"/": "s/"} if False else {"a": "s/a", "b": y}); tf.train.init_from_checkpoint(path, {"a": z})
            show(z.initializer, z.initial_value)
            with tf.Session() as sess: sess.run(tf.global_variables_initializer()); show(sess.run([x, y, z]))
            fails(tf.train.init_from_checkpoint, path, {"b": z})
        """,
            "init_scope_from_checkpoint": _SAVED
            + """
        with tf.Graph().as_default():
            with tf.variable_scope("s"): x = tf.get_variable("a", [2])
            tf.train.init_from_checkpoint(d, {"/": "s/"})
            with tf.Session() as sess: sess.run(tf.global_variables_initializer()); show(sess.run(x))
        """,
        },
    )
    + programs(
        "meta_graph",
        {
            "import_and_restore": _SAVED
            + """
        with tf.Graph().as_default() as g, tf.Session() as sess:
            s = tf.train.import_meta_graph(path + ".meta"); s.restore(sess, path)
            show(tf.global_variables(), tf.trainable_variables(), sess.run(["a:0", "b:0"]), g.get_tensor_by_name("a/read:0"), s.saver_def.restore_op_name)
            show(sorted(g.get_all_collection_keys()))
        """,
            "import_scope": _SAVED
            + """
        with tf.Graph().as_default() as g, tf.Session() as sess:
            s = tf.train.import_meta_graph(path + ".meta", import_scope="imp"); s.restore(sess, path)
            show(tf.global_variables(), sess.run("imp/a:0"), s.saver_def.filename_tensor_name, s.saver_def.restore_op_name)
        """,
            "import_in_scopes": _SAVED
            + """
        for outer, scope in (("", None), ("a", None), ("", "s"), ("a", "s")):
            with tf.Graph().as_default() as g, tf.Session() as sess, tf.name_scope(outer):
                for _ in range(1 + bool(scope)): s = tf.train.import_meta_graph(path + ".meta", import_scope=scope); s.restore(sess, path); show([v.name for v in tf.global_variables()], s.saver_def.restore_op_name, sess.run(tf.global_variables()))
        """,
            "collections": _START
            + """
        x = tf.placeholder(tf.float32, [None, 2], name="x"); w = tf.Variable([[1.], [2.]], name="w"); y = tf.matmul(x, w, name="y")
        tf.add_to_collection("outputs", y); tf.add_to_collection("numbers", 3); tf.add_to_collection("rates", .5); tf.add_to_collection("notes", "hello"); tf.add_to_collection("op", y.op); tf.train.get_or_create_global_step()
        run(w); m = tf.train.export_meta_graph(d + "/g.meta"); show(sorted(m.collection_def))
        with tf.Graph().as_default() as g, tf.Session() as sess:
            s = tf.train.import_meta_graph(d + "/g.meta"); show(type(s).__name__, tf.get_collection("outputs"), tf.get_collection("numbers"), tf.get_collection("rates"), tf.get_collection("op"), tf.train.get_global_step())
            sess.run(tf.global_variables_initializer()); show(sess.run(tf.get_collection("outputs")[0], {"x:0": [[1., 1.]]}), g.get_tensor_by_name("x:0"))
        """,
            "no_saver": _START
            + """
        tf.constant(1., name="c"); tf.train.export_meta_graph(d + "/g.meta")
        with tf.Graph().as_default() as g: show(tf.train.import_meta_graph(d + "/g.meta"), g.get_tensor_by_name("c:0"))
        """,
            "missing": """
        fails(tf.train.import_meta_graph, "/nonexistent.meta")
        """,
            "train_after_import": _START
            + """
        w = tf.Variable([1., 2.], name="w"); loss = tf.reduce_sum(w * w, name="loss"); tf.train.GradientDescentOptimizer(.1).minimize(loss, name="train")
        run("train"); tf.train.Saver().save(session(), d + "/m")
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.train.import_meta_graph(d + "/m.meta").restore(sess, d + "/m"); sess.run("train"); show(sess.run(["w:0", "loss:0"]), tf.get_collection("train_op"))
        """,
            "clear_devices": _START
            + """
        with tf.device("/cpu:0"): tf.constant(1., name="c")
        m = tf.train.export_meta_graph(clear_devices=True)
        with tf.Graph().as_default() as g: tf.train.import_meta_graph(m); show(g.get_operation_by_name("c").device)
        """,
            "queue_of_savers": _START
            + """
        tf.Variable(1., name="a"); s = tf.train.Saver(); tf.add_to_collection("savers", s); m = tf.train.export_meta_graph()
        with tf.Graph().as_default(): tf.train.import_meta_graph(m); show([x.saver_def.restore_op_name for x in tf.get_collection("savers")])
        """,
        },
    )
    + programs(
        "graph_util",
        {
            name: _START
            + """
        x = tf.placeholder(tf.float32, [None, 2], name="x"); w = tf.Variable([[1.], [2.]], name="w"); y = tf.identity(tf.matmul(x, w), name="y"); u = tf.Variable(1., name="unused"); gd = tf.get_default_graph().as_graph_def()
        def nodes(gd): return [(n.name, n.op, list(n.input)) for n in gd.node]
"""
            + text
            for name, text in {
                "extract": """
        show(nodes(tf.graph_util.extract_sub_graph(gd, ["y"]))); fails(tf.graph_util.extract_sub_graph, gd, "y"); fails(tf.graph_util.extract_sub_graph, gd, ["nope"])
        """,
                "freeze": """
        run(w); frozen = tf.graph_util.convert_variables_to_constants(session(), gd, ["y"]); show(nodes(frozen))
        with tf.Graph().as_default(), tf.Session() as sess:
            out, = tf.import_graph_def(frozen, return_elements=["y:0"], name=""); show(out, sess.run(out, {"x:0": [[1., 1.]]}))
        """,
                "freeze_some": """
        run(w); show(nodes(tf.graph_util.convert_variables_to_constants(session(), gd, ["y"], variable_names_blacklist=["w"]))); fails(tf.graph_util.convert_variables_to_constants, session(), gd, ["nope"])
        """,
                "through_bytes": """
        run(w); frozen = tf.graph_util.convert_variables_to_constants(session(), gd, ["y"]); path = tf.train.write_graph(frozen, d, "g.pb", as_text=False); show(path.replace(d, "d"))
        again = tf.GraphDef(); again.ParseFromString(pathlib.Path(path).read_bytes())
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.import_graph_def(again, name="p"); show(sess.run("p/y:0", {"p/x:0": [[2., 1.]]}))
        """,
            }.items()
        },
    )
    + programs(
        "saved_model",
        {
            name: """
        import os, pathlib, shutil
        d = folder + "/model"
        S = tf.saved_model; U = S.signature_def_utils
        x = tf.placeholder(tf.float32, [None, 2], name="x"); w = tf.Variable([[1.], [2.]], name="w"); y = tf.matmul(x, w, name="y")
"""
            + text
            for name, text in {
                "simple_save": """
        run(w); S.simple_save(session(), d, {"x": x}, {"y": y})
        with tf.Graph().as_default(), tf.Session() as sess:
            m = S.loader.load(sess, ["serve"], d, import_scope="s"); show(m.signature_def["serving_default"].inputs["x"].name, tf.global_variables(), sess.run("s/y:0", {"s/x:0": [[1., 1.]]}))
        """,
                "init_op_and_assets": """
        os.makedirs(d + "-in", exist_ok=True); pathlib.Path(d + "-in/vocabulary.txt").write_text("a"); path = tf.constant(d + "-in/vocabulary.txt", name="path")
        seen = tf.Variable("", name="seen", collections=["local_variables"]); init = tf.group(seen.assign(path), name="set"); run(w)
        b = S.Builder(d); b.add_meta_graph_and_variables(session(), ["serve"], assets_collection=[path], main_op=init); b.save()
        with tf.Graph().as_default(), tf.Session() as sess: S.loader.load(sess, ["serve"], d); show(os.path.basename(sess.run("seen:0").decode()))
        shutil.rmtree(d + "-in")
        """,
                "errors": """
        run(w); S.simple_save(session(), d, {"x": x}, {"y": y}); fails(S.loader.load, session(), ["nope"], d); fails(S.loader.load, session(), ["serve"], "/nonexistent")
        show(S.loader.maybe_saved_model_directory(d), S.loader.maybe_saved_model_directory("/nonexistent"))
        try: S.builder.SavedModelBuilder(d)
        except AssertionError as error: show(str(error).replace(folder, "folder")[:30])
        b = S.builder.SavedModelBuilder(d + "-new"); I = type(S.utils.build_tensor_info(x))
        for info in (I(), I(name="x:0"), I(dtype=1)):
            try: b.add_meta_graph_and_variables(session(), ["serve"], {"s": U.build_signature_def({"x": info}, {}, "m")})
            except AssertionError as error: show("'encoding' fields" in str(error), "dtype field" in str(error))
        shutil.rmtree(d + "-new")
        """,
                "variables_are_gone": """
        run(w); S.simple_save(session(), d, {"x": x}, {"y": y}); shutil.rmtree(d + "/variables")
        with tf.Graph().as_default(), tf.Session() as sess: fails(S.loader.load, sess, ["serve"], d)
        """,
                "signatures": """
        e = tf.placeholder(tf.string, [None], name="e"); c = tf.constant(["a"]); s = tf.constant([1.])
        for r in (U.regression_signature_def(e, s), U.classification_signature_def(e, c, s), U.classification_signature_def(e, None, s), U.predict_signature_def({"x": x}, {"y": y})): show(sorted(r.inputs), sorted(r.outputs), r.method_name, U.is_valid_signature(r))
        show(U.is_valid_signature(U.build_signature_def({}, {})), S.utils.build_tensor_info(x).name)
        fails(U.predict_signature_def, {}, {"y": y}); fails(U.predict_signature_def, {"x": x}, None); fails(U.classification_signature_def, None, c, s); fails(U.classification_signature_def, e, None, None)
        fails(U.classification_signature_def, 3, c, s); fails(U.classification_signature_def, e, c, c); fails(U.regression_signature_def, None, s); fails(U.regression_signature_def, e, None); fails(U.regression_signature_def, 3, s)
        """,
            }.items()
        },
    )
)
