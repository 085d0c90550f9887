"""Programs on a real GPU: a harness that runs them many times, and what it showed beside what a model allows."""
