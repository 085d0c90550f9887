"""The memory question: event graphs, memory models, executions.

- ``graph``: a Program to its event graph, by passes
- ``unfold``: threads to events
- ``events``: the form of an event graph
- ``given``: sets and relations that every execution gives to a model
- ``cat``: memory models
- ``domains``: values that reads may return
- ``reduce``: shrinks large graphs
- ``reductions``: switches and arguments of all reductions
- ``questions``, ``answers``: questions to engines, and a check of their answers
- ``choice``, ``execution``: an engine's choices, and the counterexample that they make
- ``show``: an event graph in print
"""
