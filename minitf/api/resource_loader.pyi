"""The names of `tf.resource_loader`."""

from minitf.library.formats.file_io import get_data_files_path as get_data_files_path
from minitf.library.formats.file_io import get_path_to_datafile as get_path_to_datafile
from minitf.library.formats.file_io import load_resource as load_resource
from minitf.library.formats.file_io import readahead_file_path as readahead_file_path
