"""Singular positions: what is left of constraints there, leaps across them, and the way out of them."""
