"""The bake cache: whatever happens to it, baking gives a good rig."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Additive, Character, ClipEvent
from skelter.baking.digest import character_digest
from skelter.rig.file import load_rig
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character


def small_character() -> Character:
    return random_character(5, 1, seed=3, vertex_count=30, target_count=1)


def assert_same_rig(left: Rig, right: Rig) -> None:
    assert left.content_hash == right.content_hash
    assert all(np.array_equal(a, b) for a, b in zip(left.arrays(), right.arrays(), strict=True))


@pytest.fixture(scope="module")
def character() -> Character:
    return small_character()


@pytest.fixture(scope="module")
def truth(character: Character) -> Rig:
    return sk.bake(character, cache=False)


class TestBrokenCache:
    @pytest.mark.parametrize("fraction", [0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 0.999])
    def test_a_file_cut_short_is_baked_again_and_repaired(
        self, character: Character, truth: Rig, tmp_path: Path, fraction: float
    ) -> None:
        path = cached_file(character, tmp_path)
        whole = path.read_bytes()
        path.write_bytes(whole[: int(len(whole) * fraction)])
        with pytest.warns(sk.SkelterWarning, match="it is baked again now") as caught:
            rig = sk.bake(character, cache_folder=tmp_path)
        assert caught[0].filename == __file__
        assert_same_rig(rig, truth)
        assert_same_rig(sk.bake(character, cache_folder=tmp_path), truth)
        assert_same_rig(load_rig(path), truth)

    @pytest.mark.parametrize("place", [0, 7, 9, 20, 40, 3000, -100])
    def test_a_flipped_bit_is_seen(self, character: Character, truth: Rig, tmp_path: Path, place: int) -> None:
        path = cached_file(character, tmp_path)
        data = bytearray(path.read_bytes())
        data[place] ^= 1
        path.write_bytes(data)
        with pytest.warns(sk.SkelterWarning, match="it is baked again now"):
            assert_same_rig(sk.bake(character, cache_folder=tmp_path), truth)
        assert_same_rig(load_rig(path), truth)

    def test_a_file_with_another_rig(self, character: Character, truth: Rig, tmp_path: Path) -> None:
        other = cached_file(random_character(4, 1), tmp_path)
        other.rename(tmp_path / f"{truth.content_hash}.rig")
        with pytest.warns(sk.SkelterWarning, match="it holds another rig"):
            assert_same_rig(sk.bake(character, cache_folder=tmp_path), truth)
        assert_same_rig(load_rig(tmp_path / f"{truth.content_hash}.rig"), truth)

    def test_a_folder_below_a_file(self, character: Character, truth: Rig, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        with pytest.warns(sk.SkelterWarning, match="costs only time") as caught:
            rig = sk.bake(character, cache_folder=tmp_path / "file" / "cache")
        assert caught[0].filename == __file__
        assert_same_rig(rig, truth)

    def test_a_folder_whose_name_is_too_long(self, character: Character, truth: Rig, tmp_path: Path) -> None:
        with pytest.warns(sk.SkelterWarning, match="costs only time"):
            assert_same_rig(sk.bake(character, cache_folder=tmp_path / ("x" * 300)), truth)

    def test_a_folder_in_place_of_the_file(self, character: Character, truth: Rig, tmp_path: Path) -> None:
        (tmp_path / f"{truth.content_hash}.rig").mkdir()
        with pytest.warns(sk.SkelterWarning, match="is a folder"):
            assert_same_rig(sk.bake(character, cache_folder=tmp_path), truth)

    def test_a_read_only_folder(self, character: Character, truth: Rig, tmp_path: Path) -> None:
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o500)
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write everywhere (root)")
        with pytest.warns(sk.SkelterWarning, match="read-only"):
            assert_same_rig(sk.bake(character, cache_folder=folder), truth)

    def test_no_disk_space(self, tmp_path: Path) -> None:
        """A real failure of write: a process whose files may not grow beyond 4 KB."""
        pytest.importorskip("resource", reason="no resource limits on this system")
        script = tmp_path / "bake.py"
        script.write_text(NO_SPACE)
        folder = tmp_path / "cache"
        done = subprocess.run(
            [sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=120, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "the bake cache cannot be written, which costs only time" in done.stdout
        assert list(folder.iterdir()) == []


NO_SPACE = """
import resource, signal, sys, warnings
import numpy as np
import skelter as sk
from skelter.testing.rigs import random_character

