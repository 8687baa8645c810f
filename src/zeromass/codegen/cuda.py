"""Graphics cards as a target: PTX, the text that the driver of every NVIDIA card assembles for itself."""

from __future__ import annotations

from zeromass.codegen.target import Target, host

TRIPLE = "nvptx64-nvidia-cuda"

GENERIC, GLOBAL, SHARED, CONSTANT = 0, 1, 3, 4
"""Address spaces: anywhere, the card's memory, the memory that the threads of a block share, and that of constants."""


def cuda() -> Target:
    """Cards since Turing: one value a thread, and a·b + c one instruction exactly where it is one on this machine.

    So a thread goes through the operations that a lane of this machine goes through, and ends with the same bits.
    """
    return Target(TRIPLE, "sm_75", "+ptx70", width=1, fused=host().fused, convention="")


def is_cuda(target: Target) -> bool:
    return target.triple == TRIPLE
