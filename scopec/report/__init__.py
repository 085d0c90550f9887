"""Reports: a module a format.

- ``formats``, ``options``: the formats, and how they are asked for
- ``text``, ``brief``, ``terminal``: for people, of few programs and of many, on a terminal
- ``json``, ``junit``, ``sarif``, ``github``, ``gitlab``, ``gcc``, ``itf``: for programs
- ``markdown``: for GitHub's summary of a step
- ``html``, ``templates``, ``colours``: pages
- ``streams``: the streams of a trace as lanes
- ``picture``, ``lanes``, ``layout``, ``svg``, ``dot``: pictures of a trace
- ``traces``, ``why``, ``beside``: the output of ``trace``, of its ``--why-not``, of ``--next`` and ``--nearest``
- ``outcomes``, ``weaker``, ``asked``: the output of ``outcomes``, ``weaken``, ``check --list``
- ``stored``, ``stored_picture``, ``compared``: stored results, shown again, drawn and compared
- ``unasked``, ``rules``, ``paths``: questions not asked, kinds of violation, names of files
"""
