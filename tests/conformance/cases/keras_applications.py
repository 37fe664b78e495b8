"""Known networks of Keras: names and shapes of all layers, numbers of weights, images prepared."""

from ..case import programs

_TELL = """
A = tf.keras.applications
def tell(m):
    shape = lambda l: l.output_shape[0] if isinstance(l.output_shape, list) else l.output_shape
    show(m.name, m.count_params(), len(m.trainable_weights))
    # 1.15 calls the last layer of a ResNet "probs", and scales residuals in a layer named by block
    name = lambda l: l.name.replace("probs", "predictions")
    show([(name(l), type(l).__name__, list(shape(l))) for l in m.layers if type(l).__name__ not in ("Lambda", "CustomScaleLayer")])
"""

_PROGRAMS = {
    "VGG16": "tell(A.VGG16(weights=None, include_top=False, input_shape=(48, 32, 3), pooling='avg'))",
    "VGG16_top": "tell(A.vgg16.VGG16(weights=None, input_shape=(32, 32, 1), classes=5))",
    "ResNet50": "tell(A.ResNet50(weights=None, input_shape=(32, 40, 3), classes=7))",
    "MobileNetV2": "tell(A.MobileNetV2(weights=None, alpha=0.35, input_shape=(96, 97, 3), classes=3))",
    "MobileNetV2_wide": "tell(A.MobileNetV2(weights=None, alpha=1.3, include_top=False, pooling='avg'))",
    "input_tensor": """
    x = tf.keras.layers.Input((32, 32, 3), name="mine")
    m = A.VGG16(weights=None, include_top=False, input_tensor=x); show(m.inputs[0].name, m.layers[0].name)
    y = tf.keras.layers.Dense(4, name="mine_too")(tf.keras.layers.Flatten()(m.output))
    show(tf.keras.Model(m.input, y).count_params())
    """,
    "refused": """
    fails(lambda: A.VGG16(weights="/nowhere/weights.h5"))
    fails(lambda: A.VGG16(classes=10))
    fails(lambda: A.VGG16(weights=None, include_top=False, input_shape=(20, 64, 3)))
    fails(lambda: A.VGG16(weights=None, input_shape=(32, 32)))
    fails(lambda: A.ResNet50(weights=None, input_shape=(None, None, 3)))
    """,
    "preprocess_input": """
    x = np.arange(2 * 2 * 2 * 3, dtype=np.float32).reshape(2, 2, 2, 3) * 10
    for m in (A.vgg16, A.resnet50):
        u = m.preprocess_input
        show(u(x.copy()), u(x[0].copy()), u(x.astype(np.uint8)))
        show(run(u(tf.constant(x))))
    fails(lambda: A.vgg16.decode_predictions(np.zeros((2, 10))))
    """,
}

CASES = programs("keras_applications", {name: _TELL + text for name, text in _PROGRAMS.items()})
