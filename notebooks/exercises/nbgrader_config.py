"""nbgrader's settings for the exercise sheets, here and in the folder that `make course` makes.

source/ holds the sheets with their solutions and hidden checks, release/ what students get. In this
folder,

    nbgrader generate_assignment --force 01-tensors-and-ranks    makes the second from the first
    nbgrader autograde 01-tensors-and-ranks                      grades what students handed in
    nbgrader generate_feedback 01-tensors-and-ranks              writes a page for each of them

What students hand in stands in submitted/<student>/01-tensors-and-ranks/, under the sheet's name.
The check that a student sees ends in a tick. Grading puts the hidden check back below it, which
asks the same of other inputs, so an answer that only knows the numbers it was shown gets no points.
A check's value is its points; minitf_widgets/lessons/checks.py makes it.
"""

import os

c = get_config()  # noqa: F821  (nbgrader calls this file with it)

c.CourseDirectory.course_id = "minitf"
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()"}
c.ClearSolutions.text_stub = "Your answer, in place of this line."
c.ExecutePreprocessor.timeout = 120
# A right answer that also warns is right: nbgrader gives no points to a cell that writes to stderr.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = "(?s).*"
# The files of `nbgrader zip_collect`: ann_01-tensors-and-ranks.ipynb, zipped or not, perhaps with a
# browser's " (1)", and Moodle's Ann Lee_4711_assignsubmission_file_/01-tensors-and-ranks.ipynb.
c.FileNameCollectorPlugin.named_regexp = (
    r".*/(?P<student_id>[^/]+?)(?:_\d+_assignsubmission_file)?[_/]+"
    r"(?P<file_id>[^/_]+?)(?: \(\d+\))?\.ipynb$"
)
# Where students fetch and submit, on a machine that all share: a folder which all may write to. The
# default, /usr/local/share/nbgrader/exchange, belongs to root; see docs/teaching.md.
c.Exchange.root = os.environ.get("NBGRADER_EXCHANGE", os.path.abspath("exchange"))
