"""The language server (docs/editing.md): one process speaks with the editor, and each question is a call of its own.

The server reads no program.  It hands each text to a call of ``scopec lsp --answer``, which a running ``scopec serve``
carries out as any other call, so that one process is warm for editors and for command lines; a change ends the call,
and with it its engines and clang.

- ``wire``: a question and the messages that answer it, as lines of JSON
- ``answer``: answers one, in a call of its own
- ``findings``: verdicts and diagnostics as an editor shows them
- ``scopes``: atomics and fences in words: their orders, and whom their scopes include
- ``directives``: the text of ``//@``: what can stand there, and what it means
- ``shifted``: places of a text in the text that it has become
- ``kernels``: the places of kernels in a text
- ``ask``: the calls that answer, and their ends
- ``editor``: the server itself; it alone needs pygls
"""
