"""What a task does: a master that takes steps apart, a worker that runs its part of them."""
