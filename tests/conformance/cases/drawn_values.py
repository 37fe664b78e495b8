"""Calls drawn at random of texts, sparse and ragged tensors, matrices, spectra, distributions, columns.

The forms are those of `drawn_library`.
"""

from tests.conformance.cases.drawn_library import Case, Inputs, Row, program

# ---- texts, sparse and ragged tensors


def _text(d: Inputs) -> str:
    shape = d.pick([(3,), (2, 2), (4,)])
    s = d.t(*shape, kind="word")
    line = d.t(d.number(0, 4), kind="word")
    return d.one(
        [
            f"tf.strings.split({line}, {d.one(['None', repr(','), repr(' ')])}, maxsplit={d.one('-1 1')}, result_type='{d.one('RaggedTensor SparseTensor')}')",
            f"tf.string_split({line}, '{d.one(', ;')}', {d.flag()})",
            f"tf.strings.bytes_split({s})",
            f"tf.strings.ngrams({d.ragged('word', 'string')}, {d.one(['2', '[1, 2]', '3'])}, separator='{d.one('- +')}', pad_values={d.one(['None', repr('_'), repr(('<', '>'))])}, padding_width={d.one('None 1')}, preserve_short_sequences={d.flag()})",
            f"tf.strings.unicode_decode({line}, 'UTF-8', errors='{d.one('replace ignore')}')",
            f"tf.strings.unicode_split({line}, 'UTF-8')",
            f"tf.strings.unicode_split_with_offsets({line}, 'UTF-8')",
            f"tf.strings.unicode_decode_with_offsets({line}, 'UTF-8')",
            f"tf.strings.unicode_encode(tf.strings.unicode_decode({line}, 'UTF-8'), '{d.one('UTF-8 UTF-16-BE UTF-32-BE')}')",
            f"tf.strings.unicode_transcode({s}, 'UTF-8', '{d.one('UTF-8 UTF-16-BE UTF-32-BE')}')",
            f"tf.strings.unicode_script(tf.strings.unicode_decode({line}, 'UTF-8').flat_values)",
            f"tf.strings.regex_full_match({s}, '{d.one('[a-z]+ .* a|b')}')",
            f"tf.strings.regex_replace({s}, '{d.one('[aeiou] ^. (.)b')}', r'{d.one('- <x>')}', replace_global={d.flag()})",
            f"tf.strings.substr({s}, {d.number(-2, 0)}, {d.number(0, 3)}, unit='{d.one('BYTE UTF8_CHAR')}')",
            f"tf.strings.reduce_join({s}, axis={d.one(['0', '-1', 'None'])}, keepdims={d.flag()}, separator='{d.one('- +')}')",
            f"tf.strings.to_hash_bucket_fast({s}, {d.number(1, 50)})",
            f"tf.strings.to_hash_bucket_strong({s}, {d.number(1, 50)}, [1, {d.number(0, 9)}])",
            f"tf.strings.length({s}, unit='{d.one('BYTE UTF8_CHAR')}')",
            f"tf.strings.format('{d.one(['{}', 'a {} b'])}', {s}, summarize={d.number(-1, 3)})",
            f"tf.strings.join([{s}, 'x', {s}], '{d.one('- ,')}')",
            f"tf.encode_base64({s}, pad={d.flag()})",
            f"tf.decode_base64(tf.encode_base64({s}))",
            f"tf.strings.strip({s})",
            f"tf.edit_distance(tf.SparseTensor([[0, 0], [0, 1]], ['a', 'b'], [1, 2]), tf.SparseTensor([[0, 0]], ['{d.one('a b c')}'], [1, 1]), normalize={d.flag()})",
        ]
    )


