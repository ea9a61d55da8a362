#!/usr/bin/env python3
"""Hold skelter to a folder of real and hostile character files.

    python scripts/check_corpus.py FOLDER [--only PATTERN] [--form packed] [--json]

FOLDER holds `manifest.json`, the files it lists, reference poses in `refs/` and hostile files in `bad/`. For each file:

* it loads within 5 s and 500 MB, or, in `bad/`, gets what its `verdict` says;
* nodes and vertices of the reference engine agree with the reference poses within 1e-5 of the model's size;
* it bakes within 5 s, and the cpu engine agrees with the reference engine within the bake report's own figure.

Each file is checked in a process of its own, so that one that hangs or eats memory is seen as that. Exits 0 only when
all of it holds; the last line is the summary with the worst error.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
import traceback
import warnings
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

import skelter as sk
from skelter.assets.character import Character
from skelter.engines import reference

try:
    import resource
except ImportError:  # not on Windows: memory is not measured there
    resource = None  # type: ignore[assignment]

SECONDS_MAX = 5.0
MEGABYTES_MAX = 500.0
MEMORY_LIMIT = 4 << 30
"""What the process of a file may allocate at all [bytes]."""
POSE_TOLERANCE = 1e-5
"""Largest difference from a reference pose, as a fraction of the model's size."""
QUATERNION_ROUNDING = 4 * 0.5 / 32767 + POSE_TOLERANCE
"""Four components rounded to 16 bits change the length of a quaternion, and twice that a matrix made of it."""
ROUNDING_MM = 2e-3
"""What float32 may add to the error that a bake report states [mm on a character of 2 m]."""
ROUNDING = 1e-6
"""What float32 may add to the error of a morph weight."""
SHELL_M, SIZE_M = 0.03, 2.0
"""A bake report measures at this distance from a joint, on a character of this size [m]."""
TIMES_PER_CLIP = 7

# What the message, or a warning, must say about a hostile file beyond its verdict. Checked where the file exists.
MUST_SAY = {
    "b01_truncated_bin.glb": "shorter",
    "b02_json_chunk_length_overrun.glb": "chunk",
    "b03_accessor_out_of_bounds.gltf": "accessors[7]",
    "b05_nan_rotation_key.glb": "animations[0].channels[0]",
    "b06_joint_index_out_of_range.glb": "60000",
    "b07_huge_count_no_bufferview.gltf": "accessors[10]",
    "b08_uri_path_traversal.gltf": "leaves the folder",
    "b09_bad_base64.gltf": "buffers[0]",
    "b10_node_with_two_parents.gltf": "two parents",
    "b14_json_nesting_bomb.gltf": "nested",
    "b15_required_unknown_extension.gltf": "VENDOR_unknown_compression",
    "khronos_empty_file.glb": "empty",
}


@dataclass
class Result:
    """What was found about one file."""

    file: str
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0
    megabytes: float = 0.0
    reference_error: float = 0.0
    reference_allowed: float = POSE_TOLERANCE
    bake_mm: float = 0.0
    said: str = ""

    def check(self, holds: bool, problem: str) -> None:
        """Note a problem unless something holds."""
        if not holds:
            self.problems.append(problem)


