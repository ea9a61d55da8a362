"""BVH: broken files, odd files, closed forms, and joint positions of pybvh."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.assets.bvh import load_bvh
from skelter.assets.bvh.curves import rotations
from skelter.assets.bvh.hierarchy import CHANNELS
from skelter.assets.character import Character, Track
from skelter.core.errors import ArgumentError, AssetError

POSITION_TOL = 1e-6
"""Digits of the recorded positions, in the unit of the file."""

ARM = """HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Arm
  {
    OFFSET 0 10 0
    CHANNELS 3 Xrotation Yrotation Zrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
4 5 6 90 0 0 0 0 0
7 8 9 0 0 0 90 0 0
"""


@pytest.fixture
def load(tmp_path: Path):
    def load(text: str | bytes, **options: float) -> Character:
        path = tmp_path / "take 1.bvh"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_bvh(path, **options)

    return load


def track(character: Character, name: str, path: str) -> Track:
    node = character.nodes.names.index(name)
    return next(track for track in character.clips[0].tracks if (track.node, track.path) == (node, path))


def rotation_matrices(q: np.ndarray) -> np.ndarray:
    x, y, z, w = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def axis_matrix(axis: int, degrees: float) -> np.ndarray:
    """Return the textbook matrix of a turn about a coordinate axis."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    result = np.eye(3)
    b, d = (axis + 1) % 3, (axis + 2) % 3
    result[[b, d, b, d], [b, d, d, b]] = c, c, -s, s
    return result


def model_positions(character: Character) -> np.ndarray:
    """Return the places of all nodes at all frames, ``[frame, node, 3]``."""
    nodes, tracks = character.nodes, character.clips[0].tracks
    frames = len(tracks[0].times)
    turned = {track.node: rotation_matrices(track.values) for track in tracks if track.path == "rotation"}
    moved = {track.node: track.values for track in tracks if track.path == "translation"}
    turn, place = [], []
    for node, parent in enumerate(nodes.parent):
        local_turn = turned.get(node, np.tile(np.eye(3), (frames, 1, 1)))
        local_place = moved.get(node, np.tile(nodes.translation[node], (frames, 1)))
        root = parent < 0
        turn.append(local_turn if root else turn[parent] @ local_turn)
        place.append(local_place if root else place[parent] + (turn[parent] @ local_place[..., None])[..., 0])
    return np.stack(place, axis=1)


class TestInvalidInput:
    @pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
    def test_scale(self, load, scale: float) -> None:
        with pytest.raises(ArgumentError, match="scale is"):
            load(ARM, scale=scale)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(AssetError, match="there is no such file"):
            load_bvh(tmp_path / "none.bvh")

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("HIERARCHY", "glTF", "line 1: a BVH file begins with HIERARCHY, this one with 'glTF'"),
            ("ROOT", "BONE", "line 2: 'BONE' is none of"),
            ("ROOT Hips\n{", "ROOT Hips\n", r"line 4: a joint has no '\{'"),
            ("  JOINT Arm", "  ROOT Arm", "line 6: ROOT stands inside"),
            ("ROOT Hips", "JOINT Hips", "line 2: JOINT stands outside of a joint"),
            ("ROOT Hips", "OFFSET", "line 2: OFFSET stands outside"),
            ("OFFSET 1 2 3", "OFFSET 1 2", "line 5: 'CHANNELS' is no number; OFFSET needs three"),
            ("OFFSET 1 2 3", "OFFSET 1 2 nan", "line 4: OFFSET nan is not a finite length"),
            ("OFFSET 1 2 3", "OFFSET 1 2,5 3", "line 4: '2,5' is no number"),
            ("CHANNELS 3", "CHANNELS 7", "line 9: CHANNELS needs a number from 0 to 6, not '7'"),
            ("CHANNELS 3", "CHANNELS -3", "line 9: CHANNELS needs a number"),
            ("CHANNELS 3", "CHANNELS 4", "line 10: channel 4 of 4 is 'End'"),
            ("CHANNELS 3", "CHANNELS 2", "line 9: 'Zrotation' is none of"),
            ("Xrotation Yrotation", "Xscale Yrotation", "line 9: channel 1 of 3 is 'Xscale'"),
            ("    End Site", "CHANNELS 1 Xrotation End Site", "line 10: joint 'Arm' has CHANNELS twice"),
            ("OFFSET 0 5 0", "End Site { }", "line 12: nothing can hang on an End Site"),
            ("Hips", "Hips" * 300, "line 3: a joint's name has 1200 characters"),
            ("}\nMOTION", "MOTION", "line 15: joint 'Hips' is not closed"),
            ("}\nMOTION", "}}\nMOTION", r"line 15: there is a '\}' too many"),
            ("Frames: 2", "Frames: many", "line 17: Frames: must be a whole number, not 'many'"),
            ("Frame Time: 0.5", "Frame Time: fast", "line 18: Frame Time: must be a number of seconds, not 'fast'"),
            ("7 8 9", "7 nan 9", "line 20: 'nan' is not a finite number"),
            ("7 8 9", "7 1e300 9", "line 20: '1e300' is not a finite number"),
            ("4 5 6", "4 5 six", "line 19: 'six' is not a finite number"),
            ("4 5 6", "4 5", "line 19: there are 8 numbers; the channels of all joints are 9"),
            ("7 8 9", "7 8 9 9", "line 20: there are 10 numbers; the channels of all joints are 9"),
        ],
    )
    def test_broken_file(self, load, old: str, new: str, message: str) -> None:
        assert old in ARM
        with pytest.raises(AssetError, match=rf"take 1\.bvh: {message}"):
            load(ARM.replace(old, new, 1))

    def test_no_root(self, load) -> None:
        with pytest.raises(AssetError, match="there is no ROOT"):
            load("HIERARCHY\nMOTION\nFrames: 0\nFrame Time: 1\n")

    @pytest.mark.parametrize("text", ["", "\n \n", b"\0\xff\xfe"])
    def test_no_text(self, load, text: str | bytes) -> None:
        with pytest.raises(AssetError, match="begins with HIERARCHY"):
            load(text)

    @pytest.mark.parametrize("end", ["", "}" * 10])
    def test_nesting_bomb(self, load, end: str) -> None:
        with pytest.raises(AssetError, match="more than 65536 joints"):
            load("HIERARCHY ROOT r {" + "JOINT a {" * 100_000 + end)

    def test_claimed_frames_take_no_memory(self, load) -> None:
        character = load(ARM.replace("Frames: 2", "Frames: 999999999999"))
        assert len(character.clips[0].tracks[0].times) == 2
        assert "Frames: 999999999999, but there are 2" in str(character.warnings[0])


