"""Operations that are another one here, or several, by their names in `tf.raw_ops`."""

from ..case import programs

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
        raw.TridiagonalMatMul(superdiag=x[:1], maindiag=x[1:2], subdiag=x[2:], rhs=x)
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
        raw.QuantizeAndDequantizeV2(input=x, input_min=-1., input_max=4., num_bits=4, range_given=True)
        raw.QuantizeAndDequantizeV3(input=x, input_min=-1., input_max=4., num_bits=4)
        raw.PopulationCount(x=whole)
        raw.GuaranteeConst(input=x)
        raw.DeepCopy(x=x)
    """,
    "arrays": """
        raw.Reverse(tensor=whole, dims=[True, False])
        raw.Reverse(tensor=whole, dims=[True, True])
        raw.NthElement(input=x, n=1, reverse=True)
        raw.InTopK(predictions=x, targets=[0, 1, 0], k=1)
        raw.ParallelConcat(values=[whole[:1], whole[1:]], shape=[2, 3])
        raw.ScatterNdNonAliasingAdd(input=x, indices=[[0], [2]], updates=tf.ones([2, 3]))
        raw.InplaceAdd(x=x + 4., i=[0, 2], v=tf.ones([2, 3]))
        raw.InplaceSub(x=x + 2., i=[0, 0], v=tf.ones([2, 3]))
        raw.InplaceUpdate(x=x + 3., i=[1], v=tf.ones([1, 3]))
        raw.Empty(shape=[2, 2], dtype=tf.float32, init=True)
        raw.SpaceToBatch(input=image, paddings=[[0, 0], [0, 0]], block_size=2)
        raw.BatchToSpace(input=tf.tile(image, [4, 1, 1, 1]), crops=[[0, 1], [1, 0]], block_size=2)
        raw.DataFormatDimMap(x=[0, 3, -1, 2])
        raw.DataFormatVecPermute(x=[1, 4, 5, 2])
        tf.dequantize(*raw.QuantizedReshape(tensor=tf.quantize(x, -1., 6., tf.quint8)[0], shape=[9], input_min=-1., input_max=6.))
        raw.ShardedFilespec(basename="a/b", num_shards=12)
        list(raw.RaggedTensorToSparse(rt_nested_splits=[tf.constant([0, 2, 3], tf.int64), tf.constant([0, 1, 1, 3], tf.int64)], rt_dense_values=[1., 2., 3.]))
        raw.RaggedGather(params_nested_splits=[tf.constant([0, 2, 3], tf.int64)], params_dense_values=[1., 2., 3.], indices=[1, 0, 1], OUTPUT_RAGGED_RANK=1)[1]
        raw.RaggedRange(starts=[0, 5], limits=[3, 7], deltas=[1, 1])[0]
        raw.RaggedRange(starts=[0, 5], limits=[3, 7], deltas=[1, 1], Tsplits=tf.int32).rt_dense_values
    """,
    "images": """
        raw.AdjustContrastv2(images=image, contrast_factor=2.)
        raw.Dilation2D(input=image, filter=image[0, :2, :2], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")
        raw.Dilation2DBackpropInput(input=image, filter=image[0, :2, :2], out_backprop=image, strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")
        raw.Dilation2DBackpropFilter(input=image, filter=image[0, :2, :2], out_backprop=image, strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")
        raw.DrawBoundingBoxes(images=image[:, :, :, :1], boxes=[[[.1, .1, .8, .8]]])
        raw.NonMaxSuppression(boxes=boxes, scores=scores, max_output_size=3, iou_threshold=.3)
        raw.NonMaxSuppressionV2(boxes=boxes, scores=scores, max_output_size=3, iou_threshold=.3)
        raw.NonMaxSuppressionV4(boxes=boxes, scores=scores, max_output_size=3, iou_threshold=.3, score_threshold=0., pad_to_max_output_size=True)[0]
        raw.NonMaxSuppressionV4(boxes=boxes, scores=scores, max_output_size=3, iou_threshold=.3, score_threshold=0.)[1]
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
        list(raw.SparseAdd(a_indices=i, a_values=v, a_shape=s, b_indices=j, b_values=w, b_shape=s, thresh=0.))
        list(raw.SparseAdd(a_indices=i, a_values=v, a_shape=s, b_indices=j, b_values=w, b_shape=s, thresh=4.2))
        list(raw.SparseConcat(indices=[i, j], values=[v, w], shapes=[s, s], concat_dim=1))
        raw.SparseDenseCwiseAdd(sp_indices=i, sp_values=v, sp_shape=s, dense=[10., 20.])
        list(raw.SparseReduceSumSparse(input_indices=i, input_values=v, input_shape=s, reduction_axes=[0]))
        list(raw.SparseReduceMaxSparse(input_indices=i, input_values=v, input_shape=s, reduction_axes=[1], keep_dims=True))
        list(raw.SparseReorder(input_indices=i[::-1], input_values=v, input_shape=s))
        list(raw.SparseSlice(indices=i, values=v, shape=s, start=tf.constant([0, 1], tf.int64), size=tf.constant([2, 1], tf.int64)))
        raw.SparseSoftmax(sp_indices=i, sp_values=v, sp_shape=s)
        list(raw.SparseSparseMaximum(a_indices=i, a_values=v, a_shape=s, b_indices=j, b_values=w, b_shape=s))
        list(raw.SparseSparseMinimum(a_indices=i, a_values=v, a_shape=s, b_indices=j, b_values=w, b_shape=s))
        [list(each) for each in raw.SparseSplit(split_dim=tf.constant(1, tf.int64), indices=i, values=v, shape=s, num_split=2)]
        list(raw.DenseToDenseSetOperation(set1=whole, set2=whole[::-1] + 1, set_operation="a-b"))
        list(raw.DenseToSparseSetOperation(set1=tf.cast(whole, tf.int64), set2_indices=j, set2_values=tf.constant([5, 3], tf.int64), set2_shape=tf.constant([2, 3], tf.int64), set_operation="intersection"))
        raw.SparseSegmentSumWithNumSegments(data=x, indices=[0, 2], segment_ids=[0, 2], num_segments=4)
        raw.SparseSegmentMeanWithNumSegments(data=x, indices=[0, 1, 2], segment_ids=[0, 0, 2], num_segments=4)
        raw.SparseSegmentSqrtNWithNumSegments(data=x, indices=[0, 1, 2], segment_ids=[0, 0, 2], num_segments=4)
    """,
}


def _program(rows: str) -> str:
    return START + "".join(f"show(run({row.strip()}))\n" for row in rows.strip().splitlines())


CASES = programs("raw_ops", {name: _program(rows) for name, rows in ROWS.items()})
