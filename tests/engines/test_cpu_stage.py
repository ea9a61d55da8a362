"""The pose stage: the same bits for any threads and chunks, and only what is asked for."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.arrays import AFFINE
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.core.workers import Workers, default_workers, set_threads
from skelter.engines.cpu.pipeline import animate, blend_layers
from skelter.engines.cpu.stage import PoseStage
from skelter.pose.layers import BoundPlayback, bind_playback
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character

COUNT = 1100
OUTPUTS = ("local", "model", "skinning", "sockets")
SOCKETS = np.array([20, 0, 7], np.int32)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return sk.bake(random_character(21, clip_count=4, seed=2, keyed_fraction=0.7), cache=False)


def random_list(rig: Rig, seed: int = 0, count: int = COUNT) -> PlaybackList:
    """Return three layers of two entries each."""
    random = np.random.default_rng(seed)
    clip = random.integers(-1, len(rig.clip_names), (count, 6)).astype(np.int32)
    weight = random.random((count, 6)) + 0.1
    weight /= weight.reshape(count, 3, 2).sum(axis=2).repeat(2, axis=1)
    layer_start = np.tile(np.array([0, 2, 4, 6], np.int32), (count, 1))
    return PlaybackList(layer_start, clip, random.random((count, 6)), weight, random.random((count, 3)))


@pytest.fixture(scope="module")
def bound(rig: Rig) -> BoundPlayback:
    mask = np.random.default_rng(1).random((3, len(rig.rest), 16)).astype(np.float32)
    return bind_playback(rig, random_list(rig), np.array([0, 1, 0], np.uint8), mask)


@pytest.fixture(scope="module")
def stage(rig: Rig, bound: BoundPlayback) -> PoseStage:
    return PoseStage(rig, bound.layers, 6, SOCKETS)


def buffers(rig: Rig, count: int = COUNT, names: tuple[str, ...] = OUTPUTS) -> dict[str, np.ndarray]:
    widths = (rig.rest.size, rig.joint_count * AFFINE, len(rig.palette.joint) * AFFINE, len(SOCKETS) * AFFINE)
    every = dict(zip(OUTPUTS, widths, strict=True))
    return {name: np.full((count, every[name]), np.nan, np.float32) for name in names}


@pytest.fixture(scope="module")
def want(rig: Rig, bound: BoundPlayback, stage: PoseStage) -> dict[str, np.ndarray]:
    out = buffers(rig)
    stage.run(bound.playback, workers=Workers(1), **out)
    return out


def same(out: dict[str, np.ndarray], want: dict[str, np.ndarray], rows: Any = slice(None)) -> bool:
    return all(np.array_equal(values, want[name][rows]) for name, values in out.items())


def test_it_is_the_stages_one_after_the_other(rig: Rig, bound: BoundPlayback, want: dict[str, np.ndarray]) -> None:
    mask = bound.layers.mask.reshape(3, len(rig.rest), 16)
    local = blend_layers(rig, random_list(rig), additive=[0, 1, 0], mask=mask)
    model = sk.to_model(rig, local)
    assert np.array_equal(local.reshape(COUNT, -1), want["local"])
    assert np.array_equal(model.reshape(COUNT, -1), want["model"])
    assert np.array_equal(sk.skinning_matrices(rig, local).reshape(COUNT, -1), want["skinning"])
    assert np.array_equal(model[:, SOCKETS].reshape(COUNT, -1), want["sockets"])
    assert np.array_equal(
        animate(rig, random_list(rig), additive=[0, 1, 0], mask=mask).reshape(COUNT, -1), want["skinning"]
    )


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("chunk", [1, 16, 64, 1000])
def test_threads_and_chunks_do_not_matter(
    rig: Rig, bound: BoundPlayback, stage: PoseStage, want: dict[str, np.ndarray], threads: int, chunk: int
) -> None:
    out = buffers(rig)
    stage.run(bound.playback, workers=Workers(threads), chunk=chunk, **out)
    assert same(out, want)


@pytest.mark.parametrize("name", OUTPUTS)
def test_only_what_is_asked_for_is_written(
    rig: Rig, bound: BoundPlayback, stage: PoseStage, want: dict[str, np.ndarray], name: str
) -> None:
    out = buffers(rig, names=(name,))
    stage.run(bound.playback, **out)
    assert same(out, want)


def test_a_range_of_rows(rig: Rig, bound: BoundPlayback, stage: PoseStage, want: dict[str, np.ndarray]) -> None:
    out = buffers(rig, 400)
    stage.run(bound.playback, start=300, stop=700, **out)
    assert same(out, want, slice(300, 700))


def test_what_is_not_due_stays(rig: Rig, bound: BoundPlayback, stage: PoseStage, want: dict[str, np.ndarray]) -> None:
    due = (np.random.default_rng(3).random(COUNT) < 0.5).astype(np.uint8)
    out = buffers(rig)
    stage.run(bound.playback, due=due, **out)
    for name, values in out.items():
        assert np.array_equal(values[due == 1], want[name][due == 1])
        assert np.isnan(values[due == 0]).all()


def test_absurd_chunks(rig: Rig, bound: BoundPlayback, stage: PoseStage, want: dict[str, np.ndarray]) -> None:
    out = buffers(rig, 800)
    stage.run(bound.playback, start=300, chunk=2**63 - 1, workers=Workers(4), **out)
    assert same(out, want, slice(300, None))


def test_several_threads_of_a_program_at_once(
    rig: Rig, bound: BoundPlayback, stage: PoseStage, want: dict[str, np.ndarray]
) -> None:
    outs = [buffers(rig) for _ in range(4)]

    def work(out: dict[str, np.ndarray]) -> None:
        for _ in range(5):
            stage.run(bound.playback, chunk=16, **out)

    threads = [threading.Thread(target=work, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(out, want) for out in outs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_computes_too(
    rig: Rig, bound: BoundPlayback, stage: PoseStage, want: dict[str, np.ndarray]
) -> None:
    workers = Workers(3)
    stage.run(bound.playback, workers=workers, **buffers(rig))
    child = os.fork()
    if child == 0:
        out = buffers(rig)
        stage.run(bound.playback, workers=workers, **out)
        os._exit(0 if same(out, want) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": 5, "stop": 3}, "within 1100 characters, got 5:3"),
        ({"stop": 2000}, "within 1100 characters"),
        ({"chunk": 0}, "chunk: expected at least 1"),
        ({"local": np.zeros((3, 320), np.float32)}, "local: expected shape \\[1100, 320\\], got \\[3, 320\\]"),
        ({"model": np.zeros((1100, 2), np.float32)}, "model: expected shape"),
        ({"local": np.zeros((1100, 320))}, "local: expected a writable C-contiguous array of float32, got float64"),
        ({"local": np.zeros((1100, 320), np.float32, order="F")}, "local: expected a writable C-contiguous"),
        ({"local": np.broadcast_to(np.float32(0), (1100, 320))}, "local: expected a writable"),
        ({"due": np.ones(3, np.uint8)}, r"due: expected uint8 \[1100\], got uint8 \[3\]"),
        ({"due": np.ones(1100)}, "due: expected uint8"),
    ],
)
def test_what_does_not_fit(bound: BoundPlayback, stage: PoseStage, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        stage.run(bound.playback, **options)


def test_other_layers_do_not_fit(rig: Rig, bound: BoundPlayback) -> None:
    two = bind_playback(rig, random_list(rig), np.array([0, 1, 0], np.uint8), None)
    stage = PoseStage(rig, two.layers._replace(additive=two.layers.additive[:2]), 6)
    with pytest.raises(ArgumentError, match="expected 2 layers and at most 6 entries, got 3 and 6"):
        stage.run(bound.playback, **buffers(rig, names=("local",)))


class TestWorkers:
    def test_every_thread_makes_a_call(self) -> None:
        workers, barrier, seen = Workers(3), threading.Barrier(3, timeout=30), []

        def call(index: int) -> None:
            barrier.wait()
            seen.append((index, threading.get_ident()))

        for _ in range(3):
            workers.run(call)
        assert sorted(index for index, _ in seen) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
        assert len({name for _, name in seen}) == 3
        assert (0, threading.get_ident()) in seen

    @pytest.mark.parametrize("failing", [0, 1])
    def test_what_a_call_raises_is_raised(self, failing: int) -> None:
        workers, seen = Workers(2), []

        def call(index: int) -> None:
            seen.append(index)
            if index == failing:
                raise KeyError(index)

        for _ in range(2):
            with pytest.raises(KeyError):
                workers.run(call)
        assert sorted(seen) == [0, 0, 1, 1]

    @pytest.mark.parametrize("count", [0, -1, 1.5, True, 5000, "2"])
    def test_bad_counts(self, count: Any) -> None:
        with pytest.raises(ArgumentError, match="threads: expected a whole number from 1 to 1024"):
            set_threads(count)

    def test_the_number_of_threads_can_be_set(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("skelter.core.workers._default", None)
        monkeypatch.setenv("SKELTER_THREADS", "5")
        assert default_workers().threads == 5
        sk.set_threads(2)
        assert default_workers().threads == 2
        monkeypatch.setattr("skelter.core.workers._default", None)
        monkeypatch.setenv("SKELTER_THREADS", "many")
        with pytest.raises(ArgumentError, match="SKELTER_THREADS: expected a whole number from 1 to 1024, got 'many'"):
            default_workers()
