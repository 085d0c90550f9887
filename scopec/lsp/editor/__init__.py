"""The server that speaks with the editor, by pygls; nothing else imports it.

- ``language_server``: what the editor asks, and who answers
- ``documents``: the open texts: when each is asked about, and what is known of it
- ``shown``: places, diagnostics and changes in the words of the protocol
- ``answers``: what is answered at once, from what is known
- ``commands``: what the lenses do
"""
