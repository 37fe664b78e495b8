"""Tools around models: arrays, batches made ahead, progress on the screen."""
