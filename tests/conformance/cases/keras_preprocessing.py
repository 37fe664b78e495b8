"""Keras's helpers: arrays, sequences, texts, and what of images needs neither Pillow nor SciPy."""

from ..case import programs

CASES = programs(
    "keras_preprocessing",
    {
        "to_categorical": """
            u = tf.keras.utils
            show(u.to_categorical([0, 2, 1]), u.to_categorical([[1], [0]], num_classes=4))
            show(u.to_categorical([[0, 1], [1, 1]]), u.to_categorical(3), u.to_categorical([1], dtype="int64"))
            show(u.to_categorical(np.array([0.0, 1.9])))
            fails(lambda: u.to_categorical([5], 3))
            """,
        "normalize": """
            x = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]])
            n = tf.keras.utils.normalize
            show(n(x), n(x, axis=0), n(x, order=1), n(x[0]), n(x.reshape(3, 1, 2)))
            """,
        "pad_sequences": """
            pad = tf.keras.preprocessing.sequence.pad_sequences
            s = [[1], [2, 3, 4], [], [5, 6]]
            show(pad(s), pad(s, maxlen=2), pad(s, 2, padding="post"), pad(s, 2, truncating="post"))
            show(pad(s, 5, "float32", "post", "post", -1.0), pad(s, value=7, dtype="int64"))
            show(pad([[[1, 2]], [[3, 4], [5, 6]]]), pad([["a"], ["b", "c"]], dtype=object, value="x"))
            show(pad([np.array([1.5, 2.5])], maxlen=3, dtype="float64"))
            """,
        "pad_sequences, refused": """
            pad = tf.keras.preprocessing.sequence.pad_sequences
            fails(lambda: pad(3))
            fails(lambda: pad([[1], 2]))
            fails(lambda: pad([[1]], padding="mid"))
            fails(lambda: pad([[1]], truncating="mid"))
            fails(lambda: pad([["a"]], value="x"))
            fails(lambda: pad([[[1, 2]], [[3]]]))
            """,
        "skipgrams": """
            import random
            s = tf.keras.preprocessing.sequence
            show(s.skipgrams([1, 2, 0, 3], 5, window_size=1, negative_samples=0, shuffle=False))
            show(s.skipgrams([1, 2, 3], 5, window_size=2, negative_samples=0, seed=3, categorical=True))
            random.seed(4)
            show(s.skipgrams(range(6), 9, window_size=2, negative_samples=1.5, seed=1))
            random.seed(4)
            show(s.skipgrams(range(6), 9, sampling_table=s.make_sampling_table(9, 0.1), seed=1))
            random.seed(4)
            show(s.skipgrams(range(5), 9, categorical=True))
            show(s.make_sampling_table(10), s.make_sampling_table(6, sampling_factor=1e-2))
            """,
        "TimeseriesGenerator": """
            x = np.arange(40).reshape(20, 2)
            y = np.arange(20) * 10
            T = tf.keras.preprocessing.sequence.TimeseriesGenerator
            for kw in (dict(length=4), dict(length=4, sampling_rate=2, batch_size=3), dict(length=3, stride=2, batch_size=4),
                       dict(length=2, start_index=3, end_index=9, reverse=True, batch_size=2), dict(length=5, batch_size=100)):
                g = T(x, y, **kw)
                show(len(g), [g[i] for i in range(len(g))])
            np.random.seed(1)
            show(T(x, y, length=4, shuffle=True, batch_size=5)[0])
            g = T(x, y, length=4, batch_size=5)
            show(g.get_config(), g.to_json())
            show([len(b[0]) for b in g])
            fails(lambda: T(x, y[:3], length=2))
            fails(lambda: T(x, y, length=20))
            """,
        "text_to_word_sequence": r"""
            f = tf.keras.preprocessing.text.text_to_word_sequence
            show(f("Hello, World! It's   me\n"), f("A-B c", lower=False), f("a.b", filters="", split="."), f("x,y", split=","))
            show(f("", ), f("ünï Cödé"))
            """,
        "hashing_trick": """
            t = tf.keras.preprocessing.text
            show(t.hashing_trick("the cat the dog", 10, "md5"), t.hashing_trick("a b", 7, hash_function=len))
            show(t.hashing_trick("A b", 50, hash_function="md5", lower=False), t.hashing_trick("a-b", 9, len, analyzer=list))
            show(len(t.one_hot("a b c", 10)), len(set(t.one_hot("a a", 100))), max(t.one_hot("a b c d e f", 3)) <= 2)
            """,
        "Tokenizer": """
            T = tf.keras.preprocessing.text.Tokenizer
            texts = ["the cat sat on the mat", "The dog sat. The dog!", "a cat"]
            for kw in (dict(), dict(num_words=4), dict(oov_token="<OOV>"), dict(num_words=3, oov_token="?"), dict(char_level=True, num_words=6), dict(lower=False)):
                t = T(**kw)
                t.fit_on_texts(texts)
                s = t.texts_to_sequences(texts + ["a new cat"])
                show(t.word_index, t.index_word, dict(t.word_counts), sorted(t.word_docs.items()), t.document_count, s)
                show(sorted(t.index_docs.items()), t.sequences_to_texts(s))
                for mode in ("binary", "count", "freq", "tfidf"):
                    show(t.texts_to_matrix(texts, mode=mode))
            """,
        "Tokenizer, lists of words and analyzers": """
            T = tf.keras.preprocessing.text.Tokenizer
            t = T()
            t.fit_on_texts([["Big", "cat"], ["cat", "x y"]])
            show(t.word_index, t.texts_to_sequences([["BIG", "x y"]]))
            t = T(analyzer=lambda text: text.split("-"))
            t.fit_on_texts(["a-b", "b-c"])
            show(t.word_index, t.texts_to_sequences(["c-a"]))
            t = T(num_words=5)
            t.fit_on_sequences([[1, 2, 2], [2, 4]])
            show(t.sequences_to_matrix([[1, 2, 2], [4]], mode="tfidf"), t.sequences_to_matrix([[1, 9]]))
            """,
        "Tokenizer, as JSON": """
            m = tf.keras.preprocessing.text
            t = m.Tokenizer(num_words=4, oov_token="o")
            t.fit_on_texts(["b a b", "c"])
            config = t.get_config()
            config["word_docs"] = config["index_docs"] = ""  # in the order of a set
            show(config)
            again = m.tokenizer_from_json(t.to_json())
            show(again.word_index, again.index_word, again.texts_to_sequences(["a b c d"]), again.num_words)
            show(again.texts_to_matrix(["a b"], "tfidf"))
            """,
        "Tokenizer, refused": """
            T = tf.keras.preprocessing.text.Tokenizer
            fails(lambda: T(words=3))
            fails(lambda: T().sequences_to_matrix([[1]]))
            fails(lambda: T(num_words=3).sequences_to_matrix([[1]], mode="tfidf"))
            fails(lambda: T(num_words=3).sequences_to_matrix([[1]], mode="none"))
            """,
        "ImageDataGenerator": """
            G = tf.keras.preprocessing.image.ImageDataGenerator
            g = G(rotation_range=30, width_shift_range=0.2, height_shift_range=[1, 2], horizontal_flip=True, zoom_range=0.3, shear_range=5.0, channel_shift_range=3.0)
            for seed in range(4):
                show(g.get_random_transform((8, 9, 3), seed=seed))
            x = np.random.RandomState(0).rand(6, 4, 5, 3).astype("float32")
            for kw in (dict(rescale=2.0), dict(samplewise_center=True), dict(samplewise_center=True, samplewise_std_normalization=True),
                       dict(preprocessing_function=lambda v: v + 1, rescale=0.5)):
                show(G(**kw).standardize(x[0].copy()))
            g = G(featurewise_center=True, featurewise_std_normalization=True)
            g.fit(x)
            show(g.mean, g.std, g.standardize(x[1].copy()))
            fails(lambda: G(validation_split=1.5))
            fails(lambda: g.fit(x[0]))
            """,
        "image arrays": """
            i = tf.keras.preprocessing.image
            x = np.arange(24.0).reshape(2, 4, 3)
            show(i.img_to_array(x), i.img_to_array(x[..., 0]), i.img_to_array(x, data_format="channels_first"), i.img_to_array(x, dtype="int32"))
            show(i.apply_channel_shift(x, 5.0), i.apply_channel_shift(x, -3.0, channel_axis=2))
            np.random.seed(3)
            show(i.random_channel_shift(x, 4.0, 2))
            fails(lambda: i.img_to_array(x[0, 0]))
            """,
        "Sequence": """
            class Numbers(tf.keras.utils.Sequence):
                def __len__(self):
                    return 3
                def __getitem__(self, i):
                    return np.array([i, i * i])
            s = Numbers()
            show([b.tolist() for b in s], s.on_epoch_end())
            q = tf.keras.utils.OrderedEnqueuer(s)
            q.start(workers=2, max_queue_size=4)
            it = q.get()
            show([next(it).tolist() for _ in range(7)], q.is_running())
            q.stop()
            show(q.is_running())
            q = tf.keras.utils.GeneratorEnqueuer(iter([1, 2, None, 3]))
            q.start(workers=1)
            show(list(q.get()))
            """,
    },
)
