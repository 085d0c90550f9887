"""The Program form: what a file means, before either question is asked of it."""
