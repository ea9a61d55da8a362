"""Draw docs/images/performance.svg from the results: python benchmarks/chart.py [RESULTS.csv]

Bars are on a logarithmic scale: microseconds a character, the latest rows of the file.
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "amd-epyc-2-cores.csv"
ENGINES = HERE / "results" / "engines.csv"
TARGET = HERE.parent / "docs" / "images" / "performance.svg"
WIDTH, LABEL, ROW, BAR, TOP = 860, 360, 26, 16, 64
LOW, HIGH = 0.05, 1000.0
"""Ends of the scale [us]."""
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 } .note { fill: #57606a } .ours { fill: #1f6feb } .other { fill: #8c959f }
  .line { stroke: #d0d7de }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .note { fill: #9198a1 } .ours { fill: #58a6ff } .other { fill: #6e7681 }
    .line { stroke: #3d444d }
  }
"""

# What a case is, and what ozz-animation 0.16 takes for the same on a machine of the same kind (median) [us].
CASES = {
    ("pose3", 1000, 67): ("3 clips blended, hierarchy, matrices", 7.9),
    ("pose1", 1000, 67): ("1 clip, hierarchy", 2.7),
    ("pose1_random", 1000, 67): ("1 clip, hierarchy, random times", None),
    ("pose2_additive", 1000, 67): ("2 clips, masked additive, hierarchy", 5.8),
    ("skin5k", 1, 67): ("5,000 vertices skinned, a mesh", 35.8),
    ("graph", 10_000, None): ("10 states, 2 layers", None),
    ("frame10k", 10_000, None): ("whole frame, 10,000 mannequins", None),
}


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    bars: list[tuple[str, float, str]] = []
    for (name, characters, joints), (text, ozz) in CASES.items():
        for threads in ("1", "2"):
            found = [
                row
                for row in rows
                if (row["name"], int(row["characters"]), row["threads"]) == (name, characters, threads)
                and joints in (None, int(row["joints"]))
            ]
            if found:
                label = f"{name}: {text}" if threads == "1" else f"{name}, 2 threads"
                bars.append((label, float(found[-1]["us_per_character"]), "ours"))
        if ozz is not None:
            bars.append(("ozz-animation, the same", ozz, "other"))
    with ENGINES.open(newline="", encoding="utf-8") as file:
        engines = {row["engine"]: float(row["us_per_character"]) for row in csv.DictReader(file)}
    for name, value in engines.items():
        bars.append((f"beside others: {name}", value, "ours" if name.startswith("skelter") else "other"))
    TARGET.write_text(draw(bars), encoding="utf-8")
    print(f"{TARGET}: {len(bars)} bars")


def draw(bars: list[tuple[str, float, str]]) -> str:
    """Return the picture."""
    height = TOP + ROW * len(bars) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<style>{STYLE}</style>",
        '<text class="title" x="12" y="22">Microseconds a character, one core unless said (logarithmic)</text>',
    ]
    for value in (0.1, 1.0, 10.0, 100.0):
        parts.append(f'<line class="line" x1="{x(value):.1f}" y1="{TOP - 12}" x2="{x(value):.1f}" y2="{height - 12}"/>')
        parts.append(f'<text class="note" x="{x(value):.1f}" y="{TOP - 18}" text-anchor="middle">{value:g}</text>')
    for number, (label, micros, kind) in enumerate(bars):
        y = TOP + ROW * number
        parts.append(f'<text x="{LABEL - 8}" y="{y + 13}" text-anchor="end">{label}</text>')
        parts.append(
            f'<rect class="{kind}" x="{LABEL}" y="{y}" width="{x(micros) - LABEL:.1f}" height="{BAR}" rx="2"/>'
        )
        parts.append(f'<text class="note" x="{x(micros) + 6:.1f}" y="{y + 13}">{micros:.3g}</text>')
    return "\n".join([*parts, "</svg>", ""])


def x(micros: float) -> float:
    """Return where a time is on the scale."""
    return LABEL + (WIDTH - LABEL - 60) * math.log(max(micros, LOW) / LOW) / math.log(HIGH / LOW)


if __name__ == "__main__":
    main()
