"""The names of `tf.keras.backend`."""

from minitf.library.keras.backend.session import batch_get_value as batch_get_value
from minitf.library.keras.backend.session import batch_set_value as batch_set_value
from minitf.library.keras.backend.session import clear_session as clear_session
from minitf.library.keras.backend.session import get_session as get_session
from minitf.library.keras.backend.session import get_uid as get_uid
from minitf.library.keras.backend.session import get_value as get_value
from minitf.library.keras.backend.session import learning_phase as learning_phase
from minitf.library.keras.backend.session import learning_phase_scope as learning_phase_scope
from minitf.library.keras.backend.session import reset_uids as reset_uids
from minitf.library.keras.backend.session import set_learning_phase as set_learning_phase
from minitf.library.keras.backend.session import set_session as set_session
from minitf.library.keras.backend.session import set_value as set_value
