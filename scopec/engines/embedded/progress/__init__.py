"""The progress question, by states.

- ``fair_cycles``: a fair behaviour in which the property fails
- ``exploring``: the states, and which promise each step keeps
- ``far_states``: a violation far from the first state, before all states are found
- ``states``, ``terms``, ``stepping``: expressions, rules and steps as functions of a state
- ``persistent_steps``: what need not be interleaved; ``places``: where a thread may be
- ``alike_units``: which of the blocks that end by themselves starts first
- ``settled_waits``: threads whose operations on mbarriers find the same phases in every schedule
"""