def main() -> int:
    """Check a folder and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="check only files whose path matches")
    parser.add_argument("--form", default="float32", choices=["float32", "packed"], help="how clips are baked")
    parser.add_argument("--json", action="store_true", help="print one JSON object per file instead of a line of text")
    options = parser.parse_args()
    try:
        manifest = json.loads((options.folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        parser.error(f"{options.folder} has no manifest.json that can be read: {error}")
    entries = [entry for entry in manifest["files"] if fnmatch(entry["file"], options.only)]
    entries = [entry | {"form": options.form} for entry in entries]
    warm_up()
    results = []
    for entry in entries:
        results.append(check_apart(options.folder, entry))
        print(json.dumps(asdict(results[-1])) if options.json else line(results[-1]), flush=True)
    failed = [result for result in results if result.problems]
    print(summary(results, failed))
    return 1 if failed or not results else 0


def warm_up() -> None:
    """Compile the kernels before anything is timed, and before processes are forked."""
    from skelter.testing.rigs import random_character

    character = random_character(joint_count=20, clip_count=1, seed=1)
    rig = sk.bake(character, cache=False)
    sk.skin_vertices(rig, sk.skinning_matrices(rig, sk.sample(rig, 0, 0.0)))


def line(result: Result) -> str:
    """Return what was found about a file as a line of text."""
    state = "FAIL" if result.problems else "ok"
    cost = f"{result.seconds:6.2f} s {result.megabytes:6.0f} MB"
    figures = f"{cost}  ref {result.reference_error:.1e}  bake {result.bake_mm:.4f} mm"
    return "\n      ".join([f"{state:4} {figures}  {result.file}  {result.said}".rstrip(), *result.problems])


def summary(results: list[Result], failed: list[Result]) -> str:
    """Return the last line: counts and the worst figures."""
    if not results:
        return "FAILED: no file matches"
    strict = [result for result in results if result.reference_allowed == POSE_TOLERANCE]
    worst = max(strict or results, key=lambda result: result.reference_error)
    loose = max(results, key=lambda result: result.reference_error)
    slow = max(results, key=lambda result: result.seconds)
    big = max(results, key=lambda result: result.megabytes)
    return (
        f"{'FAILED' if failed else 'all good'}: {len(results) - len(failed)} of {len(results)} files;"
        f" worst reference error {worst.reference_error:.2e} ({worst.file}),"
        f" {loose.reference_error:.2e} of {loose.reference_allowed:.2e} allowed where the reference is rounded"
        f" ({loose.file}); slowest {slow.seconds:.2f} s ({slow.file}), largest {big.megabytes:.0f} MB ({big.file})"
    )


def check_apart(folder: Path, entry: dict[str, Any]) -> Result:
    """Check a file in a process of its own, which is killed if it does not end."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_check_and_send, args=(folder, entry, sender))
    process.start()
    sender.close()
    limit = 60.0 + 2 * SECONDS_MAX  # the comparisons take their time; load and bake are timed inside
    try:
        if receiver.poll(limit):
            return receiver.recv()  # type: ignore[no-any-return]
        return Result(entry["file"], [f"it did not end within {limit:g} s"], seconds=limit)
    except EOFError:
        process.join()
        return Result(entry["file"], [f"the process died (exit code {process.exitcode})"])
    finally:
        process.kill()
        process.join()


def _check_and_send(folder: Path, entry: dict[str, Any], sender: Any) -> None:
    result = Result(entry["file"])
    if resource is not None:  # a file that asks for all memory must not take the machine with it
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # an invalid value must not pass unseen
            (check_bad if entry["kind"] == "bad" else check_good)(folder, entry, result)
    except Exception:
        result.problems.append(traceback.format_exc())
    sender.send(result)


def check_good(folder: Path, entry: dict[str, Any], result: Result) -> None:
    """Check a file that must load."""
    try:
        character = timed_load(folder / entry["file"], result)
    except sk.SkelterError as error:
        result.problems.append(f"it does not load: {error}")
        return
    result.said = f"{len(character.warnings)} warnings" if character.warnings else ""
    check_facts(character, entry, result)
    check_references(folder, entry.get("reference") or {}, character, result)
    check_bake(character, entry["form"], result)


def check_bad(folder: Path, entry: dict[str, Any], result: Result) -> None:
    """Check a file that must be refused, or loaded with a warning, as its verdict says."""
    verdict = entry.get("verdict", "warn_or_reject")
    try:
        character = timed_load(folder / entry["file"], result)
    except sk.SkelterError as error:
        result.said = str(error).replace(str(folder), "")
    else:
        result.said = "; ".join(str(warning) for warning in character.warnings)
        result.check(verdict != "reject", "it was loaded, but must be refused")
        result.check(verdict != "warn_or_reject" or bool(character.warnings), "it was loaded without a warning")
        check_finite(character, result)
        if len(character.nodes):
            check_bake(character, entry["form"], result)
    needle = MUST_SAY.get(Path(entry["file"]).name, "")
    result.check(needle in result.said, f"the message does not say {needle!r}")
    result.check("root:x:" not in result.said, "the message holds the content of a foreign file")


def timed_load(path: Path, result: Result) -> Character:
    """Load a file; note seconds and megabytes, also when it fails."""
    before, begin = peak_megabytes(), time.perf_counter()
    try:
        return sk.load(path)
    finally:
        result.seconds = time.perf_counter() - begin
        result.megabytes = peak_megabytes() - before
        result.check(result.seconds <= SECONDS_MAX, f"loading takes {result.seconds:.1f} s")
        result.check(result.megabytes <= MEGABYTES_MAX, f"loading takes {result.megabytes:.0f} MB")


