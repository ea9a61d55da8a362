"""Rig: the packed, immutable form of a character. It knows nothing of files or bakers."""
