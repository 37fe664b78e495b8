"""The names of `tf.contrib.slim.summaries`."""

from minitf.compat.slim.summaries import add_histogram_summaries as add_histogram_summaries
from minitf.compat.slim.summaries import add_histogram_summary as add_histogram_summary
from minitf.compat.slim.summaries import add_image_summaries as add_image_summaries
from minitf.compat.slim.summaries import add_image_summary as add_image_summary
from minitf.compat.slim.summaries import add_scalar_summaries as add_scalar_summaries
from minitf.compat.slim.summaries import add_scalar_summary as add_scalar_summary
from minitf.compat.slim.summaries import add_zero_fraction_summaries as add_zero_fraction_summaries
from minitf.compat.slim.summaries import add_zero_fraction_summary as add_zero_fraction_summary
