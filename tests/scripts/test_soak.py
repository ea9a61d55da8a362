from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent.parent.parent / "scripts" / "soak.py"


def test_a_short_life() -> None:
    command = [sys.executable, str(SCRIPT), "--steps", "300", "--characters", "40"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "step 300: " in done.stdout
