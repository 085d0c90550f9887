"""The engine in this process: the same models and event graphs, translated to SAT."""
