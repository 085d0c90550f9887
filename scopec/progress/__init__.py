"""The progress question: labelled steps, what the implementation owes, schedules."""
