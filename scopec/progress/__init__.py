"""The progress question: labelled steps, what the implementation owes, schedules.

- ``questions``: questions to engines
- ``build``, ``passes``, ``stepper``, ``mbarriers``, ``interleaving``: a program to its system
- ``system``, ``steps``: the system, and its steps
- ``rules``: the effect of each step, as data
- ``terms``, ``transition``: the form of rules
- ``models``, ``promises``, ``counting``: promises to threads, and steps that count
- ``reductions``, ``slicing``, ``idle_branches``: reductions of the state space
- ``schedule``, ``replay``, ``describe``: a counterexample, in words
- ``found``, ``givers``: what a step finds in a state; who wrote a value that never changes, and who could
- ``stuck``, ``launch_events``, ``divergence``, ``passages``, ``again``: threads that stay behind, or miss a barrier
- ``show``: steps in print
"""
