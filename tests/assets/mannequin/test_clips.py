"""The mannequin's clips, measured with a forward kinematics of the test's own."""

import numpy as np
import pytest

from skelter.assets.mannequin import RUN_SPEED, WALK_SPEED, mannequin

SLIDE_TOL_M = 0.001
LIFT_TOL_M = 0.002
DEPTH_TOL_M = 0.005
LOOP_TOL_M = 1e-7
LOOPS = ("idle", "walk", "run", "wave")

CHARACTER = mannequin(0)
CLIPS = {clip.name: clip for clip in CHARACTER.clips}
NAMES = CHARACTER.nodes.names


def keyed(track, time):
    """Interpolate a LINEAR track; rotations along the shorter arc, which at this key rate nlerp follows to 1e-6."""
    right = int(np.clip(np.searchsorted(track.times, time, side="right"), 1, len(track.times) - 1))
    start, end = track.times[right - 1], track.times[right]
    share = np.clip((time - start) / (end - start), 0.0, 1.0)
    value = (1.0 - share) * track.values[right - 1] + share * track.values[right]
    return value / np.linalg.norm(value) if track.path == "rotation" else value


def matrix(quaternion):
    x, y, z, w = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def model_from_joint(clip, time):
    """Return a rotation and a position per node."""
    nodes = CHARACTER.nodes
    rotation, translation = [np.eye(3)] * len(nodes), nodes.translation.copy()
    for track in clip.tracks:
        if track.path == "rotation":
            rotation[track.node] = matrix(keyed(track, time))
        else:
            translation[track.node] = keyed(track, time)
    turns, places = [], []
    for node, parent in enumerate(nodes.parent):
        turn, place = (turns[parent], places[parent]) if parent >= 0 else (np.eye(3), np.zeros(3))
        turns.append(turn @ rotation[node])
        places.append(place + turn @ translation[node])
    return np.array(turns), np.array(places)


def skinned(clip, time):
    turns, places = model_from_joint(clip, time)
    places = places + np.einsum("jrc,jc->jr", turns, CHARACTER.skins[0].joint_from_bind[:, :3, 3])
    points = []
    for primitive in CHARACTER.meshes[0].primitives:
        moved = np.einsum("virc,vc->vir", turns[primitive.joints], primitive.positions) + places[primitive.joints]
        points.append(np.einsum("vi,vir->vr", primitive.weights, moved))
    return np.concatenate(points)


def times_of(clip, count=97):
    return np.linspace(0.0, clip.duration, count)


def path_of(clip, joint, offset, times):
    """Return the way of a point that is fixed to a joint, ``[time, 3]`` [m]."""
    node = NAMES.index(joint)
    poses = [model_from_joint(clip, time) for time in times]
    return np.array([places[node] + turns[node] @ np.array(offset) for turns, places in poses])


def knee_bends(clip, side):
    """Return the bend of a knee [deg]; positive brings the heel to the seat."""
    upper, lower = NAMES.index(f"{side}UpperLeg"), NAMES.index(f"{side}LowerLeg")
    bends = []
    for time in times_of(clip):
        turns, _ = model_from_joint(clip, time)
        bend = turns[upper].T @ turns[lower]
        bends.append(np.rad2deg(np.arctan2(bend[2, 1], bend[1, 1])))
    return np.array(bends)


@pytest.fixture(params=sorted(CLIPS))
def clip(request):
    return CLIPS[request.param]


def test_the_promised_clips_are_there():
    assert [clip.name for clip in CHARACTER.clips][:5] == ["idle", "walk", "run", "jump", "wave"]


def test_durations_are_those_of_people():
    assert 4.0 <= CLIPS["idle"].duration <= 6.0
    assert 1.0 <= CLIPS["walk"].duration <= 1.1
    assert CLIPS["run"].duration == pytest.approx(0.7)
    assert 1.0 <= CLIPS["jump"].duration <= 1.8


def test_every_track_is_well_formed(clip):
    assert len({(track.node, track.path) for track in clip.tracks}) == len(clip.tracks)
    for track in clip.tracks:
        assert track.interpolation == "LINEAR"
        assert track.times[0] == 0.0
        assert track.times[-1] == clip.duration
        assert np.all(np.diff(track.times) > 0.0)
        assert track.values.shape == (len(track.times), 4 if track.path == "rotation" else 3)
        assert track.path == "rotation" or NAMES[track.node] == "Hips"


def test_rotations_are_unit_quaternions_without_jumps(clip):
    for track in clip.tracks:
        if track.path == "rotation":
            np.testing.assert_allclose(np.linalg.norm(track.values, axis=1), 1.0, atol=1e-12)
            assert np.sum(track.values[1:] * track.values[:-1], axis=1).min() > 0.95, NAMES[track.node]


@pytest.mark.parametrize("name", LOOPS)
def test_loops_close(name):
    for track in CLIPS[name].tracks:
        np.testing.assert_array_equal(track.values[0], track.values[-1])