class TestDegenerate:
    def test_no_motion(self, load) -> None:
        character = load(ARM.partition("MOTION")[0])
        assert character.clips == []
        assert "there is no MOTION" in str(character.warnings[0])

    def test_no_frames(self, load) -> None:
        character = load(ARM.partition("MOTION")[0] + "MOTION\nFrames: 0\nFrame Time: 0.1\n")
        assert character.clips == []
        assert "there are no frames" in str(character.warnings[0])

    def test_one_frame(self, load) -> None:
        character = load(ARM[: ARM.index("7 8 9")].replace("Frames: 2", "Frames: 1"))
        assert character.clips[0].duration == 0.0
        assert not character.warnings

    def test_no_channels(self, load) -> None:
        character = load("HIERARCHY ROOT r { OFFSET 0 0 0 } MOTION Frames: 1 Frame Time: 0.1 5")
        assert character.clips == []
        assert "no channels" in str(character.warnings[0])

    @pytest.mark.parametrize("value", ["0", "-1", "nan", "1e-300", "1e300"])
    def test_unusable_frame_time(self, load, value: str) -> None:
        character = load(ARM.replace("0.5", value))
        assert character.clips[0].duration == pytest.approx(1 / 30)
        assert str(character.warnings[0]).startswith("line 18: Frame Time: is")

    @pytest.mark.parametrize("header", ["Frames: 2\n", "Frame Time: 0.5\n"])
    def test_missing_header(self, load, header: str) -> None:
        character = load(ARM.replace(header, ""))
        assert len(character.clips[0].tracks[0].times) == 2
        assert "there is no" in str(character.warnings[0])

    @pytest.mark.parametrize(("claimed", "used"), [(1, 1), (9, 2)])
    def test_other_number_of_frames_than_claimed(self, load, claimed: int, used: int) -> None:
        character = load(ARM.replace("Frames: 2", f"Frames: {claimed}"))
        assert len(character.clips[0].tracks[0].times) == used
        assert f"Frames: {claimed}, but there are 2; {used} are used" in str(character.warnings[0])

    def test_cut_off_inside_a_frame(self, load) -> None:
        character = load(ARM[:-6])
        assert len(character.clips[0].tracks[0].times) == 1
        assert "cut off inside frame 2" in str(character.warnings[0])

    def test_duplicate_and_empty_names(self, load) -> None:
        character = load("HIERARCHY ROOT a { JOINT a { } JOINT { } End Site { } End Site { } }")
        assert character.nodes.names == ["a", "a_2", "node_2", "a_end", "a_end_2"]
        assert any("2 joints have a name that is taken, such as 'a'" in str(each) for each in character.warnings)
        assert any("5 joints have no OFFSET" in str(each) for each in character.warnings)


