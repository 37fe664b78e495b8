"""Operations of TensorFlow that are another one here, or several, by their names in its `tf.raw_ops`."""

START = """
raw = tf.raw_ops
x = tf.constant([[4., 1., 2.], [1., 5., -.5], [2., -.5, 6.]])
whole = tf.constant([[7, -3, 5], [-7, 3, 4]])
i, v, s = tf.constant([[0, 1], [2, 0]], tf.int64), tf.constant([1.5, -2.]), tf.constant([3, 2], tf.int64)
j, w = tf.constant([[0, 1], [1, 1]], tf.int64), tf.constant([3., 4.])
image = tf.reshape(tf.range(32.), [1, 4, 4, 2]) / 10.
boxes = tf.constant([[0., 0., 1., 1.], [0., .1, 1., 1.], [0., 2., 1., 3.]]); scores = tf.constant([.7, .8, .6])
"""

ROWS = {
    "elements": """
        raw.Inv(x=x)
        raw.InvGrad(y=x, dy=x)
        raw.Mod(x=whole, y=whole[::-1])
        raw.Div(x=whole, y=whole[::-1])
        raw.Div(x=x, y=x + 2.)
        raw.OnesLike(x=x)
        raw.EuclideanNorm(input=x, axis=[0, 1])
        raw.EuclideanNorm(input=x, axis=1, keep_dims=True)
        raw.GuaranteeConst(input=x)
        raw.DeepCopy(x=x)
    """,
    "arrays": """
        raw.InTopK(predictions=x, targets=[0, 1, 0], k=1)
        raw.ScatterNdNonAliasingAdd(input=x, indices=[[0], [2]], updates=tf.ones([2, 3]))
        raw.ShardedFilespec(basename="a/b", num_shards=12)
    """,
    "images": """
        raw.AdjustContrastv2(images=image, contrast_factor=2.)
        raw.BiasAddV1(value=image, bias=[1., 2.])
        raw.FusedBatchNorm(x=image, scale=[1., 2.], offset=[0., 1.], mean=[], variance=[])[0]
        raw.FusedBatchNormV2(x=image, scale=[1., 2.], offset=[0., 1.], mean=[0., 0.], variance=[1., 2.], epsilon=.1, is_training=False)[0]
        raw.FusedBatchNormGrad(y_backprop=image, x=image, scale=[1., 2.], reserve_space_1=[1.5, 1.6], reserve_space_2=[2., 3.])[0]
        raw.FusedBatchNormGradV2(y_backprop=image, x=image, scale=[1., 2.], reserve_space_1=[1.5, 1.6], reserve_space_2=[2., 3.])[1]
    """,
}
