"""A motion that needs no Python: start, steps, events and samples as one piece of code with its own memory."""