def _sparse(d: Inputs) -> str:
    shape = d.sizes_of(d.number(2, 3), 1, 4)
    a = d.sparse(*shape)
    axis = d.number(-len(shape), len(shape) - 1)
    n, k = shape[-2:]
    return d.one(
        [
            f"tf.sparse.add({a}, {d.sparse(*shape)}, {d.one('0.0 5.0')})",
            f"tf.sparse.add({a}, {d.t(*shape, known=True)})",
            f"tf.sparse.concat({axis}, [{a}, {d.sparse(*shape)}])",
            f"tf.sparse.concat({axis}, [{a}, {d.sparse(*[s + 1 for s in shape])}], expand_nonconcat_dim=True)",
            f"tf.sparse.to_dense({a}, default_value={d.one('0.0 -1.0')})",
            f"tf.sparse.transpose({a}, {d.order(len(shape))})",
            f"tf.sparse.reshape({a}, [-1])",
            f"tf.sparse.reshape({a}, [{shape[-1]}, -1])",
            f"tf.sparse.slice({a}, {[d.number(0, s - 1) for s in shape]}, {[d.number(1, s) for s in shape]})",
            f"tf.sparse.split(sp_input={a}, num_split={d.number(1, 2)}, axis={axis})",
            f"tf.sparse.reduce_sum({a}, {d.one([axis, 'None', '[0, 1]'])}, keepdims={d.flag()})",
            f"tf.sparse.reduce_max({a}, {d.one([axis, 'None', '[0, -1]'])}, keepdims={d.flag()})",
            f"tf.sparse.reduce_sum_sparse({a}, {d.one([axis, 'None', '[0, 1]'])}, keepdims={d.flag()})",
            f"tf.sparse.reduce_max_sparse({a}, {d.one([axis, 'None'])}, keepdims={d.flag()})",
            f"tf.sparse.softmax({a})",
            f"tf.sparse.maximum({a}, {d.sparse(*shape)})",
            f"tf.sparse.minimum({a}, {d.sparse(*shape)})",
            f"tf.sparse.fill_empty_rows({d.sparse(d.number(1, 5), 3)}, {d.one('0.5 9.0')})",
            f"tf.sparse.retain({a}, tf.cast({a}.values, tf.int32) % 2 == 0)",
            f"tf.sparse.reset_shape({a}, {d.one(['None', [s + 2 for s in shape]])})",
            f"tf.sparse.expand_dims({a}, {d.number(-len(shape) - 1, len(shape))})",
            f"tf.sparse.eye({d.number(1, 4)}, {d.one('None 2 5')})",
            f"tf.sparse.from_dense({d.t(*shape, kind='steps')})",
            f"tf.sparse.matmul({d.sparse(n, k)}, {d.t(k, 2, known=True)})",
            f"tf.sparse.matmul({d.sparse(n, k)}, {d.t(2, n, known=True)}, adjoint_a=True, adjoint_b=True)",
            f"{a} * {d.t(*shape, known=True)}",
            f"{a} / {d.t(*shape[1:], kind='positive', known=True)}",
            f"tf.sparse.to_indicator({d.sparse(*shape, dtype='int64')}, 10)",
            f"tf.sparse.reorder(tf.sparse.transpose({a}))",
            f"tf.sparse.mask({d.number(0, 0)} or tf.IndexedSlices({d.t(3, 2)}, [1, 4, 2]), [4]).values if hasattr(tf.sparse, 'mask') else tf.zeros([])",
            f"tf.sparse.segment_{d.one('sum mean sqrt_n')}({d.t(4, 2)}, [0, 3, 1, 1], [0, 0, {d.one('1 2')}, {d.one('2 3')}])",
            f"tf.sparse.segment_{d.one('sum mean sqrt_n')}({d.t(4, 2)}, [0, 3, 1], [0, 0, 2], num_segments={d.number(3, 5)})",
            f"tf.sparse.cross([{d.sparse(2, 2, dtype='int64')}, tf.constant([['a'], ['b']])])",
            f"tf.sparse.cross_hashed([{d.sparse(2, 2, dtype='int64')}, tf.constant([['a'], ['b']])], num_buckets={d.one('0 100')})",
            f"tf.sparse.merge({d.sparse(2, 3, dtype='int64')}, {d.one('None') and 'tf.SparseTensor([[0, 0]], [1.5], [2, 3])'}, 10)",
        ]
    )


