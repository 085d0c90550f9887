"""The memory question in Alloy.

- ``engine``: the engine
- ``emit``: the specification
- ``groups``, ``paths``, ``values``: its events, guards and values
- ``given``, ``relational``: what is given to a model, and cat
- ``questions``: what each question looks for, as a formula
- ``text``: lines that fit
- ``run``, ``in_jvm``: asks Alloy, and reads its answers
"""
