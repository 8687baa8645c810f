"""From expressions to machine code: decisions at a state ─► elimination ─► a `Program` ─► code for a `Target`."""

from zeromass.lazy import attach as _attach

_attach(__name__)
