"""Names that tell things apart."""

from __future__ import annotations


def unique_names(names: list[str], kind: str) -> list[str]:
    """Return names that are all different: ``<kind>_<index>`` for empty ones, ``name_2``, ``name_3`` for repeats."""
    taken = set(names)
    seen: set[str] = set()
    counts: dict[str, int] = {}
    unique = []
    for index, name in enumerate(names):
        candidate = name or f"{kind}_{index}"
        if candidate in seen or (not name and candidate in taken):
            count = counts.get(candidate, 1)
            base = candidate
            while candidate in seen or candidate in taken:
                count += 1
                candidate = f"{base}_{count}"
            counts[base] = count
        seen.add(candidate)
        unique.append(candidate)
    return unique
