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
        "text_to_word_sequence": r"""
            f = tf.keras.preprocessing.text.text_to_word_sequence
            show(f("Hello, World! It's   me\n"), f("A-B c", lower=False), f("a.b", filters="", split="."), f("x,y", split=","))
            show(f("", ), f("ünï Cödé"))
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
            names = ("theta", "tx", "ty", "shear", "zx", "zy", "flip_horizontal", "flip_vertical")
            g = G(rotation_range=30, width_shift_range=0.2, height_shift_range=[1, 2], horizontal_flip=True, zoom_range=0.3, shear_range=5.0)
            for seed in range(4):
                drawn = g.get_random_transform((8, 9, 3), seed=seed)
                show([drawn[name] for name in names])
            x = np.random.RandomState(0).rand(6, 4, 5, 3).astype("float32")
            for kw in (dict(rescale=2.0), dict(preprocessing_function=lambda v: v + 1, rescale=0.5)):
                show(G(**kw).standardize(x[0].copy()))
            fails(lambda: G(validation_split=1.5))
            """,
        "Sequence": """
            class Numbers(tf.keras.utils.Sequence):
                def __len__(self):
                    return 3
                def __getitem__(self, i):
                    return np.array([i, i * i])
            s = Numbers()
            show([b.tolist() for b in s], s.on_epoch_end())
            """,
    },
)
