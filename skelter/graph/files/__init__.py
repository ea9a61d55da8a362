"""Graph files: read, written, described; both of PlayCanvas's JSON forms."""
