"""Entities in columns: a world of tables, handles, queries and systems that knows nothing of animation."""
