"""Hangs that only a weaker memory allows: executions in which nothing changes any more."""
