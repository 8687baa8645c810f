"""What the page says where a system has nothing in space: why, and what to write, with the system's own names."""

from __future__ import annotations

from zeromass.model import System


def hint(system: System) -> dict[str, str]:
    """Words and lines of a program."""
    names = list(system.names)
    listed = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    words = (
        f"This system is written in coordinates of its own ({listed}), and no part, constraint or energy tells of points "
        "in space. Say where they are:"
    )
    first, second = names[0], names[1] if len(names) > 1 else names[0]
    found = ", ".join(dict.fromkeys((first, second)))
    point = f"({first}, 0, {second})" if first != second else f"(np.sin({first}), 0, -np.cos({first}))"
    code = (
        f"{found} = system.coordinates[:{2 if first != second else 1}]\n"
        f"bob = {point}  # three expressions, m\n"
        f'run.view("motion.html", lines=[((0, 0, 0), bob)], shapes={{bob: zm.shapes.sphere(0.05)}})'
    )
    if first == second:
        code = code.replace(f"{first} = system.coordinates[:1]", f"[{first}] = system.coordinates")
    return {"words": words, "code": code}