def peak_megabytes() -> float:
    """Return the most memory that this process has had [MB], 0 where that is not known."""
    if resource is None:
        return 0.0
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def check_facts(character: Character, entry: dict[str, Any], result: Result) -> None:
    """Check counts that the manifest states."""
    found = {
        "nodes": len(character.nodes),
        "meshes": len(character.meshes),
        "skins": len(character.skins),
        "n_clips": len(character.clips),
        "joints": [len(skin.joints) for skin in character.skins],
    }
    for name, value in found.items():
        if name in entry and entry["kind"] != "bvh":
            result.check(entry[name] == value, f"the manifest says {name} {entry[name]}, the character has {value}")


def check_finite(character: Character, result: Result) -> None:
    """Check that no pose of a mended file holds a NaN."""
    for clip in character.clips:
        for time_ in np.linspace(0.0, clip.duration, 5):
            pose = reference.pose(character, clip.name, float(time_))
            result.check(
                bool(np.isfinite(pose.model_from_node).all()), f"clip {clip.name!r} has a pose that is not finite"
            )


def check_references(folder: Path, entry: dict[str, Any], character: Character, result: Result) -> None:
    """Compare nodes, vertices and morph weights with the reference poses of a file.

    An evaluator in float64 is preferred to three.js where both exist: three.js reads only the first set of joints and
    does not normalise quantised quaternions. Where it stands alone, what that amounts to is allowed for: its known
    distance from the evaluator, or the rounding of 16-bit quaternions in files compressed with meshopt.
    """
    name = entry.get("numpy") or entry.get("three")
    if name is None:
        return
    if "numpy" not in entry:
        result.reference_allowed = max(POSE_TOLERANCE, three_slack(entry, character))
    poses = json.loads((folder / name).read_text(encoding="utf-8"))
    samples = [(None, 0.0, poses["rest"])]
    samples += [(clip["index"], sample["t"], sample) for clip in poses["clips"] for sample in clip["samples"]]
    size = model_size(poses["rest"])
    for clip, file_time, sample in samples:
        start = 0.0 if clip is None else character.clips[clip].start
        pose = reference.pose(character, clip, file_time - start)
        errors = [node_error(sample, pose, size), vertex_error(sample, character, pose, size)]
        result.reference_error = largest(result.reference_error, *errors)
    fits = result.reference_error <= result.reference_allowed
    result.check(fits, f"differs from {name} by {result.reference_error:.2e} of its size")


def three_slack(entry: dict[str, Any], character: Character) -> float:
    """Return how far a reference of three.js alone may be from the truth.

    Draco files were decoded for it by glTF-Transform, which drops scales within
    1e-5 of 1. Quaternions are not normalised.
    """
    text = Path(character.source).read_bytes()
    if b"KHR_draco_mesh_compression" in text:
        return 2 * POSE_TOLERANCE
    if entry.get("three_vs_numpy"):
        return max(entry["three_vs_numpy"]["node"], entry["three_vs_numpy"]["vert"]) if entry.get("remark") else 0.0
    return QUATERNION_ROUNDING if b"meshopt_compression" in text else 0.0


def model_size(rest: dict[str, Any]) -> float:
    """Return the largest extent of a reference's rest pose."""
    sizes = [1e-3]
    sizes += [float(np.ptp(np.reshape(prim["pos"], (-1, 3)), axis=0).max()) for prim in rest["prims"] if prim["pos"]]
    sizes += [float(np.abs(matrix[12:15]).max()) for matrix in rest["nodes"].values()]
    return max(sizes)


def largest(*values: float) -> float:
    """Return the largest value, NaN if there is one: ``max`` would pass over it."""
    return float(np.max(values))


def node_error(sample: dict[str, Any], pose: reference.ReferencePose, size: float) -> float:
    """Return the largest difference of a world matrix: axes relative to their size, origins relative to the model's."""
    worst = 0.0
    for node, columns in sample["nodes"].items():
        want = np.reshape(columns, (4, 4)).T
        have = pose.model_from_node[int(node)]
        axes = np.abs(want - have)[:3, :3].max() / max(float(np.abs(want[:3, :3]).max()), 1e-9)
        worst = largest(worst, axes, np.abs(want - have)[:3, 3].max() / size)
    return worst


