"""Stage 1, READ: bytes on disk -> sessions -> exchanges. One module per on-disk shape."""