def _ragged(d: Inputs) -> str:
    inner = d.pick([(), (), (2,)])
    r = d.ragged(inner=inner)
    axis = d.number(-1, 2) if inner else d.number(-2, 1)
    return d.one(
        [
            f"tf.reduce_{d.one('sum mean max min prod')}({r}, {d.one([axis, 'None', '[0, 1]'])}, keepdims={d.flag()})",
            f"tf.reduce_{d.one('any all')}({r} > 0.0, {axis})",
            f"{r}.to_tensor({d.one('0.0 -1.5')})",
            f"{d.ragged()}.to_sparse()",
            f"tf.concat([{r}, {r} * 2.0], {axis})",
            f"tf.stack([{r}, {r} + 1.0], {d.number(-2, 2)})",
            f"tf.ragged.boolean_mask({r}, {r}[..., 0] > 0.0)"
            if inner
            else f"tf.ragged.boolean_mask({r}, {r} > 0.0)",
            f"tf.gather({r}, {d.t(d.number(1, 3), kind='1')})",
            f"tf.gather({d.t(4, 2)}, {d.ragged('4', 'int32')})",
            f"tf.gather_nd({r}, [[0], [0]])",
            f"tf.expand_dims({r}, {d.number(-2, 2)})",
            f"tf.tile({r}, {[d.number(1, 2) for _ in range(2 + len(inner))]})",
            f"tf.where({r} > 0.0, {r}, -{r})",
            f"tf.where({d.ragged()} > 0.0)",
            f"tf.ragged.range({d.t(3, kind='3')}, {d.t(3, kind='7')}, {d.number(1, 2)})",
            f"tf.ragged.map_flat_values(tf.nn.relu, {r})",
            f"tf.tanh({r}) * {d.one('2.0 -1.0')} + {r}",
            f"{r}[{d.one(['0', '-1', ':1', '1:', '::-1', '..., :1', ':, 0:2', ':, -1:', ':, ::2', 'None', ':, None'])}]",
            f"{r}.bounding_shape()",
            f"{r}.bounding_shape({d.number(0, 1)}), {r}.row_lengths(), {r}.row_starts(), {r}.row_limits(), {r}.value_rowids(), {r}.nrows()",
            f"tf.RaggedTensor.from_tensor({d.t(3, 4, kind='steps')}, padding={d.one('None 0.0')})",
            f"tf.RaggedTensor.from_tensor({d.t(2, 3)}, lengths=[{d.number(0, 3)}, {d.number(0, 3)}])",
            f"tf.RaggedTensor.from_tensor({d.t(2, 3, 2)}, ragged_rank={d.number(1, 2)})",
            f"tf.RaggedTensor.from_value_rowids({d.t(4)}, [0, 0, 2, {d.number(2, 3)}], nrows={d.one('None 5')})",
            f"tf.RaggedTensor.from_row_starts({d.t(4)}, [0, {d.number(0, 2)}, 3])",
            f"tf.RaggedTensor.from_row_limits({d.t(4)}, [{d.number(0, 2)}, 3, 4])",
            f"tf.RaggedTensor.from_nested_row_splits({d.t(5)}, [[0, 1, 3], [0, 2, {d.number(2, 5)}, 5]])",
            f"tf.cast({r}, tf.int32)",
            f"tf.size({r}), tf.rank({r}), tf.zeros_like({r}), tf.ones_like({r})",
            f"tf.map_fn(tf.reduce_sum, {r}, dtype=tf.float32)",
            f"tf.batch_gather({d.t(3, 4)}, tf.RaggedTensor.from_row_lengths([0, 1, 3, 2], [1, {d.number(0, 2)}, 0])[:3])",
            f"tf.reverse({r}, [{d.one('0 1')}])",
            f"tf.sparse.to_dense({d.ragged('word', 'string')}.to_sparse(), '-')",
            f"{r}.with_flat_values({r}.flat_values * 2.0)",
            f"tf.ragged.stack_dynamic_partitions({d.t(4)}, [1, 0, 1, {d.number(0, 2)}], 3)",
            f"tf.ragged.segment_ids_to_row_splits([0, 0, 2], {d.one('None 4')}), tf.ragged.row_splits_to_segment_ids([0, 2, 2, {d.number(2, 5)}])",
            f"tf.math.unsorted_segment_sum({d.ragged(inner=())}, tf.zeros([tf.shape({r}.row_splits)[0] - 1], tf.int32), 2)",
        ]
    )


# ---- numbers


