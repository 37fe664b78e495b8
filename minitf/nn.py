"""The namespace `tf.nn`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf: rnn_cell
minitf.layers.bidirectional_rnn: bidirectional_dynamic_rnn static_bidirectional_rnn
minitf.layers.rnn: dynamic_rnn raw_rnn static_rnn static_state_saving_rnn
minitf.ops.array_rearranging: depth_to_space space_to_batch space_to_depth
minitf.ops.candidate_sampling: all_candidate_sampler compute_accidental_hits
    fixed_unigram_candidate_sampler learned_unigram_candidate_sampler
    log_uniform_candidate_sampler nce_loss sampled_softmax_loss uniform_candidate_sampler
minitf.ops.conv_depthwise: depthwise_conv2d
    depthwise_conv2d_backprop_filter=depthwise_conv2d_native_backprop_filter
    depthwise_conv2d_backprop_input=depthwise_conv2d_native_backprop_input depthwise_conv2d_native
    depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input
    separable_conv2d
minitf.ops.conv_functions: atrous_conv2d atrous_conv2d_transpose conv1d conv1d_transpose conv2d
    conv2d_backprop_filter conv2d_backprop_input conv2d_transpose conv3d conv3d_backprop_filter
    conv3d_backprop_filter_v2=conv3d_backprop_filter conv3d_transpose conv_transpose convolution
minitf.ops.ctc: ctc_beam_search_decoder ctc_greedy_decoder ctc_loss
minitf.ops.embeddings: embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse
minitf.ops.local_response: local_response_normalization lrn
minitf.ops.math: sigmoid tanh
minitf.ops.math_more: log_sigmoid zero_fraction
minitf.ops.morphology: dilation2d erosion2d
minitf.ops.nn: bias_add dropout l2_normalize moments relu_layer xw_plus_b
minitf.ops.nn_activations: crelu elu leaky_relu log_softmax relu relu6 selu softmax softplus
    softsign swish
minitf.ops.nn_losses: compute_average_loss in_top_k l2_loss log_poisson_loss
    scale_regularization_loss sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits
    softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits
    weighted_cross_entropy_with_logits
minitf.ops.normalization: batch_norm_with_global_normalization batch_normalization
    fused_batch_norm
minitf.ops.pooling_functions: avg_pool avg_pool1d avg_pool2d=avg_pool avg_pool3d avg_pool_v2
    max_pool max_pool1d max_pool2d max_pool3d max_pool_v2 max_pool_with_argmax pool
minitf.ops.sorting: top_k
minitf.ops.statistics: normalize_moments sufficient_statistics weighted_moments
""",
)