def test_the_jump_ends_where_it_starts():
    _, first = model_from_joint(CLIPS["jump"], 0.0)
    _, last = model_from_joint(CLIPS["jump"], CLIPS["jump"].duration)
    np.testing.assert_allclose(first, last, atol=LOOP_TOL_M)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_keep_their_speed_at_the_seam(name):
    clip = CLIPS[name]
    step = next(track.times[1] for track in clip.tracks if track.path == "translation")
    before, seam, after = (model_from_joint(clip, time)[1] for time in (clip.duration - step, 0.0, step))
    turn = np.linalg.norm((after - seam) - (seam - before), axis=1) / step**2
    inside = [model_from_joint(clip, time)[1] for time in np.arange(0.0, clip.duration - 0.5 * step, step)]
    bend = np.linalg.norm(np.diff(inside, n=2, axis=0), axis=2) / step**2
    assert np.all(turn <= 1.5 * bend.max(axis=0) + 0.5)


@pytest.mark.parametrize("name", sorted(CLIPS))
def test_feet_do_not_sink_into_the_ground(name):
    clip = CLIPS[name]
    assert min(skinned(clip, time)[:, 1].min() for time in times_of(clip, 49)) > -DEPTH_TOL_M


@pytest.mark.parametrize(
    ("name", "speed", "heel_until", "toes_from", "toes_until"),
    [("walk", WALK_SPEED, 0.32, 0.10, 0.625), ("run", RUN_SPEED, 0.15, 0.05, 1 / 3)],
)
@pytest.mark.parametrize(("side", "lag"), [("Left", 0.0), ("Right", 0.5)])
def test_planted_feet_move_with_the_ground(name, speed, heel_until, toes_from, toes_until, side, lag):
    clip = CLIPS[name]
    for joint, offset, start, end in (
        (f"{side}Foot", (0.0, -0.085, -0.0495), 0.0, heel_until),
        (f"{side}Toes", (0.0, -0.022, 0.0), toes_from, toes_until),
    ):
        phase = np.linspace(start, end, 40)
        way = path_of(clip, joint, offset, (phase + lag) % 1.0 * clip.duration)
        way[:, 2] += speed * clip.duration * phase
        assert np.ptp(way[:, [0, 2]], axis=0).max() < SLIDE_TOL_M
        assert np.abs(way[:, 1]).max() < LIFT_TOL_M


@pytest.mark.parametrize("name", ["idle", "wave"])
@pytest.mark.parametrize("joint", ["LeftFoot", "RightFoot", "LeftToes", "RightToes"])
def test_standing_feet_stand_still(name, joint):
    way = path_of(CLIPS[name], joint, (0.0, 0.0, 0.0), times_of(CLIPS[name]))
    assert np.ptp(way, axis=0).max() < SLIDE_TOL_M


def test_the_run_has_two_flights_and_the_walk_none():
    lowest = {
        name: np.array([skinned(CLIPS[name], time)[:, 1].min() for time in times_of(CLIPS[name], 49)])
        for name in ("walk", "run")
    }
    assert lowest["walk"].max() < DEPTH_TOL_M
    flying = lowest["run"] > 0.02
    assert np.sum(np.diff(flying.astype(int)) == 1) == 2 - flying[0]


def test_the_jump_leaves_the_ground():
    lowest = [skinned(CLIPS["jump"], time)[:, 1].min() for time in times_of(CLIPS["jump"], 49)]
    assert 0.2 < max(lowest) < 0.4


def test_knees_bend_backwards_and_never_lock(clip):
    for side in ("Left", "Right"):
        bends = knee_bends(clip, side)
        assert bends.min() > 0.0
        assert bends.max() < 135.0


def test_elbows_bend_forwards():
    for clip in CHARACTER.clips:
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            track = next(track for track in clip.tracks if NAMES[track.node] == f"{side}LowerArm")
            hinge = np.array([-np.sqrt(0.5), sign * -np.sqrt(0.5), 0.0])
            assert np.all(track.values[:, :3] @ hinge > 0.0)


def test_arms_swing_against_the_legs():
    for name in ("walk", "run"):
        times = times_of(CLIPS[name])
        hand, foot = (path_of(CLIPS[name], joint, (0, 0, 0), times)[:, 2] for joint in ("LeftHand", "LeftFoot"))
        assert np.corrcoef(hand, foot)[0, 1] < -0.7


def test_the_head_is_steadier_than_the_hips():
    for name in ("walk", "run"):
        poses = [model_from_joint(CLIPS[name], time)[0] for time in times_of(CLIPS[name], 25)]
        yaw = {
            joint: np.ptp(
                [np.arctan2(turns[NAMES.index(joint)][0, 2], turns[NAMES.index(joint)][2, 2]) for turns in poses]
            )
            for joint in ("Hips", "Head")
        }
        assert yaw["Head"] < 0.5 * yaw["Hips"]


def test_the_right_hand_waves_above_the_head():
    way = path_of(CLIPS["wave"], "RightHand", (0.0, 0.0, 0.0), times_of(CLIPS["wave"]))
    assert way[:, 1].max() > 1.6
    up = way[way[:, 1] > 1.5]
    assert np.sum(np.diff(np.sign(np.diff(up[:, 0]))) != 0) >= 3


def test_all_levels_of_detail_have_the_same_clips():
    for other in (mannequin(1), mannequin(2)):
        assert other.clip_names == CHARACTER.clip_names
        assert all(
            np.array_equal(one.values, two.values)
            for first, second in zip(CHARACTER.clips, other.clips, strict=True)
            for one, two in zip(first.tracks, second.tracks, strict=True)
        )
