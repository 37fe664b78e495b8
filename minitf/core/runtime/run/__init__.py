"""The parts of a running step: devices, executor, rendezvous, resources, statistics."""
