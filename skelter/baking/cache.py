"""The bake cache: one rig file per content hash. A cache that fails costs time, never a result."""

from __future__ import annotations

import contextlib
import os
import warnings
from pathlib import Path

import platformdirs

from skelter.core.errors import AssetError, OutputError, SkelterWarning
from skelter.rig.file import load_rig, save_rig
from skelter.rig.rig import Rig


def default_cache_folder() -> Path:
    """Return the folder for baked rigs: ``$SKELTER_CACHE/rigs``, or ``rigs`` in the user's cache folder."""
    return Path(os.environ.get("SKELTER_CACHE") or platformdirs.user_cache_dir("skelter")) / "rigs"


def read_cached(folder: Path, content_hash: str) -> Rig | None:
    """Return the rig with this hash, or None if there is none; a damaged file is reported and deleted."""
    path = folder / f"{content_hash}.rig"
    if not os.path.isfile(path):  # unlike Path.is_file, false also for a folder that may not be entered
        return None
    try:
        rig = load_rig(path)
        if rig.content_hash != content_hash:
            raise AssetError(f"{path}: it holds another rig, {rig.content_hash}")
        return rig
    except AssetError as error:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        warnings.warn(f"{error} (it is baked again now)", SkelterWarning, stacklevel=3)
        return None


def write_cached(folder: Path, rig: Rig) -> None:
    """Keep a rig for the next time; if that is not possible, say so and go on."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_rig(rig, folder / f"{rig.content_hash}.rig")
    except (OSError, OutputError) as error:
        warnings.warn(f"the bake cache cannot be written, which costs only time: {error}", SkelterWarning, stacklevel=3)
