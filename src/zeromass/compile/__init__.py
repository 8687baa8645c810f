"""From expressions to machine code: decisions at a state ─► elimination ─► a `Program` ─► code for a `Target`."""
