"""Measurements of the engines on fixed scenes: the same random characters, clips and times in every run."""
