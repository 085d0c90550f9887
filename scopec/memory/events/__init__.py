"""Event graphs: everything about a program's executions that the program alone fixes.

- ``events``: events, graphs, and what they have beside
- ``guards``, ``paths``: conditions on which an event is executed
- ``rewriting``: graphs with other guards and values, or fewer events
- ``base``: the machine and the version of the document
- ``scopes``, ``inclusion``, ``atomicity``: tables of the documents
"""
