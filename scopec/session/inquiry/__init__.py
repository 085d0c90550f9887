"""One run: its questions, the engines that answer them, and the meaning of the answers.

- ``variant``: a variant of a file under one model, as data
- ``graphs``, ``unfolded``: its event graph and steps, and a variant with them
- ``run``: a variant with the memory question
- ``findings``: the answers of engines
- ``questions``: its questions, as values
- ``ask``: asks the engines, and compares
- ``verdicts``: the meaning of the answers for each check
- ``hangs``, ``stuck``: executions that get stuck, and what they mean beside the schedules
- ``sc_suffices``: executions that are all schedules
- ``partners``: violations that a guessed launch may have alone
- ``any_index``: answers that rest on an index which is not modelled; ``runs_of_bytes``: on one that leads elsewhere
- ``unmodelled``: endless behaviours of which it is not known whether they exist
- ``vacuity``, ``assumptions``, ``volatile``, ``orders``, ``content``, ``readings``: conditions on which a verdict rests
"""