def _matrix(d: Inputs) -> str:
    n, batch = d.number(1, 4), d.pick([(), (), (2,)])
    a = d.t(*batch, n, n, dtype=d.one("float32 float64"))
    dtype = "float64" if "float64" in d.lines[-1] else "float32"
    spd = f"(tf.matmul({a}, {a}, transpose_b=True) + 2.0 * tf.eye({n}, dtype=tf.{dtype}))"
    m = d.number(1, 3)
    b = d.t(*batch, n, m, dtype=dtype)
    wide = d.t(*batch, n, m + n, dtype=dtype)
    return d.one(
        [
            f"tf.linalg.cholesky_solve(tf.linalg.cholesky({spd}), {b})",
            f"tf.linalg.solve({spd}, {b}, adjoint={d.flag()})",
            f"tf.linalg.triangular_solve({spd}, {b}, lower={d.flag()}, adjoint={d.flag()})",
            f"tf.linalg.lstsq({spd}, {b}, l2_regularizer={d.one('0.0 0.1')}, fast=True)",
            f"tf.linalg.lstsq({spd}, {b}, fast=False)",
            f"tf.linalg.inv({spd}, adjoint={d.flag()})",
            f"tf.linalg.logdet({spd})",
            f"tf.linalg.slogdet({a})",
            f"tf.linalg.det({a})",
            f"tf.linalg.eigvalsh({spd})",
            f"tf.abs(tf.linalg.eigh({spd})[1])",
            f"tf.linalg.svd({wide}, compute_uv=False)",
            f"tf.abs(tf.linalg.svd({wide}, full_matrices={d.flag()})[1])",
            f"tf.abs(tf.linalg.qr({wide}, full_matrices={d.flag()})[1])",
            f"tf.linalg.lu({a})",
            f"tf.linalg.expm({a})",
            f"tf.linalg.sqrtm({spd})",
            f"tf.linalg.logm(tf.cast({spd}, tf.complex64))",
            f"tf.linalg.pinv({wide})",
            f"tf.linalg.matvec({a}, {b}[..., 0], transpose_a={d.flag()})",
            f"tf.linalg.norm({a}, {d.one(['1', '2', 'np.inf', repr('euclidean'), repr('fro'), '3'])}, axis={d.one(['None', '-1', '[-2, -1]'])}, keepdims={d.flag()})",
            f"tf.linalg.diag({b}[..., 0], k={d.number(-2, 2)})",
            f"tf.linalg.diag_part({a}, k={d.number(-n + 1, n - 1)})",
            f"tf.linalg.diag_part({a}, k=({-n + 1}, {n - 1}), padding_value={d.one('0 7')})",
            f"tf.linalg.set_diag({a}, {b}[..., 0])",
            f"tf.linalg.trace({a}), tf.linalg.adjoint({b}), tf.linalg.band_part({a}, {d.number(-1, 2)}, {d.number(-1, 2)})",
            f"tf.linalg.cross({d.t(2, 3)}, {d.t(2, 3)})",
            f"tf.linalg.tridiagonal_solve(tf.linalg.diag_part({spd}, k=0) if {n} < 0 else ({d.t(*batch, n, dtype=dtype)}, 4.0 + {d.t(*batch, n, kind='positive', dtype=dtype)}, {d.t(*batch, n, dtype=dtype)}), {b}, 'sequence')",
            f"tf.linalg.tridiagonal_matmul(({d.t(*batch, n, dtype=dtype)}, {d.t(*batch, n, dtype=dtype)}, {d.t(*batch, n, dtype=dtype)}), {b}, 'sequence')",
            f"tf.linalg.tensordot({a}, {b}, {d.one(['0', '[[-1], [-2]]', '[[-2], [-2]]'])})",
            f"tf.matmul({a}, {b}, transpose_a={d.flag()}), tf.linalg.eye({n}, {m}, batch_shape=[{d.number(0, 2)}])",
            f"tf.matrix_inverse({spd}), tf.global_norm([{a}, {b}])",
            f"tf.linalg.LinearOperatorFullMatrix({spd}).{d.one(['solve({b})', 'matmul({b})', 'log_abs_determinant()', 'diag_part()']).format(b=b)}",
            f"tf.linalg.LinearOperatorKronecker([tf.linalg.LinearOperatorFullMatrix({spd}), tf.linalg.LinearOperatorIdentity(2, dtype=tf.{dtype})]).{d.one('to_dense determinant trace')}()",
            f"tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorFullMatrix({spd}), {b}, is_self_adjoint=False).{d.one('to_dense determinant')}()",
            f"tf.linalg.LinearOperatorCirculant(tf.cast({b}[..., 0], tf.complex64)).to_dense()",
            f"tf.linalg.LinearOperatorToeplitz({b}[..., 0], {b}[..., 0]).{d.one('to_dense trace')}()",
            f"tf.linalg.LinearOperatorBlockDiag([tf.linalg.LinearOperatorFullMatrix({spd}), tf.linalg.LinearOperatorFullMatrix({a})]).{d.one('to_dense diag_part trace')}()",
        ]
    )


