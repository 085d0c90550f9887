"""The memory question in Alloy: emit, run, read."""
