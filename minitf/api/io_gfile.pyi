"""The names of `tf.io_gfile`."""

from minitf.library.formats.file_io import GFile as GFile
from minitf.library.formats.file_io import copy as copy
from minitf.library.formats.file_io import exists as exists
from minitf.library.formats.file_io import glob as glob
from minitf.library.formats.file_io import isdir as isdir
from minitf.library.formats.file_io import listdir as listdir
from minitf.library.formats.file_io import makedirs as makedirs
from minitf.library.formats.file_io import mkdir as mkdir
from minitf.library.formats.file_io import remove as remove
from minitf.library.formats.file_io import rename as rename
from minitf.library.formats.file_io import rmtree as rmtree
from minitf.library.formats.file_io import stat as stat
from minitf.library.formats.file_io import walk as walk
