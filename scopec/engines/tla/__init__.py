"""The progress question in TLA+: emit, run, read."""