class TestKnownValues:
    def test_nodes(self, load) -> None:
        character = load(ARM, scale=0.01)
        assert character.name == "take 1"
        assert character.nodes.names == ["Hips", "Arm", "Arm_end"]
        assert character.nodes.parent.tolist() == [-1, 0, 1]
        np.testing.assert_allclose(character.nodes.translation, [[0.01, 0.02, 0.03], [0, 0.1, 0], [0, 0.05, 0]])
        np.testing.assert_array_equal(character.nodes.rotation, [[0, 0, 0, 1]] * 3)
        assert not character.meshes
        assert not character.warnings

    def test_clip(self, load) -> None:
        character = load(ARM)
        (clip,) = character.clips
        assert (clip.name, clip.duration, clip.start) == ("take 1", 0.5, 0.0)
        assert [(each.node, each.path) for each in clip.tracks] == [
            (0, "rotation"),
            (0, "translation"),
            (1, "rotation"),
        ]
        for each in clip.tracks:
            assert each.interpolation == "LINEAR"
            np.testing.assert_array_equal(each.times, [0.0, 0.5])

    def test_positions_replace_the_offset_and_are_scaled(self, load) -> None:
        moved = track(load(ARM, scale=0.1), "Hips", "translation")
        np.testing.assert_allclose(moved.values, [[0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])

    def test_one_position_channel_leaves_the_other_axes(self, load) -> None:
        text = "HIERARCHY ROOT r { OFFSET 1 2 3 JOINT j { OFFSET 4 5 6 CHANNELS 2 Yposition Xrotation } }"
        character = load(text + "MOTION Frames: 1 Frame Time: 1 9 0")
        np.testing.assert_allclose(track(character, "j", "translation").values, [[4, 9, 6]])

    def test_quarter_turns(self, load) -> None:
        half = math.sqrt(0.5)
        character = load(ARM)
        np.testing.assert_allclose(track(character, "Hips", "rotation").values[0], [0, 0, half, half], atol=1e-15)
        np.testing.assert_allclose(track(character, "Arm", "rotation").values[1], [half, 0, 0, half], atol=1e-15)
        expected = [[[4, 5, 6], [-6, 5, 6], [-11, 5, 6]], [[7, 8, 9], [7, 18, 9], [7, 18, 14]]]
        np.testing.assert_allclose(model_positions(character), expected, atol=1e-12)

    @pytest.mark.parametrize("order", ["XYZ", "ZXY", "YXZ", "ZYX", "XZX", "Y", "ZX", ""])
    def test_order_of_rotations(self, order: str) -> None:
        angles = np.array([[10.0, -75.0, 200.0], [-360.0, 91.0, 33.0]])[:, : len(order)]
        channels = [CHANNELS[f"{letter.lower()}rotation".encode()] for letter in order]
        expected = np.tile(np.eye(3), (2, 1, 1))
        for frame in range(2):
            for letter, angle in zip(order, angles[frame], strict=True):
                expected[frame] = expected[frame] @ axis_matrix("XYZ".index(letter), angle)
        result = rotations(angles, channels)
        np.testing.assert_allclose(rotation_matrices(result), expected, atol=1e-14)

    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text.replace("\n", "\r\n"),
            lambda text: text.replace("\n", "\r"),
            lambda text: text.replace("  ", "\t").replace(" ", " \t "),
            lambda text: " ".join(text.split()),
            lambda text: "\n".join(text.split()),
            lambda text: "\ufeff" + text.lower().replace("hips", "Hips").replace(" arm", " Arm"),
            lambda text: text.replace("Hips\n{", "Hips{").replace("Frames:", "Frames :"),
            lambda text: text.replace("90", "9.0E+1").replace(" 10 ", " 1e1 "),
            lambda text: text + "\n\n  \n",
        ],
    )
    def test_white_space_case_and_notation_do_not_matter(self, load, change) -> None:
        plain, changed = load(ARM), load(change(ARM))
        assert changed.nodes.names == plain.nodes.names
        assert not changed.warnings
        np.testing.assert_array_equal(model_positions(changed), model_positions(plain))

    def test_several_roots(self, load) -> None:
        text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation } ROOT b { OFFSET 0 0 0 CHANNELS 1 Zrotation }"
        character = load(text + "MOTION Frames: 1 Frame Time: 1 0 180")
        assert character.nodes.parent.tolist() == [-1, -1]
        np.testing.assert_allclose(track(character, "b", "rotation").values, [[0, 0, 1, 0]], atol=1e-15)


