"""Images: decoding, resizing, colours, boxes, quality."""
