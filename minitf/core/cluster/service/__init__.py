"""The services of a task: a master that divides steps, and a worker that runs its part of them."""
