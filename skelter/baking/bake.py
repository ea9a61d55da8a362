"""Bake a character: raw and editable in, packed and immutable out."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from skelter.assets.character import Character
from skelter.assets.check import check_character
from skelter.assets.load import load
from skelter.baking.bank import build_bank, clip_remarks, clip_reports
from skelter.baking.bounds import clip_bounds, entry_boxes, pose_bounds, posed_size
from skelter.baking.cache import default_cache_folder, read_cached, write_cached
from skelter.baking.clips import BakedClip, ClipBaker, Progress
from skelter.baking.curves import rest_columns
from skelter.baking.digest import character_digest
from skelter.baking.mesh import build_mesh
from skelter.baking.morphs import MorphTable
from skelter.baking.skeleton import Skeleton, build_skeleton
from skelter.core.affine import compose
from skelter.core.arrays import pack_pose
from skelter.core.errors import ArgumentError, unknown_name
from skelter.core.hierarchy import model_matrices
from skelter.core.material import Material
from skelter.rig.report import BakeReport
from skelter.rig.rig import Palette, Rig, RigMesh

RATE_MIN, RATE_MAX = 1.0, 1000.0
"""Sample rates that a user may name [Hz]."""

Form = Literal["float32", "packed"]
FORMS = ("float32", "packed")
"""How clips can be stored."""

CharacterLike = Character | str | PathLike[str]


def bake(
    character: CharacterLike,
    *,
    rate: float | Mapping[str, float] | None = None,
    tolerance_mm: float = 0.1,
    form: Form | Mapping[str, Form] = "float32",
    cache: bool = True,
    cache_folder: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Rig:
    """Bake a character into a rig.

    Each clip is resampled at a uniform rate: the lowest of 15, 20, 24, 30, 60 and 120 Hz whose error against the source
    curves holds the tolerance. ``rig.report`` says what that cost.

    Args:
        character: A character, or the path of a file.
        rate: Sample rate [Hz] for all clips, or per clip name; the other clips choose their own.
        tolerance_mm: 99th percentile of the error that is allowed [mm], measured 3 cm around each joint, on a character
            scaled so that its rest pose is 2 m along the longest side of its box.
        form: How clips are stored, for all clips or per clip name; the others are ``"float32"``. ``"packed"`` takes a
            small part of the bytes, as few as the tolerance allows, and a little longer to sample. A clip that cannot
            be packed, or gains nothing, stays float32, and the report says why.
        cache: Keep the rig on disk under the hash of its inputs, and take it from there the next time.
        cache_folder: Folder of the cache; by default the user's cache folder (or ``$SKELTER_CACHE``).
        progress: Called with what is being done and the fraction that is done.

    Raises:
        ArgumentError: A rate, tolerance, form or clip name makes no sense, or the character does not hold together.
        BakeError: The character has no nodes or is too large.
        AssetError: The file cannot be read.
    """
    if isinstance(character, Character):
        check_character(character)
    elif isinstance(character, str | PathLike):
        character = load(character)
    else:
        found = type(character).__name__
        raise ArgumentError(f"character: expected a Character or the path of a file, got {found}")
    rates = _checked_rates(character, rate)
    tolerance_mm = _checked_tolerance(tolerance_mm)
    packed = _checked_forms(character, form)
    options = {"rates": sorted(rates.items()), "tolerance_mm": tolerance_mm, "packed": sorted(packed)}
    content_hash = character_digest(character, options)
    folder = Path(cache_folder) if cache_folder is not None else default_cache_folder()
    rig = read_cached(folder, content_hash) if cache else None
    if rig is None:
        rig = _bake(character, rates, tolerance_mm, packed, content_hash, progress)
        if cache:
            write_cached(folder, rig)
    return rig


def _checked_rates(character: Character, rate: float | Mapping[str, float] | None) -> dict[str, float]:
    """Return a rate per clip name for the clips whose rate the user names."""
    if rate is None:
        return {}
    rates = dict(rate) if isinstance(rate, Mapping) else dict.fromkeys(character.clip_names, rate)
    for name, value in rates.items():
        if name not in character.clip_names:
            raise ArgumentError(f"rate: {unknown_name('clip', name, character.clip_names)}")
        rates[name] = _checked_rate(value)
    if not rates and not isinstance(rate, Mapping):
        _checked_rate(rate)
    return rates


def _checked_forms(character: Character, form: Form | Mapping[str, Form]) -> frozenset[str]:
    """Return the names of the clips that are to be packed."""
    forms = dict(form) if isinstance(form, Mapping) else dict.fromkeys(character.clip_names, form)
    for name in forms:
        if name not in character.clip_names:
            raise ArgumentError(f"form: {unknown_name('clip', name, character.clip_names)}")
    for value in [*forms.values(), *([] if isinstance(form, Mapping) else [form])]:
        if value not in FORMS:
            raise ArgumentError(f"form: {unknown_name('form', value, FORMS)}")
    return frozenset(name for name, value in forms.items() if value == "packed")


def _checked_tolerance(value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ArgumentError(f"tolerance_mm: {value!r} is no length; name one above 0, such as 0.1")
    return number


def _checked_rate(value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"rate: {value!r} is no number of frames a second") from None
    if not RATE_MIN <= number <= RATE_MAX:
        raise ArgumentError(f"rate: {number:g} Hz is not between {RATE_MIN:g} and {RATE_MAX:g} Hz")
    return number


def _bake(
    character: Character,
    rates: dict[str, float],
    tolerance_mm: float,
    packed: frozenset[str],
    content_hash: str,
    progress: Progress | None,
) -> Rig:
    begin = time.perf_counter()
    skeleton = build_skeleton(character)
    mesh, palette, morphs = build_mesh(character, skeleton)
    rest_model = _rest_model(character, skeleton)
    rest_boxes = entry_boxes(mesh, palette, np.abs(morphs.rest))
    bounds = pose_bounds(rest_model[None], palette, rest_boxes)
    size = posed_size(rest_model, mesh, palette) or float((bounds[1] - bounds[0]).max()) or 1.0
    rest = rest_columns(character, skeleton, morphs.rest)
    baker = ClipBaker(skeleton, morphs.first, rest, size, tolerance_mm, rates, packed)
    clips = baker.bake_all(character, progress)
    rig = _assembled(character, skeleton, mesh, palette, morphs, clips, bounds, content_hash)
    seconds = time.perf_counter() - begin
    report = BakeReport(
        clips=clip_reports(clips, rig.joint_names, tolerance_mm),
        tolerance_mm=tolerance_mm,
        size=size,
        bytes=sum(array.nbytes for array in rig.arrays()),
        seconds=seconds,
        warnings=clip_remarks(clips, tolerance_mm),
    )
    rig = dataclasses.replace(rig, report=report)
    for array in rig.arrays():
        array.flags.writeable = False
    return rig


def _assembled(
    character: Character,
    skeleton: Skeleton,
    mesh: RigMesh,
    palette: Palette,
    morphs: MorphTable,
    clips: list[BakedClip],
    bounds: np.ndarray,
    content_hash: str,
) -> Rig:
    nodes = character.nodes
    rest = pack_pose(nodes.rotation[skeleton.node], nodes.translation[skeleton.node], nodes.scale[skeleton.node])
    boxes = entry_boxes(mesh, palette, _morph_reach(morphs, clips))
    boxed: list[np.ndarray] = []
    for clip in clips:
        boxed.append(boxed[clip.same_as] if clip.same_as >= 0 else clip_bounds(clip, skeleton, palette, boxes))
    return Rig(
        name=character.name,
        content_hash=content_hash,
        joint_names=tuple(nodes.names[node] for node in skeleton.node),
        parent=skeleton.parent,
        node=skeleton.node,
        rest=rest,
        clips=build_bank(clips, rest, len(morphs.names), np.array(boxed, np.float32).reshape(len(clips), 2, 3)),
        palette=palette,
        mesh=mesh,
        materials=(*map(dataclasses.replace, character.materials), Material("default", metallic=0.0)),
        images=tuple(map(dataclasses.replace, character.images)),
        bounds=bounds,
        report=BakeReport((), 0.0, 1.0, 0, 0.0),
    )


def _rest_model(character: Character, skeleton: Skeleton) -> np.ndarray:
    """Return the model matrices of the rest pose, float64 ``[joint, 3, 4]``."""
    nodes = character.nodes
    local = compose(nodes.translation[skeleton.node], nodes.rotation[skeleton.node], nodes.scale[skeleton.node])
    return model_matrices(local, skeleton.parent)[:, :3]


def _morph_reach(morphs: MorphTable, clips: list[BakedClip]) -> np.ndarray:
    """Return the largest absolute weight of each morph, at rest and in any clip."""
    reach = np.abs(morphs.rest)
    for clip in clips:
        if clip.frames.morphs.size:
            reach = np.maximum(reach, np.abs(clip.frames.morphs).max(axis=0))
    return reach
