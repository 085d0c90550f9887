"""Programs on a real GPU: a harness that runs them many times, and what it showed beside what a model allows.

- ``run``: files to tests, and what was seen to outcomes
- ``harness``: a program as a test
- ``layout``: where a test's locations are
- ``code``, ``printer``, ``host_printer``: a thread as a function, its operations on the device and on the host
- ``asynchronous``: mbarriers, copies and fences of proxies on the device
- ``whole``, ``whole_text``: a program whose host does more, run as it is written
- ``cxx``: values in C++
- ``emit``, ``build``: the files of a harness, and compiling them
- ``results``, ``observed``: results, and results as reports take them
- ``compare``: it beside the model's final states
"""
