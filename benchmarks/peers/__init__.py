"""Engines that run the rolling shell, one a file, each measured in a process of its own (`worker`).

shape     the shell, the bowl, the start and the reference, in plain numbers
tape      explicit accelerations as a list of operations, for engines that bring their own compiler
engine    what every engine offers
dop853.c  the stepping method for engines that bring a right-hand side only
"""
