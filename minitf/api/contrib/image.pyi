"""The names of `tf.contrib.image`."""

from minitf.compat.contrib.image import angles_to_projective_transforms as angles_to_projective_transforms
from minitf.compat.contrib.image import rotate as rotate
from minitf.compat.contrib.image import transform as transform
from minitf.compat.contrib.image import translate as translate
from minitf.compat.contrib.image import translations_to_projective_transforms as translations_to_projective_transforms
