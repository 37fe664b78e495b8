"""nbgrader's settings for the exercise sheets of the lessons.

source/ holds the sheets with their solutions, release/ what students get. In this folder,
`nbgrader generate_assignment --force 01-tensors-and-ranks` makes the second from the first, and
`nbgrader autograde 01-tensors-and-ranks` grades what stands in
submitted/<student>/01-tensors-and-ranks/.
"""

c = get_config()  # noqa: F821  (nbgrader calls this file with it)

c.CourseDirectory.course_id = "minitf"
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()"}
c.ExecutePreprocessor.timeout = 120
