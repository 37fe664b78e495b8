"""What a step needs while it runs: devices, executor, rendezvous, resources, statistics."""