def _signal(d: Inputs) -> str:
    n = d.number(4, 9)
    wave = d.t(*d.pick([(n,), (2, n)]), dtype=d.one("float32 float32 float64"))
    complicated = d.t(*d.pick([(n,), (2, n)]), kind="complex", dtype=d.one("complex64 complex128"))
    size, step = d.number(1, 5), d.number(1, 4)
    wide = d.t(2, 3, 4, dtype="float32")
    return d.one(
        [
            f"tf.signal.frame({wave}, {size}, {step}, pad_end={d.flag()}, pad_value={d.one('0 1.5')})",
            f"tf.signal.frame({wide}, {d.number(1, 3)}, {d.number(1, 2)}, pad_end={d.flag()}, axis={d.number(-2, 1)})",
            f"tf.signal.overlap_and_add({wide}, {d.number(1, 5)})",
            f"tf.abs(tf.signal.stft({wave}, {size}, {step}, {d.one(['None', '8'])}, pad_end={d.flag()}))",
            f"tf.signal.inverse_stft(tf.signal.stft({wave}, 4, 2), 4, 2, window_fn={d.one(['tf.signal.hann_window', 'None', 'tf.signal.inverse_stft_window_fn(2)'])})",
            f"tf.signal.dct({wave}, type={d.number(1, 4)}, n={d.one(['None', '3', '12'])})",
            f"tf.signal.dct({wave}, type={d.one('2 3 4')}, norm='ortho')",
            f"tf.signal.idct({wave}, type={d.number(1, 4)})",
            f"tf.signal.{d.one('fft ifft')}({complicated})",
            f"tf.signal.{d.one('fft2d ifft2d')}({d.t(2, 3, kind='complex')})",
            f"tf.signal.{d.one('fft3d ifft3d')}({d.t(2, 3, 2, kind='complex')})",
            f"tf.signal.rfft({wave}, {d.one(['None', '[3]', '[12]'])})",
            f"tf.signal.irfft({complicated}, {d.one(['None', '[3]', '[12]', '[5]'])})",
            f"tf.signal.rfft2d({wide}, {d.one(['None', '[2, 3]', '[5, 6]'])})",
            f"tf.signal.irfft2d(tf.signal.rfft2d({wide}), {d.one(['None', '[3, 3]', '[2, 6]'])})",
            f"tf.signal.{d.one('fftshift ifftshift')}({wide}, {d.one(['None', '0', '[0, 2]', '-1'])})",
            f"tf.signal.{d.one('hann_window hamming_window')}({d.number(1, 9)}, periodic={d.flag()}, dtype=tf.{d.one('float32 float64')})",
            f"tf.signal.linear_to_mel_weight_matrix({d.number(2, 8)}, {d.number(5, 12)}, 8000, 100.0, 3000.0)",
            f"tf.signal.mfccs_from_log_mel_spectrograms({wide})",
        ]
    )


