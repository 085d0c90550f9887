"""The memory question in Alloy.

- ``engine``: the engine
- ``emit``: the specification
- ``groups``, ``paths``, ``values``: its events, guards and values
- ``given``, ``relational``: given relations, and cat
- ``questions``: the execution that each question looks for, as a formula
- ``text``: lines that fit
- ``run``, ``in_jvm``: asks Alloy, and reads its answers
"""
