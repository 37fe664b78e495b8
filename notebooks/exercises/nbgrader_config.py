"""nbgrader's settings for the exercise sheets of the lessons.

source/ holds the sheets with their solutions and hidden checks, release/ what students get. In this
folder,

    nbgrader generate_assignment --force 01-tensors-and-ranks    makes the second from the first
    nbgrader autograde 01-tensors-and-ranks                      grades what students handed in
    nbgrader generate_feedback 01-tensors-and-ranks              writes a page for each of them

What students hand in stands in submitted/<student>/01-tensors-and-ranks/, under the sheet's name.
The check that a student sees ends in a tick. Grading puts the hidden check back below it, which
asks the same of other inputs and ends in a tick with the points, so an answer that only knows the
numbers it was shown gets none.
"""

c = get_config()  # noqa: F821  (nbgrader calls this file with it)

c.CourseDirectory.course_id = "minitf"
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()"}
c.ExecutePreprocessor.timeout = 120
# A right answer that also warns is right: nbgrader gives no points to a cell that writes to stderr.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = "(?s).*"
