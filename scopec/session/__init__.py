"""One call of scopec: the questions of files, the engines that answer them, and the meaning of the answers.

- ``check``: the call; ``asking``: its settings for engines
- ``plan``, ``reading``: a file to its runs; which reader takes it; ``program_text``: its text
- ``other_headers``: whether NVIDIA's headers have what scopec's own lack
- ``sought``: headers that no flag names, and files that are parts of others
- ``listed``: what could be asked
- ``guessing``, ``init``: launches for kernels that nothing launches; written down
- ``guess_search``, ``guess_text``: which launch is guessed for a kernel; its directives
- ``unguessed``: kernels for which none is guessed; ``every``: whether a file asks about all launches
- ``divergence``: what is said of barriers that some threads miss
- ``guess_quality``: what is wrong with a guess
- ``inquiry``: one run, asked and answered
- ``sizes``, ``kernel_sizes``: questions about all launches, of one kernel
- ``size_files``: these questions as files
- ``vacuous``: whether a proof of theirs is one of anything
- ``offers``: conditions on launches that get a proof
- ``witness``, ``witnessed``: the launch that a model names, as text, and what is said of it
- ``final_states``, ``others``: every final state; the executions beside that of a verdict
- ``confirm``: the jars beside the embedded engine
- ``forms``, ``reductions``: passes and reductions by name
- ``compile``, ``generated``: generated specifications, and where they are kept
- ``project``, ``configured``: settings
- ``changes``, ``revisions``, ``baseline``: programs that have changed, and known violations
- ``program_files``: the files that paths name
- ``pool``, ``cluster``: threads and machines that share the work
- ``texts``: programs that are no files
"""
