"""The README says what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skelter.rendering.adapter import adapter_info

ROOT = Path(__file__).parent.parent


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if adapter_info() is None:
        pytest.skip("no graphics adapter: the example draws")
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(python_blocks()), "README.md", "exec"), {})
    assert (tmp_path / "crowd.png").read_bytes().startswith(b"\x89PNG")


def test_the_examples_are_short() -> None:
    assert len(python_blocks()) == 2
    for block in python_blocks():
        assert len([line for line in block.splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target