def vertex_error(sample: dict[str, Any], character: Character, pose: reference.ReferencePose, size: float) -> float:
    """Return the largest difference of a vertex or a morph weight."""
    worst = 0.0
    for prim in sample["prims"]:
        index = next(i for i, instance in enumerate(character.instances) if instance.node == prim["node"])
        have = reference.positions(character, pose, index, prim["primitive"])[prim["idx"]]
        worst = largest(worst, np.abs(have - np.reshape(prim["pos"], (-1, 3))).max(initial=0.0) / size)
        if prim["weights"] is not None:
            worst = largest(worst, np.abs(pose.weights[index] - prim["weights"]).max(initial=0.0))
    return worst


def check_bake(character: Character, form: Any, result: Result) -> None:
    """Bake, and compare the cpu engine with the reference engine on every clip."""
    begin = time.perf_counter()
    rig = sk.bake(character, form=form, cache=False)
    seconds = time.perf_counter() - begin
    result.check(seconds <= SECONDS_MAX, f"baking takes {seconds:.1f} s")
    result.seconds = max(result.seconds, seconds)
    random = np.random.default_rng(1)
    for index, report in enumerate(rig.report.clips):
        times = np.concatenate([[0.0, report.duration], random.uniform(0.0, report.duration, TIMES_PER_CLIP)])
        check_clip(character, rig, index, times, result)


def check_clip(character: Character, rig: sk.Rig, index: int, times: np.ndarray, result: Result) -> None:
    """Compare joints and morph weights with the source curves, and vertices with what these joints make of them."""
    report = rig.report.clips[index]
    where = f"clip {report.name!r}"
    local = sk.sample(rig, index, times, loop=False)
    model = sk.to_model(rig, local)
    morphs = sk.sample_morphs(rig, index, times, loop=False)
    poses = [reference.pose(character, index, float(moment)) for moment in times]
    truth = np.array([pose.model_from_node[rig.node, :3] for pose in poses])
    error = shell_error(model, truth, SHELL_M / SIZE_M * rig.report.size) * 1000.0 * SIZE_M / rig.report.size
    result.bake_mm = largest(result.bake_mm, error)
    result.check(error <= report.max_mm + ROUNDING_MM, f"{where}: {error:.4f} mm, reported {report.max_mm:.4f} mm")
    if morphs.size:
        weights = np.array([np.concatenate(pose.weights) for pose in poses])
        error = float(np.abs(morphs - weights).max())
        result.check(error <= report.max_morph + ROUNDING, f"{where}: morph weights differ by {error:.2e}")
    error = skinning_error(character, rig, local[-1:], morphs[-1:])
    result.check(error <= POSE_TOLERANCE, f"{where}: the cpu engine skins vertices {error:.2e} of the size away")


def shell_error(model: np.ndarray, truth: np.ndarray, radius: float) -> float:
    """Return the largest distance of a joint, or of a point ``radius`` away on one of its axes, from the truth."""
    axes = np.linalg.norm(truth[..., :3], axis=-2)
    reach = np.divide(radius, axes, out=np.zeros_like(axes), where=axes > 0)
    origins = model[..., 3] - truth[..., 3]
    points = origins[..., None] + (model - truth)[..., :3] * reach[..., None, :]
    return largest(np.linalg.norm(origins, axis=-1).max(), np.linalg.norm(points, axis=-2).max())


def skinning_error(character: Character, rig: sk.Rig, local: np.ndarray, morphs: np.ndarray) -> float:
    """Return how far vertices of the cpu engine are from those that the reference engine makes of the same joints."""
    model_from_node = np.tile(np.eye(4), (len(character.nodes), 1, 1))
    model_from_node[rig.node, :3] = sk.to_model(rig, local)[0]
    ends = np.cumsum([len(instance.weights) for instance in character.instances])
    weights = tuple(np.split(morphs[0].astype(np.float64), ends[:-1])) if len(ends) else ()
    nodes = character.nodes
    pose = reference.ReferencePose(nodes.translation, nodes.rotation, nodes.scale, model_from_node, weights)
    vertices, _ = sk.skin_vertices(rig, sk.skinning_matrices(rig, local), morphs)
    size = largest(rig.report.size, np.abs(vertices).max(initial=0.0))
    worst = 0.0
    for draw in rig.mesh.draws:
        index = next(i for i, instance in enumerate(character.instances) if instance.node == draw.node)
        want = reference.positions(character, pose, index, draw.primitive)
        have = vertices[0, draw.vert_start : draw.vert_start + draw.vert_count]
        worst = largest(worst, np.abs(have - want).max(initial=0.0) / size)
    return worst


if __name__ == "__main__":
    sys.exit(main())
