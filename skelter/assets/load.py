"""Load a character from any file that skelter reads."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from skelter.assets.character import Character


def load(path: str | PathLike[str]) -> Character:
    """Load a character file.

    Args:
        path: A glTF 2.0 file (``.glb``, ``.gltf``, ``.vrm``, ``.vrma``) or a motion capture file (``.bvh``).

    Returns:
        The character, raw and editable. Oddities that were mended are listed in ``character.warnings``.

    Raises:
        AssetError: The file is missing, broken, hostile, or uses what skelter does not read.
        MissingExtraError: The file is compressed with Draco and the ``draco`` extra is not installed.
    """
    file = Path(path)
    if file.suffix.lower() == ".bvh":
        from skelter.assets.bvh import load_bvh

        return load_bvh(file)
    from skelter.assets.gltf.reader import load_gltf

    return load_gltf(file)
