"""The stepping methods, each in a folder of its own."""
