"""Engines wire the stages together: the same character, clip and time give the same pose in each."""
