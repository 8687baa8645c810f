"""Contacts among many bodies: collision shapes, a broad phase and a narrow phase, and their dynamics, in kernels."""
