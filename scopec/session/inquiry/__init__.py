"""One run: what is asked of it, who is asked, and what the answers mean.

- ``variant``: a variant of a file under one model, as data
- ``graphs``, ``unfolded``: what its text becomes, and a variant with that
- ``run``: a variant with the memory question
- ``findings``: what engines have answered
- ``questions``: its questions, as values
- ``ask``: asks the engines, and compares
- ``verdicts``: what the answers mean for each check
- ``hangs``, ``stuck``: executions that get stuck, and what they mean beside the schedules
- ``sc_suffices``: where schedules are all there is
- ``vacuity``, ``assumptions``, ``volatile``, ``orders``, ``content``, ``readings``: what a verdict rests on
"""
