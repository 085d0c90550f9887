"""Java.

- ``jars``: where Java and the engines' jars are, and how they are fetched and verified
- ``processes``: one process for one question
- ``workers``, ``jvm``: virtual machines that live on
"""
