"""The stepping methods, one folder each, and what each of them can do.

A new method is a folder with a `METHOD`, and its line in `METHODS`; docs/guide/add-a-method.md shows how.
"""

from zeromass.integrate.methods import collocation, dop853, radau
from zeromass.integrate.methods.method import Method, MethodName

METHODS: dict[str, Method] = {
    method.name: method for method in (collocation.METHOD, dop853.METHOD, radau.METHOD, dop853.FIXED)
}
"""The stepping methods by name; the first is the usual one."""

__all__ = ["METHODS", "Method", "MethodName"]
