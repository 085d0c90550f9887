"""The memory question: event graphs, memory models, executions."""
