"""Motion that changes its mode, in kernels: selection of modes, and the driver that goes from one piece to the next."""