def _number(d: Inputs) -> str:
    shape = d.sizes_of(d.number(1, 3), 1, 4)
    a, p = d.t(*shape), d.t(*shape, kind="positive")
    unit = d.t(*shape, kind="unit")
    k = shape[0]
    return d.one(
        [
            f"tf.{d.one('igamma igammac')}({p}, {d.t(*shape, kind='positive')})",
            f"tf.math.betainc({p}, {d.t(*shape, kind='positive')}, {unit})",
            f"tf.math.zeta({p} + 1.5, {d.t(*shape, kind='positive')})",
            f"tf.math.polygamma(tf.constant({d.number(1, 3)}.0), {p})",
            f"tf.math.lbeta({p})",
            f"tf.math.{d.one('bessel_i0 bessel_i1 bessel_i0e bessel_i1e')}({a})",
            f"tf.math.cumulative_logsumexp({a}, {d.number(-len(shape), len(shape) - 1)}, exclusive={d.flag()}, reverse={d.flag()})",
            f"tf.math.confusion_matrix({d.t(4, kind='3')}, {d.t(4, kind='3')}, {d.one('None 3 5')}, weights={d.one(['None', d.t(4, kind='positive')])})",
            f"tf.math.segment_{d.one('sum mean max min prod')}({d.t(4, 2)}, [0, 0, {d.one('1 2')}, {d.one('2 3')}])",
            f"tf.accumulate_n([{a}, {p}])",
            f"tf.math.polyval([{a}, {p}, 2.0], {unit})",
            f"tf.meshgrid({d.t(d.number(1, 3))}, {d.t(2)}, indexing='{d.one('xy ij')}')",
            f"tf.batch_gather({a}, {d.t(*shape[:-1], 2, kind=str(shape[-1]))})",
            f"tf.tensor_scatter_nd_{d.one('update add sub')}({a}, [[{d.number(0, k - 1)}]], {d.t(1, *shape[1:])})",
            f"tf.dynamic_partition({a}, {d.t(k, kind='3', known=True)}, 3)",
            f"tf.dynamic_stitch([[0, {d.number(1, 3)}], [{d.number(0, 3)}]], [{d.t(2, 2, known=True)}, {d.t(1, 2, known=True)}])",
            f"tf.unravel_index({d.t(3, kind='6')}, [2, 3])",
            f"tf.fake_quant_with_min_max_args({a}, -1.0, {d.one('1.0 2.5')}, num_bits={d.one('8 4')}, narrow_range={d.flag()})",
            f"tf.fake_quant_with_min_max_vars({a}, -{d.t(kind='positive')}, {d.t(kind='positive')}, num_bits={d.one('8 4')}, narrow_range={d.flag()})",
            f"tf.quantization.quantize_and_dequantize({a}, -1.0, 1.0, signed_input={d.flag()}, num_bits={d.one('8 3')}, range_given={d.flag()}, round_mode='{d.one('HALF_TO_EVEN HALF_UP')}')",
            f"tf.invert_permutation({d.order(d.number(1, 5))})",
            f"tf.math.in_top_k({d.t(3, 4)}, {d.t(3, kind='4')}, {d.number(1, 3)})",
            f"tf.scan(lambda s, e: s * 0.5 + e, {a}, reverse={d.flag()})",
            f"tf.foldr(lambda s, e: s * 0.5 + e, {a})",
            f"tf.map_fn(lambda e: (e, tf.reduce_sum(e)), {a}, dtype=(tf.float32, tf.float32))",
            f"tf.math.reduce_{d.one('std variance logsumexp euclidean_norm')}({a}, {d.one(['None', '0', '-1'])}, keepdims={d.flag()})",
            f"tf.argmax({a}, {d.number(-len(shape), len(shape) - 1)}), tf.math.top_k({a}, 1)",
            f"tf.sequence_mask({d.t(*d.pick([(2,), (2, 2)]), kind='4')}, {d.one('None 3')}, dtype=tf.{d.one('float32 bool int64')})",
            f"tf.one_hot({d.t(*d.pick([(2,), (2, 2)]), kind='4')}, 3, {d.one('1.0 5.0')}, {d.one('0.0 -1.0')}, axis={d.number(-1, 1)})",
            f"tf.boolean_mask({a}, {d.t(k, kind='bool', known=True)}, axis={d.one('0 None')})",
            f"tf.reverse_sequence({d.t(3, 4)}, [{d.number(0, 4)}, {d.number(0, 4)}, 4], seq_axis=1, batch_axis=0)",
            f"tf.searchsorted(tf.sort({d.t(2, 4)}), {d.t(2, 3)}, side='{d.one('left right')}')",
            f"tf.math.bincount({d.t(5, kind='4')}, weights={d.one(['None', d.t(5, known=True)])}, minlength={d.one('None 6')}, maxlength={d.one('None 3')})",
            f"tf.unique_with_counts({d.t(6, kind='4')})",
            f"tf.einsum('{d.one('ij,kj->ik ij,kj->jki ij,kj->')}', {d.t(2, 3)}, {d.t(4, 3)})",
            f"tf.histogram_fixed_width({a}, [-1.0, 1.5], nbins={d.number(1, 6)})",
            f"tf.pad({a}, {[[d.number(0, 2), d.number(0, 2)] for _ in shape]}, constant_values={d.one('0 1.5')})",
            f"tf.gather({a}, {d.t(*d.pick([(2,), (2, 2)]), kind='1')}, axis={d.number(-len(shape), len(shape) - 1)})",
            f"tf.gather({d.t(2, 3, 2)}, {d.t(2, 2, kind='2')}, axis={d.number(1, 2)}, batch_dims=1)",
            f"tf.strided_slice({a}, [0], [{k}], [{d.number(1, 2)}])",
            f"tf.norm({a}, ord={d.one(['1', '2', 'np.inf', '2.5'])}, axis={d.number(-len(shape), len(shape) - 1)})",
        ]
    )