# Positions of joints in the units of the files: (frame, joint, xyz). They were made with pybvh 0.9.0,
# `read_bvh_file(path).node_positions()`, and rounded to 6 digits.
PYBVH = {
    "bvh_test1": [
        (0, "Spine", (-1.061428, -10.955818, 40.867997)),
        (0, "LeftToeBase_end", (-5.587791, -4.639463, 1.776326)),
        (37, "LeftShoulder", (7.768981, -9.070563, 58.137056)),
        (74, "LeftToeBase_end", (-12.30738, -11.37414, 1.707035)),
    ],
    "cmu_12_01_walk": [
        (0, "LHipJoint", (0.0265, 16.2134, -25.4911)),
        (0, "RThumb_end", (-11.94179, 19.303772, -25.49059)),
        (262, "Head_end", (-0.634152, 25.046343, 9.367611)),
        (523, "RThumb_end", (-4.243117, 11.976474, 44.033759)),
    ],
    "rotation_first_root": [
        (0, "Spine", (9.129637, 59.948294, -20.52336)),
        (0, "LeftLeg_end", (14.129059, 36.416564, -20.125009)),
        (2, "Head_end", (8.737347, 73.681525, -17.208513)),
        (3, "LeftLeg_end", (17.844731, 39.737129, -18.366517)),
    ],
}


class TestCorpus:
    @pytest.mark.parametrize("name", PYBVH)
    def test_positions_of_pybvh(self, corpus: Path, name: str) -> None:
        character = load_bvh(corpus / "bvh" / f"{name}.bvh")
        positions = model_positions(character)
        for frame, joint, expected in PYBVH[name]:
            found = positions[frame, character.nodes.names.index(joint)]
            np.testing.assert_allclose(found, expected, atol=POSITION_TOL)

    @pytest.mark.parametrize("name", PYBVH)
    def test_facts_of_the_manifest(self, corpus: Path, name: str) -> None:
        manifest = json.loads((corpus / "manifest.json").read_text())
        files = manifest["files"] if isinstance(manifest, dict) else manifest
        facts = next(entry for entry in files if entry["file"] == f"bvh/{name}.bvh")
        character = load_bvh(corpus / facts["file"])
        assert sum(not joint.endswith("_end") for joint in character.nodes.names) == facts["joints"]
        times = character.clips[0].tracks[0].times
        assert len(times) == facts["frames"]
        assert character.clips[0].duration == pytest.approx((facts["frames"] - 1) * facts["frame_time"])
        assert not character.warnings


class TestProperties:
    @given(st.lists(st.tuples(*[st.floats(-720, 720)] * 3), min_size=2, max_size=20))
    def test_quaternions_are_unit_and_continuous(self, frames: list[tuple[float, float, float]]) -> None:
        result = rotations(np.array(frames), [CHANNELS[b"zrotation"], CHANNELS[b"xrotation"], CHANNELS[b"yrotation"]])
        np.testing.assert_allclose(np.linalg.norm(result, axis=1), 1.0, rtol=1e-14)
        assert ((result[1:] * result[:-1]).sum(axis=1) >= 0.0).all()

    @settings(max_examples=200, deadline=None)
    @given(place=st.integers(0, len(ARM) - 1), length=st.integers(0, 30), noise=st.binary(max_size=8))
    def test_changed_text_loads_or_fails_clearly(
        self, tmp_path_factory: pytest.TempPathFactory, place: int, length: int, noise: bytes
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "changed.bvh"
        path.write_bytes(ARM[:place].encode() + noise + ARM[place + length :].encode())
        try:
            character = load_bvh(path)
        except AssetError:
            return
        assert all(np.isfinite(each.values).all() for clip in character.clips for each in clip.tracks)