character = random_character(5, 1, seed=3, vertex_count=30, target_count=1)
truth = sk.bake(character, cache=False)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    rig = sk.bake(character, cache_folder=sys.argv[1])
assert [entry.category for entry in caught] == [sk.SkelterWarning], caught
assert all(np.array_equal(a, b) for a, b in zip(rig.arrays(), truth.arrays(), strict=True))
sys.stdout.write(str(caught[0].message))
"""


class TestUse:
    def test_second_time_it_is_mapped_from_disk(self, character: Character, truth: Rig, tmp_path: Path) -> None:
        first = sk.bake(character, cache_folder=tmp_path)
        seconds = first.report.seconds
        again = sk.bake(small_character(), cache_folder=tmp_path)
        assert again.report.seconds == seconds
        assert_same_rig(again, truth)
        assert all(is_mapped(array) for array in again.arrays() if array.size)
        with pytest.raises(ValueError, match="read-only"):
            again.rest[0] = 0.0

    def test_cache_false_leaves_no_file(self, character: Character, tmp_path: Path) -> None:
        sk.bake(character, cache=False, cache_folder=tmp_path / "none")
        assert not (tmp_path / "none").exists()

    def test_environment_names_the_folder(
        self, character: Character, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SKELTER_CACHE", str(tmp_path))
        rig = sk.bake(character)
        assert [path.name for path in (tmp_path / "rigs").iterdir()] == [f"{rig.content_hash}.rig"]

    def test_two_processes_at_once(self, truth: Rig, tmp_path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        barrier, results = context.Barrier(2), context.Queue()
        workers = [context.Process(target=bake_at_once, args=(tmp_path, barrier, results)) for _ in range(2)]
        for worker in workers:
            worker.start()
        answers = [results.get(timeout=120) for _ in workers]
        for worker in workers:
            worker.join()
        assert answers == [truth.content_hash] * 2
        assert [path.name for path in tmp_path.iterdir()] == [f"{truth.content_hash}.rig"]
        assert_same_rig(load_rig(next(tmp_path.iterdir())), truth)


def bake_at_once(folder: Path, barrier, results) -> None:  # type: ignore[no-untyped-def]
    """Bake as soon as the other process is ready too; answer the hash, or what went wrong."""
    import warnings

    try:
        warnings.simplefilter("error")
        character = small_character()
        barrier.wait(timeout=60)
        results.put(sk.bake(character, cache_folder=folder).content_hash)
    except BaseException as error:
        results.put(repr(error))


class TestDigest:
    def test_same_content_same_hash(self, character: Character) -> None:
        assert character_digest(character, {}) == character_digest(small_character(), {})

    def test_path_and_warnings_do_not_count(self, character: Character) -> None:
        other = small_character()
        other.source = "elsewhere"
        other.warnings = []
        assert character_digest(character, {}) == character_digest(other, {})

    @pytest.mark.parametrize(
        "change",
        [
            lambda c: setattr(c, "name", "other"),
            lambda c: c.nodes.names.__setitem__(0, "other"),
            lambda c: c.nodes.translation.__setitem__((0, 0), 1e-9),
            lambda c: c.nodes.parent.__setitem__(4, 0),
            lambda c: setattr(c.clips[0], "name", "other"),
            lambda c: setattr(c.clips[0], "duration", 0.5),
            lambda c: c.clips[0].tracks[0].values.__setitem__((0, 0), 0.5),
            lambda c: c.clips[0].tracks[0].times.__setitem__(1, 1e-3),
            lambda c: setattr(c.clips[0].tracks[0], "interpolation", "STEP"),
            lambda c: setattr(c.clips[0].tracks[0], "node", 1),
            lambda c: c.clips[0].tracks.pop(),
            lambda c: c.clips.pop(),
            lambda c: c.clips[0].events.append(ClipEvent(0.5, "step")),
            lambda c: setattr(c.clips[0], "additive", Additive()),
            lambda c: setattr(c.clips[0], "additive", Additive("first_frame")),
            lambda c: c.meshes[0].primitives[0].positions.__setitem__((0, 0), 9.0),
            lambda c: c.meshes[0].primitives[0].weights.__setitem__((0, 0), 0.5),
            lambda c: setattr(c.meshes[0].primitives[0], "normals", None),
            lambda c: c.meshes[0].target_names.__setitem__(0, "other"),
            lambda c: c.skins[0].joint_from_bind.__setitem__((0, 0, 3), 9.0),
            lambda c: setattr(c.instances[0], "visible", False),
            lambda c: c.instances[0].weights.__setitem__(0, 0.5),
        ],
    )
    def test_any_edit_gives_another_hash(self, character: Character, change) -> None:  # type: ignore[no-untyped-def]
        other = small_character()
        change(other)
        assert character_digest(character, {}) != character_digest(other, {})

    def test_every_part_of_events_and_references_counts(self) -> None:
        hashes = set()
        events = [ClipEvent(0.5, "a"), ClipEvent(0.25, "a"), ClipEvent(0.5, "b"), ClipEvent(0.5, "a", {"b": 1})]
        additives = [None, Additive(), Additive("clip", "clip_0"), Additive("clip", "clip_0", 0.5)]
        for event, additive in itertools.product(events, additives):
            character = small_character()
            character.clips[0].events, character.clips[0].additive = [event], additive
            hashes.add(character_digest(character, {}))
        assert len(hashes) == 16

    def test_options_count(self, character: Character) -> None:
        options = [{}, {"rate": 20.0}, {"rate": {"clip_0": 30.0}}, {"tolerance_mm": 0.2}]
        hashes = {sk.bake(character, cache=False, **option).content_hash for option in options}
        assert len(hashes) == len(options)


def cached_file(character: Character, folder: Path) -> Path:
    return folder / f"{sk.bake(character, cache_folder=folder).content_hash}.rig"


def is_mapped(array: np.ndarray) -> bool:
    base = array
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    return isinstance(base, np.memmap)
