"""Pictures and videos on disk."""

from __future__ import annotations

import errno
import os
import sys

import numpy as np
import pytest

from skelter.core.errors import ArgumentError, MissingExtraError, OutputError
from skelter.rendering.files import save_png, save_video

PICTURE = np.zeros((6, 8, 4), np.uint8)
PICTURE[..., 0] = np.arange(8) * 30
PICTURE[..., 3] = 255


@pytest.mark.parametrize("picture", [None, PICTURE[..., :3], PICTURE.astype(np.float32), PICTURE[0]])
def test_what_is_no_picture_is_refused(tmp_path, picture):
    with pytest.raises(ArgumentError, match=r"uint8 \[row, col, 4\]"):
        save_png(picture, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(OutputError, match="nowhere does not exist"):
        save_png(PICTURE, tmp_path / "nowhere" / "a.png")


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(OutputError, match="is a folder"):
        save_png(PICTURE, tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_named(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="read-only"):
            save_png(PICTURE, tmp_path / "a.png")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("code", "text"), [(errno.EACCES, "read-only"), (errno.ENOSPC, "no space is left"), (errno.EIO, "error")]
)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, code, text):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(self, file, **options):
        file.write_bytes(b"half")
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("PIL.Image.Image.save", fail)
    with pytest.raises(OutputError, match=text):
        save_png(PICTURE, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_packages_are_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtraError, match=r"pip install skelter\[gpu\]"):
        save_png(PICTURE, tmp_path / "a.png")
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtraError, match=r"pip install skelter\[video\]"):
        save_video([PICTURE], tmp_path / "a.mp4", 30.0)


@pytest.mark.parametrize("rate", [0.0, -1.0, 1e6, float("nan")])
def test_an_impossible_rate_is_refused(tmp_path, rate):
    pytest.importorskip("av")
    with pytest.raises(ArgumentError, match="rate"):
        save_video([PICTURE], tmp_path / "a.mp4", rate)


def test_a_video_needs_pictures_of_one_size(tmp_path):
    pytest.importorskip("av")
    with pytest.raises(ArgumentError, match="at least one"):
        save_video([], tmp_path / "a.mp4", 30.0)
    with pytest.raises(ArgumentError, match="expected 8x6, got 8x4"):
        save_video([PICTURE, PICTURE[:4]], tmp_path / "a.mp4", 30.0)
    assert not list(tmp_path.iterdir())


def test_a_png_is_read_back_equal(tmp_path):
    from PIL import Image

    path = save_png(PICTURE, tmp_path / "a.png")
    assert np.array_equal(np.asarray(Image.open(path)), PICTURE)
    assert list(tmp_path.iterdir()) == [path]


def test_a_video_has_its_frames_rate_and_even_size(tmp_path):
    av = pytest.importorskip("av")
    frames = (np.full((49, 65, 4), level, np.uint8) for level in (10, 120, 240))
    path = save_video(frames, tmp_path / "a.mp4", 12.5)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height) == (64, 48)
        assert stream.average_rate == 12.5
        levels = [frame.to_ndarray(format="rgb24").mean() for frame in container.decode(stream)]
    assert levels == pytest.approx([10, 120, 240], abs=6)
    assert list(tmp_path.iterdir()) == [path]
