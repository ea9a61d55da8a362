"""Load a character from any file that skelter reads."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from skelter.assets.character import Character
from skelter.core.errors import ArgumentError


def load(path: str | PathLike[str], *, scale: float = 1.0) -> Character:
    """Load a character file.

    Args:
        path: A glTF 2.0 file (``.glb``, ``.gltf``, ``.vrm``, ``.vrma``) or a motion capture file (``.bvh``).
        scale: Metres per unit of a BVH file, which has no unit of its own; glTF is in metres.

    Returns:
        The character, raw and editable. Oddities that were mended are listed in ``character.warnings``.

    Raises:
        AssetError: The file is missing, broken, hostile, or uses what skelter does not read.
        ArgumentError: A scale is given for a file that has a unit, or is not a positive number.
        MissingExtraError: The file is compressed with Draco and the ``draco`` extra is not installed.
    """
    if not isinstance(path, str | PathLike):
        raise ArgumentError(f"path: expected the path of a file, got {type(path).__name__}")
    file = Path(path)
    if file.suffix.lower() == ".bvh":
        from skelter.assets.bvh import load_bvh

        return load_bvh(file, scale=scale)
    if scale != 1.0:
        raise ArgumentError(f"scale is {scale}, but {file} is no BVH file: glTF is in metres; leave it out")
    from skelter.assets.gltf.reader import load_gltf

    return load_gltf(file)
