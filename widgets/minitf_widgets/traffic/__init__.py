"""The traffic between the tasks of a cluster: live, and as a picture."""
