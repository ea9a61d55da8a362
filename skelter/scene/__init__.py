"""Scenes: crowds and what happens to them over time, read from TOML, played, and traced."""
