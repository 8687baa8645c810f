"""Radau's methods of order 5, 9 and 13 for stiff systems, with step and order control [HW1996, §IV.8; HW1999].

Implicit, and stable however stiff: the step follows the motion and not the fastest decay or vibration in the system.
The error of the whole polynomial of a step is kept within the tolerance, so the dense output is as good as the steps.

    coefficients  the numbers of each order
    plain         one step in NumPy, to read and to compare with
    loops         what the machine code below is written with: loops, masks, sums of rows
    lu            linear systems, real and complex
    memory        what the machine code keeps, by name
    linear        Jacobians, and the linear systems of one shift and of all stages
    simplified    the linear systems of iterations with one Jacobian
    newton        the stages of a step
    control       error, length and order
    kernel        the loop over steps
    stepper       memory and calls from Python
"""

from zeromass.integrate.methods.method import Method

METHOD = Method(
    "radau",
    "implicit, orders 5, 9 and 13, for stiff systems",
    order=13,
    stepper="zeromass.integrate.methods.radau.stepper:Radau",
    fixed=True,
    stiff=True,
)
