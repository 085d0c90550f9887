"""A suite of small programs for GPUs: what one shows of what the memory models allow."""
