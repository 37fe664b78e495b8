"""Images: decoding, resizing, geometry, colours, boxes."""
