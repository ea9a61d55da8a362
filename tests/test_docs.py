"""The pages of the documentation do what they say: the Python of a page runs as one program, which asserts it."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [*sorted(DOCS.glob("how-to/*.md")), DOCS / "explanation" / "state-graphs.md"]


def program(page: Path) -> str:
    """Return the Python blocks of a page, with all other lines empty: line numbers in messages are the page's."""
    lines, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    return "\n".join(lines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_runs_and_asserts_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = program(page)
    assert "assert" in code
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(page), "exec"), {"__name__": page.stem})
