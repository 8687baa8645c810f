"""Code that grows with the kinds of things and not with their number, for large systems.

    parts, constraints, forces ─► elements ─► kinds ─► kernels ┐
                                      └─► order ─► fronts ─► tables ┴─► a program

A part, a constraint or a force is an element; those of one kind are derived once and evaluated by one kernel in a loop.
Elements of equal structure are of one kind; where there are many structures, so are joints with any axes and points, and
what differs is data of each. The equations are eliminated block by block: the coordinates of a part, the multipliers of
constraints between the same parts. Elimination itself is a few loops that are the same for all systems; tables tell them
what to add where. States stand in lanes.

The tangent of a motion, and how constraints that repeat others share a force, are further tasks of the same kinds; implicit
methods solve sparse systems of their derivatives.
"""
