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
        raw.ApproximateEqual(x=x, y=x + 1e-6)
        raw.ApproximateEqual(x=x, y=x + .1, tolerance=.05)
        raw.ClipByValue(t=x, clip_value_min=0., clip_value_max=3.)
        raw.OnesLike(x=x)
        raw.EuclideanNorm(input=x, axis=[0, 1])
        raw.EuclideanNorm(input=x, axis=1, keep_dims=True)
        raw.PopulationCount(x=whole)
        raw.GuaranteeConst(input=x)
        raw.DeepCopy(x=x)
    """,
    "arrays": """
        raw.Reverse(tensor=whole, dims=[True, False])
        raw.Reverse(tensor=whole, dims=[True, True])
        raw.InTopK(predictions=x, targets=[0, 1, 0], k=1)
        raw.ParallelConcat(values=[whole[:1], whole[1:]], shape=[2, 3])
        raw.ScatterNdNonAliasingAdd(input=x, indices=[[0], [2]], updates=tf.ones([2, 3]))
        raw.Empty(shape=[2, 2], dtype=tf.float32, init=True)
        raw.ShardedFilespec(basename="a/b", num_shards=12)
        list(raw.RaggedTensorToSparse(rt_nested_splits=[tf.constant([0, 2, 3], tf.int64), tf.constant([0, 1, 1, 3], tf.int64)], rt_dense_values=[1., 2., 3.]))
        raw.RaggedGather(params_nested_splits=[tf.constant([0, 2, 3], tf.int64)], params_dense_values=[1., 2., 3.], indices=[1, 0, 1], OUTPUT_RAGGED_RANK=1)[1]
    """,
    "images": """
        raw.AdjustContrastv2(images=image, contrast_factor=2.)
        raw.DrawBoundingBoxes(images=image[:, :, :, :1], boxes=[[[.1, .1, .8, .8]]])
        [raw.SampleDistortedBoundingBox(image_size=[20, 10, 3], bounding_boxes=[[[.2, .2, .9, .9]]], seed=3, seed2=4)[2]][0] * 0.
        raw.BiasAddV1(value=image, bias=[1., 2.])
        raw.FusedBatchNorm(x=image, scale=[1., 2.], offset=[0., 1.], mean=[], variance=[])[0]
        raw.FusedBatchNormV2(x=image, scale=[1., 2.], offset=[0., 1.], mean=[0., 0.], variance=[1., 2.], epsilon=.1, is_training=False)[0]
        raw.FusedBatchNormGrad(y_backprop=image, x=image, scale=[1., 2.], reserve_space_1=[1.5, 1.6], reserve_space_2=[2., 3.])[0]
        raw.FusedBatchNormGradV2(y_backprop=image, x=image, scale=[1., 2.], reserve_space_1=[1.5, 1.6], reserve_space_2=[2., 3.])[1]
        raw.FusedPadConv2D(input=image, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], filter=tf.ones([2, 2, 2, 1]), mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID")
        raw.FusedResizeAndPadConv2D(input=image, size=[6, 6], paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], filter=tf.ones([2, 2, 2, 1]), mode="SYMMETRIC", strides=[1, 1, 1, 1], padding="VALID")
    """,
    "sparse": """
        list(raw.SparseConcat(indices=[i, j], values=[v, w], shapes=[s, s], concat_dim=1))
        raw.SparseDenseCwiseAdd(sp_indices=i, sp_values=v, sp_shape=s, dense=[10., 20.])
        list(raw.SparseSlice(indices=i, values=v, shape=s, start=tf.constant([0, 1], tf.int64), size=tf.constant([2, 1], tf.int64)))
        [list(each) for each in raw.SparseSplit(split_dim=tf.constant(1, tf.int64), indices=i, values=v, shape=s, num_split=2)]
        raw.SparseSegmentSumWithNumSegments(data=x, indices=[0, 2], segment_ids=[0, 2], num_segments=4)
        raw.SparseSegmentMeanWithNumSegments(data=x, indices=[0, 1, 2], segment_ids=[0, 0, 2], num_segments=4)
    """,
}
