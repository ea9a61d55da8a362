"""Hash of everything that a bake depends on."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np

from skelter import __version__
from skelter.assets.character import Character
from skelter.baking.clips import frames_digest

BAKE_VERSION = 4
"""Raised whenever the same input bakes to something else."""


def character_digest(character: Character, options: dict[str, Any]) -> str:
    """Return a hash of a character and bake options, 32 hex digits. Names count, warnings and the path do not."""
    digest = hashlib.blake2b(f"skelter {__version__} bake {BAKE_VERSION}".encode(), digest_size=16)
    _update(digest, sorted(options.items()))
    _update(digest, character.name)
    for clip in character.clips:
        _update(digest, clip.name)
        digest.update(frames_digest(character, clip))
        _update(digest, clip.events)
    for part in (character.nodes, character.meshes, character.skins, character.instances):
        _update(digest, part)
    for rest in (character.materials, character.images):
        _update(digest, rest)
    return digest.hexdigest()


def _update(digest: Any, value: Any) -> None:
    """Feed any nest of dataclasses, lists, arrays and plain values to a hash, each with its type and length."""
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).data)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            _update(digest, getattr(value, field.name))
    elif isinstance(value, (list, tuple)):
        digest.update(f"[{len(value)}".encode())
        for item in value:
            _update(digest, item)
    elif isinstance(value, bytes):
        digest.update(f"b{len(value)}".encode())
        digest.update(value)
    else:
        digest.update(f"{type(value).__name__}:{value!r};".encode())
