"""Steps in time, whatever the method: the memory they work in, projection, events, dense output, and the loop."""
