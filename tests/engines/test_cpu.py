"""The cpu engine is held to what every engine must do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Character
from skelter.core.playback import PlaybackList
from skelter.engines import reference
from skelter.engines.cpu.pipeline import blend_layers
from skelter.rig.mask import pack_mask
from skelter.rig.rig import Rig
from skelter.testing.engines import EngineTests

ROUNDING_MM = 2e-3
CORPUS_FILES = (
    "characters/Bunny.gltf",
    "characters/boxman.glb",
    "crafted/animated_scale_to_zero.gltf",
    "crafted/cubic_start_at_1_5s.gltf",
    "crafted/deep_chain_600.glb",
    "crafted/joints_listed_child_first.gltf",
    "crafted/quat_antipodal_and_180.gltf",
    "crafted/root_motion_turn_zup_cm.glb",
    "crafted/step_and_single_keys.gltf",
    "khronos/interpolation_test/interpolation_test.gltf",
)


class CpuEngine:
    def pose(self, character: Character, rig: Rig, clip: str | int, times: np.ndarray, *, loop: bool) -> np.ndarray:
        return sk.to_model(rig, sk.sample(rig, clip, times, loop=loop))

    def blend(
        self, character: Character, rig: Rig, playback: PlaybackList, *, additive: np.ndarray, mask: np.ndarray
    ) -> np.ndarray:
        packed = np.array([pack_mask(weights) for weights in mask])
        return sk.to_model(rig, blend_layers(rig, playback, additive=additive, mask=packed))


class TestCpuEngine(EngineTests):
    engine = CpuEngine()

    @pytest.mark.parametrize("file", CORPUS_FILES)
    def test_real_files_within_the_report(self, corpus: Path, file: str) -> None:
        if not (corpus / file).is_file():
            pytest.skip(f"the corpus has no {file}")
        character = sk.load(corpus / file)
        rig = sk.bake(character, cache=False)
        for clip, report in enumerate(rig.report.clips):
            times = np.random.default_rng(clip).uniform(0.0, report.duration, 4)
            have = self.engine.pose(character, rig, clip, times, loop=False)
            want = np.array(
                [reference.pose(character, clip, time).model_from_node[rig.node, :3] for time in times.tolist()]
            )
            error_mm = np.linalg.norm(have - want, axis=-2)[..., 3].max() * 2000.0 / rig.report.size
            assert error_mm <= report.max_mm + ROUNDING_MM
