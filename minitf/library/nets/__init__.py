"""What networks are made of: convolution, pooling, normalization, embeddings, CTC."""