# ---- distributions and feature columns


def _distribution(d: Inputs) -> str:
    batch = d.pick([(), (2,), (3, 2)])
    loc, scale = d.t(*batch, known=d.chance(0.8)), d.t(*batch[-1:], kind="positive", known=True)
    point = d.t(*d.pick([batch, (3, 2), (2,)]), kind="unit")
    wide, share = d.t(*batch, 3, kind="positive", known=True), d.t(*batch, 3, known=True)
    name, made, at = d.pick(
        [
            ("Normal", f"Normal({loc}, {scale})", point),
            ("Laplace", f"Laplace({loc}, {scale})", point),
            ("StudentT", f"StudentT({scale} + 2.0, {loc}, {scale})", point),
            ("Uniform", f"Uniform({loc}, {loc} + {scale})", point),
            ("Gamma", f"Gamma({scale}, 1.5)", point),
            ("Exponential", f"Exponential({scale})", point),
            ("Beta", f"Beta({scale}, 0.7 + {scale})", point),
            ("Dirichlet", f"Dirichlet({wide})", f"tf.nn.softmax({d.t(3)})"),
            ("Bernoulli", f"Bernoulli(logits={loc})", d.one("0 1")),
            ("Categorical", f"Categorical(logits={share})", d.one("0 2")),
            ("Multinomial", f"Multinomial(4.0, logits={share})", "[1.0, 0.0, 3.0]"),
            ("DirichletMultinomial", f"DirichletMultinomial(4.0, {wide})", "[1.0, 0.0, 3.0]"),
        ]
    )
    what = d.one(
        ["log_prob({0})", "prob({0})", "cdf({0})", "mean()", "variance()", "stddev()", "entropy()", "mode()",
         "sample([2, 3], seed=1).shape", "batch_shape_tensor()", "event_shape_tensor()", "batch_shape",
         "survival_function({0})", "log_cdf({0})", "quantile({0})", "covariance()"]
    )  # fmt: skip
    if d.chance(0.1):
        return f"tf.distributions.kl_divergence(tf.distributions.Normal({loc}, {scale}), tf.distributions.Normal(0.3, {scale} + 1.0))"
    return f"tf.distributions.{made}.{what.format(at)}"


