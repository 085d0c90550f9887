"""The progress question: labelled steps, what the implementation owes, schedules.

- ``questions``: what an engine is asked
- ``build``, ``passes``, ``stepper``, ``mbarriers``, ``interleaving``: a program to its system
- ``system``, ``steps``: the system, and its steps
- ``rules``: what each step does, as data
- ``terms``, ``transition``: the form of rules
- ``models``, ``promises``, ``counting``: what is owed to whom, and what counts
- ``reductions``, ``slicing``: what is left out, and why
- ``schedule``, ``replay``, ``describe``: a counterexample, in words
- ``stuck``, ``divergence``, ``passages``, ``again``: who stays behind, and who misses a barrier
- ``show``: steps in print
"""
