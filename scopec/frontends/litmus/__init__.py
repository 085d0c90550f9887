"""The reader of .litmus files."""