def _columns(d: Inputs) -> str:
    n = d.number(1, 3)
    d.lines.append("fc = tf.feature_column")
    d.lines.append(
        "ramp = lambda shape, dtype=None, partition_info=None: tf.reshape(tf.range(float(np.prod([int(i) for i in shape]))) / 10.0, [int(i) for i in shape])"
    )
    number, pair = d.t(n, 1), d.t(n, 2, known=True)
    word, ids = d.t(n, d.number(1, 3), kind="word"), d.t(n, 2, kind="5", dtype="int64")
    several = d.sparse(n, 3, dtype="int64")
    features = f"{{'number': {number}, 'pair': {pair}, 'word': {word}, 'ids': {ids}, 'several': {several}, 'weights': tf.SparseTensor({several}.indices, tf.cast({several}.values, tf.float32) / 2.0, {several}.dense_shape)}}"
    sparse = [
        "fc.categorical_column_with_vocabulary_list('word', ['a', 'b', 'x'])",
        "fc.categorical_column_with_vocabulary_list('word', ['a', 'b'], num_oov_buckets=2)",
        "fc.categorical_column_with_vocabulary_list('word', ['a', ''], default_value=0)",
        "fc.categorical_column_with_hash_bucket('word', 5)",
        "fc.categorical_column_with_hash_bucket('ids', 4, tf.int64)",
        "fc.categorical_column_with_identity('ids', 5)",
        "fc.categorical_column_with_identity('several', 6, default_value=0)",
        "fc.weighted_categorical_column(fc.categorical_column_with_identity('several', 9), 'weights')",
        "fc.crossed_column(['word', 'ids'], 7)",
        "fc.crossed_column([fc.categorical_column_with_identity('ids', 5), fc.bucketized_column(fc.numeric_column('number'), [0.0, 0.5])], 6, hash_key=3)",
    ]
    chosen = []
    linear = d.chance(0.4)
    for _ in range(d.number(1, 4)):
        one = d.one(sparse)
        kind = d.one("numeric pair buckets sparse sparse scaled")
        if kind == "numeric":
            chosen.append(f"fc.numeric_column('number', default_value={d.one('None 2.0')})")
        elif kind == "scaled":
            chosen.append("fc.numeric_column('pair', shape=(2,), normalizer_fn=lambda v: v / 3.0)")
        elif kind == "pair":
            chosen.append("fc.numeric_column('pair', shape=2)")
        elif kind == "buckets":
            chosen.append(
                f"fc.bucketized_column(fc.numeric_column('pair', shape=2), {d.one(['[0.0]', '[-0.5, 0.1, 0.8]'])})"
            )
        elif linear:
            chosen.append(one)
        elif d.chance(0.5):
            chosen.append(f"fc.indicator_column({one})")
        else:
            chosen.append(
                f"fc.embedding_column({one}, {d.number(1, 3)}, combiner='{d.one('mean sum sqrtn')}', initializer=ramp, max_norm={d.one('None 0.4')})"
            )
    if linear:
        return f"fc.linear_model({features}, [{', '.join(dict.fromkeys(chosen))}], units={d.number(1, 2)}, sparse_combiner='{d.one('sum mean sqrtn')}')"
    return f"fc.input_layer({features}, [{', '.join(dict.fromkeys(chosen))}])"


#: Each row, and how many of it are kept here.
ROWS: dict[str, tuple[Row, int]] = {
    "text": (_text, 7),
    "sparse": (_sparse, 9),
    "ragged": (_ragged, 10),
    "matrix": (_matrix, 9),
    "signal": (_signal, 5),
    "number": (_number, 9),
    "distribution": (_distribution, 7),
    "columns": (_columns, 4),
}

#: What TensorFlow 2.15 does otherwise than 1.15, or knows less of.
LEFT_OUT = (
    "text, 0",  # draws what minitf leaves out
    "text, 1",  # draws what minitf leaves out
    "matrix, 0",  # draws what minitf leaves out
    "matrix, 2",  # draws what minitf leaves out
    "matrix, 4",  # draws what minitf leaves out
    "matrix, 5",  # draws what minitf leaves out
    "number, 3",  # draws what minitf leaves out
    "number, 7",  # draws what minitf leaves out
    "ragged, 0",  # draws what minitf leaves out
    "ragged, 6",  # draws what minitf leaves out
    "signal, 1",  # draws what minitf leaves out
    "signal, 3",  # draws what minitf leaves out
    "signal, 4",  # draws what minitf leaves out
    "sparse, 1",  # draws what minitf leaves out
    "sparse, 2",  # draws what minitf leaves out
    "sparse, 4",  # draws what minitf leaves out
    "distribution, 1",  # draws what minitf leaves out
    "distribution, 2",  # draws what minitf leaves out
    "distribution, 4",  # draws what minitf leaves out
    "distribution, 5",  # draws what minitf leaves out
    "sparse, 6",  # no gradient of splits
    "sparse, 7",  # no gradient of splits
    "sparse, 8",  # no gradient of what is joined
    "matrix, 1",  # a diagonal beside the main one
    "matrix, 6",  # a diagonal beside the main one
    "signal, 0",  # of float64
)


def draw(name: str, seed: int) -> Case:
    """The program of one row and seed."""
    return program("drawn_values", name, seed, ROWS[name][0])


CASES = [
    draw(name, seed)
    for name, (_, count) in ROWS.items()
    for seed in range(count)
    if f"{name}, {seed}" not in LEFT_OUT
]
