"""Crowds: many characters that one controller drives."""
