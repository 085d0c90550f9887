"""Memory models as data: the cat language, its meaning on one execution, its models."""
