"""Code that grows with the kinds of things and not with their number, for large systems.

    parts, constraints, forces ─► elements ─► kinds ─► kernels ┐
                                      └─► order ─► fronts ─► tables ┴─► a program

A part, a constraint or a force is an element. The equations of a kind of elements are derived once, and one kernel evaluates
them in a loop. Elements of equal structure are one kind. Where structures are many, joints of any axes and points are one
kind as well: their axes and points are data. The equations are eliminated block by block: the coordinates of a part, the
multipliers of constraints between the same parts. Elimination itself is a few loops that are the same for all systems;
tables tell them what to add where. States stand in lanes.

The tangent of a motion, and how constraints that repeat others share a force, are further tasks of the same kinds; implicit
methods solve sparse systems of their derivatives.
"""
