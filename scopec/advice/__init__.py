"""What to change: the smallest edits of a program under which an expectation holds, found by asking again."""
