"""Lists of tensors as values, stacks of a step: what TensorFlow's own functions are made of."""

from ..case import programs

START = """
if tf.__name__.startswith("tensorflow"):
    from tensorflow.python.ops import gen_data_flow_ops as flow, list_ops as lists
else:
    from minitf.compat import raw_ops as flow
    from minitf.compat.internals import list_ops as lists
f = tf.float32
def kind(make):
    try:
        return run(make())
    except Exception as error:
        return type(error).__name__
def filled(values=(1.0, 2.0, 3.0), shape=()):
    return lists.tensor_list_from_tensor(list(values), shape)
"""
#: what a list gives, or the error
LISTS = """
pushed | lists.tensor_list_stack(lists.tensor_list_push_back(lists.empty_tensor_list([], f), 1.0), f)
pop_empty | lists.tensor_list_pop_back(lists.empty_tensor_list([], f), f)[1]
pop | lists.tensor_list_pop_back(filled(), f)[1]
full | lists.tensor_list_length(lists.tensor_list_push_back(lists.tensor_list_push_back(lists.empty_tensor_list([], f, max_num_elements=1), 1.0), 2.0))
stack_of_none | lists.tensor_list_stack(lists.tensor_list_reserve([2], 0, f), f)
blank | lists.tensor_list_stack(lists.tensor_list_reserve([2], 3, f), f)
blank_unknown | lists.tensor_list_stack(lists.tensor_list_reserve(None, 3, f), f)
blank_like_others | lists.tensor_list_stack(lists.tensor_list_set_item(lists.tensor_list_reserve(None, 3, f), 0, [1.0, 2.0]), f)
merged_shape | lists.tensor_list_stack(lists.tensor_list_reserve([None, 2], 3, f), f, element_shape=[4, 2])
get_item | lists.tensor_list_get_item(filled(), 1, f)
get_outside | lists.tensor_list_get_item(filled(), 4, f)
get_blank | lists.tensor_list_get_item(lists.tensor_list_reserve([2], 3, f), 1, f)
get_other_type | lists.tensor_list_get_item(filled(), 1, tf.int32)
from_other_shape | lists.tensor_list_length(lists.tensor_list_from_tensor([[1.0, 2.0]], [3]))
set_outside | lists.tensor_list_length(lists.tensor_list_set_item(filled(), 7, 3.0))
set_other_shape | lists.tensor_list_length(lists.tensor_list_set_item(filled(), 0, [3.0, 4.0]))
gather | lists.tensor_list_gather(filled(), [0, 2], f)
gather_outside | lists.tensor_list_gather(filled(), [0, 3], f)
scatter | lists.tensor_list_stack(lists.tensor_list_scatter([[1.0, 2.0], [3.0, 4.0]], [2, 0], [2]), f)
scatter_into | lists.tensor_list_stack(lists.tensor_list_scatter([[1.0, 2.0], [3.0, 4.0]], [2, 0], [2], input_handle=lists.tensor_list_reserve([2], 4, f)), f)
element_shape | lists.tensor_list_element_shape(lists.tensor_list_reserve([None, 3], 1, f), tf.int32)
element_shape_unknown | lists.tensor_list_element_shape(lists.tensor_list_reserve(None, 1, f), tf.int32)
concat | lists.tensor_list_concat(filled([[1.0, 2.0], [3.0, 4.0]], [2]), f)
concat_none | lists.tensor_list_concat(lists.empty_tensor_list([None, 2], f), f)
split | lists.tensor_list_stack(lists.tensor_list_split([1.0, 2.0, 3.0, 4.0], [None], [2, 2]), f)
two_lists | lists.tensor_list_stack(lists.tensor_list_concat_lists(filled(), filled(), f), f)
resize | lists.tensor_list_stack(lists.tensor_list_resize(filled(), 5), f)
resize_negative | lists.tensor_list_length(lists.tensor_list_resize(filled(), -1))
too_few | lists.tensor_list_stack(filled(), f, num_elements=4)
uneven | lists.tensor_list_stack(lists.tensor_list_push_back(lists.tensor_list_push_back(lists.empty_tensor_list(None, f), [1.0]), [1.0, 2.0]), f)
push_other_type | lists.tensor_list_length(lists.tensor_list_push_back(lists.empty_tensor_list([], f), tf.constant(1)))
"""
TEXTS = {}
for line in LISTS.strip().splitlines():
    title, made = line.split(" | ")
    TEXTS[title] = f"{START}\nshow(kind(lambda: {made}))"
STACK = f"""{START}
def order(room=-1, pops=1, close=False):
    handle = flow.stack_v2(room, elem_type=f, stack_name="foo")
    last = flow.stack_push_v2(handle, [[4.0, 5.0]])
    with tf.control_dependencies([last]):
        last = flow.stack_push_v2(handle, [1.0], swap_memory=True)
    if close:
        with tf.control_dependencies([last]):
            last = flow.stack_close_v2(handle)
    for _ in range(pops):
        with tf.control_dependencies([last]):
            last = flow.stack_pop_v2(handle, f)
    return last
"""
TEXTS["stacks"] = STACK + "show(order(), kind(order), kind(lambda: order(pops=2)))"
TEXTS["stack_is_empty"] = STACK + "show(kind(lambda: order(pops=3)))"
TEXTS["stack_overflows"] = STACK + "show(kind(lambda: order(1)), kind(lambda: order(2)))"
TEXTS["stack_is_closed"] = STACK + "show(kind(lambda: order(close=True)))"
TEXTS["stack_in_loop"] = f"""{START}
handle = flow.stack_v2(-1, elem_type=f)
def body(i):
    with tf.control_dependencies([flow.stack_push_v2(handle, tf.cast(i, f) * 2)]):
        return i + 1
n = tf.while_loop(lambda i: i < 4, body, [0])
with tf.control_dependencies([n]):
    show(run(flow.stack_pop_v2(handle, f)))
"""
CASES = programs("list_ops", TEXTS)
