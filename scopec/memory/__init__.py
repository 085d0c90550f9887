"""The memory question: event graphs, memory models, executions.

- ``graph``: a Program to its event graph, by passes
- ``unfold``: threads to events
- ``events``: what an event graph is
- ``given``: what every execution gives to a model
- ``cat``: memory models
- ``domains``: which values reads may return
- ``reduce``: shrinks large graphs
- ``reductions``: what is left out, and why
- ``questions``, ``answers``: what is asked, and whether an execution answers it
- ``choice``, ``execution``: what an engine chose, and the counterexample that it makes
- ``show``: an event graph in print
"""
