"""The README says what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skelter.rendering.adapter import adapter_info

ROOT = Path(__file__).parent.parent


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if adapter_info() is None:
        pytest.skip("no graphics adapter: the example draws")
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks()
    assert len(blocks) == 1
    exec(compile(blocks[0], "README.md", "exec"), {})
    assert (tmp_path / "crowd.png").read_bytes().startswith(b"\x89PNG")


def test_the_example_is_short() -> None:
    assert len([line for line in python_blocks()[0].splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target
