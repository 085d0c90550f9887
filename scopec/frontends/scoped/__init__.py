"""The reader of .cu files."""
