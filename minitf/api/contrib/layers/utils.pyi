"""The names of `tf.contrib.layers.utils`."""

from minitf.compat.slim.layers import append_tensor_alias as append_tensor_alias
from minitf.compat.slim.layers import collect_named_outputs as collect_named_outputs
from minitf.compat.slim.layers import convert_collection_to_dict as convert_collection_to_dict
from minitf.compat.slim.layers import gather_tensors_aliases as gather_tensors_aliases
from minitf.compat.slim.layers import get_tensor_aliases as get_tensor_aliases
from minitf.compat.slim.utils import channel_dimension as channel_dimension
from minitf.compat.slim.utils import get_variable_collections as get_variable_collections
from minitf.compat.slim.utils import last_dimension as last_dimension
from minitf.compat.slim.utils import n_positive_integers as n_positive_integers
from minitf.compat.slim.utils import static_cond as static_cond
from minitf.compat.slim.utils import two_element_tuple as two_element_tuple
from minitf.core.gradients.cond import smart_constant_value as constant_value
from minitf.core.gradients.cond import smart_cond as smart_cond

__all__ = [
    "append_tensor_alias", "channel_dimension", "collect_named_outputs", "constant_value",
    "convert_collection_to_dict", "gather_tensors_aliases", "get_tensor_aliases",
    "get_variable_collections", "last_dimension", "n_positive_integers", "smart_cond",
    "static_cond", "two_element_tuple"
]
