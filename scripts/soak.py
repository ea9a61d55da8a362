"""Let a crowd live for a long time: random inputs, births and deaths, and look for NaN and growing memory.

    python scripts/soak.py [--steps 100000] [--characters 500]

Prints the memory of the process now and then, and fails if a pose is not finite, or if the memory has grown by more
than 2 % since the warm-up, a tenth of all steps.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path

import numpy as np

import skelter as sk
from skelter.scene.locomotion import LOCOMOTION_CLIPS, locomotion

GROWTH_MAX = 1.02
"""How much the memory may grow."""
REPORT_COUNT = 10
TURNOVER = 0.1
"""Chance that some characters are born or die in a step."""


def main() -> int:
    """Run until the end, or until something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--characters", type=int, default=500)
    options = parser.parse_args()
    crowd = sk.Crowd(
        sk.compile(locomotion(), sk.bake(sk.mannequin()), LOCOMOTION_CLIPS), options.characters, record=False
    )
    random = np.random.default_rng(0)
    warm = 0.0
    for number in range(1, options.steps + 1):
        act(crowd, random, options.characters)
        if not np.isfinite(crowd.skinning_matrices).all():
            print(f"step {number}: a matrix is not finite")
            return 1
        if number % max(options.steps // REPORT_COUNT, 1) == 0:
            gc.collect()
            memory = resident_mb()
            warm = warm or memory
            print(f"step {number}: {len(crowd)} characters, {memory:.1f} MB", flush=True)
    if memory > GROWTH_MAX * warm:
        print(f"the memory grew from {warm:.1f} to {memory:.1f} MB")
        return 1
    return 0


def act(crowd: sk.Crowd, random: np.random.Generator, wanted: int) -> None:
    """Do something to a crowd, and step it."""
    count = len(crowd)
    crowd.set("speed", random.random(count) * 4.0 - 0.5)
    crowd.set("strafe", random.random(count) < 0.2)
    crowd.set("moveX", random.random(count) * 3.0 - 1.5)
    crowd.set("moveZ", random.random(count) * 3.0 - 1.5)
    for trigger in ("jump", "wave"):
        crowd.trigger(trigger, where=random.random(count) < 0.02)
    crowd.visible = random.random(count) < 0.9
    if random.random() < TURNOVER:
        crowd.despawn(random.permutation(count)[: random.integers(0, 40)])
        crowd.spawn(max(wanted - len(crowd), 0) + int(random.integers(0, 10)))
        crowd.set_interval(random.integers(1, 5, len(crowd)))
    if random.random() < TURNOVER:
        hits = ["hit_front", "hit_back", "hit_left", "hit_right"]
        crowd.play_directional(hits, random.normal(size=3), where=random.random(len(crowd)) < 0.05)
    crowd.step(float(random.random()) * 0.05)


def resident_mb() -> float:
    """Return the memory of the process that is in use [MB]; 0 where the system does not say."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if statm.exists() else 0.0


if __name__ == "__main__":
    sys.exit(main())
