"""The mannequin's clips, measured with a forward kinematics of the test's own."""

import numpy as np
import pytest

from skelter.assets.character import Additive
from skelter.assets.mannequin import VELOCITIES, mannequin

SLIDE_TOL_M = 0.001
LIFT_TOL_M = 0.002
DEPTH_TOL_M = 0.005
LOOP_TOL_M = 1e-7
WALKS = tuple(name for name in VELOCITIES if name != "run")
LOOPS = ("idle", "wave", "run", "look_around", *WALKS)
PUSHES = {"front": (0, -1), "back": (0, 1), "left": (-1, 0), "right": (1, 0)}
HITS = tuple(f"hit_{side}" for side in PUSHES)

RUNNING = ((0.0, 0.15), (0.05, 1 / 3))
AHEAD = ((0.0, 0.32), (0.10, 0.625))
BACKWARDS = ((0.305, 0.625), (0.0, 0.525))
SIDEWAYS = ((0.08, 0.42), (0.0, 0.625))
PLANTED = {
    "run": RUNNING,
    "walk": AHEAD,
    "walk_front_left": AHEAD,
    "walk_left": SIDEWAYS,
    "walk_back_left": BACKWARDS,
    "walk_back": BACKWARDS,
    "walk_back_right": BACKWARDS,
    "walk_right": SIDEWAYS,
    "walk_front_right": AHEAD,
}
"""Phases from and to which the left heel, and the joint of the left toes, stay where they are on the ground."""

CHARACTER = mannequin(0)
CLIPS = {clip.name: clip for clip in CHARACTER.clips}
NAMES = CHARACTER.nodes.names


STRONGEST = np.concatenate([primitive.joints[:, 0] for primitive in CHARACTER.meshes[0].primitives])


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
    assert set(CLIPS) == {"idle", "jump", "wave", "look_around", *VELOCITIES, *HITS}
    assert len(CLIPS) == len(CHARACTER.clips)


def test_durations_are_those_of_people():
    assert 4.0 <= CLIPS["idle"].duration <= 6.0
    assert 1.0 <= CLIPS["walk"].duration <= 1.1
    assert CLIPS["run"].duration == pytest.approx(0.7)
    assert 1.0 <= CLIPS["jump"].duration <= 1.8
    assert {CLIPS[name].duration for name in WALKS} == {CLIPS["walk"].duration}
    assert {CLIPS[name].duration for name in HITS} == {0.8}


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


@pytest.mark.parametrize("name", ["jump", *HITS])
def test_what_does_not_loop_ends_where_it_starts(name):
    _, first = model_from_joint(CLIPS[name], 0.0)
    _, last = model_from_joint(CLIPS[name], CLIPS[name].duration)
    np.testing.assert_allclose(first, last, atol=LOOP_TOL_M)


@pytest.mark.parametrize("name", HITS)
def test_hits_start_in_the_idle_pose(name):
    turns, places = model_from_joint(CLIPS[name], 0.0)
    idle_turns, idle_places = model_from_joint(CLIPS["idle"], 0.0)
    np.testing.assert_allclose(turns, idle_turns, atol=1e-9)
    np.testing.assert_allclose(places, idle_places, atol=1e-9)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_keep_their_speed_at_the_seam(name):
    clip = CLIPS[name]
    step = min(track.times[1] for track in clip.tracks)
    before, seam, after = (model_from_joint(clip, time)[1] for time in (clip.duration - step, 0.0, step))
    turn = np.linalg.norm((after - seam) - (seam - before), axis=1) / step**2
    inside = [model_from_joint(clip, time)[1] for time in np.arange(0.0, clip.duration - 0.5 * step, step)]
    bend = np.linalg.norm(np.diff(inside, n=2, axis=0), axis=2) / step**2
    assert np.all(turn <= 1.5 * bend.max(axis=0) + 0.5)


@pytest.mark.parametrize("name", sorted(CLIPS))
def test_feet_do_not_sink_into_the_ground(name):
    clip = CLIPS[name]
    assert min(skinned(clip, time)[:, 1].min() for time in times_of(clip, 49)) > -DEPTH_TOL_M


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize(("side", "lag"), [("Left", 0.0), ("Right", 0.5)])
def test_planted_feet_move_with_the_ground(name, side, lag):
    clip, (heel, toes) = CLIPS[name], PLANTED[name]
    for joint, offset, window in (
        (f"{side}Foot", (0.0, -0.085, -0.0495), heel),
        (f"{side}Toes", (0.0, -0.022, 0.0), toes),
    ):
        phase = np.linspace(*window, 40)
        way = path_of(clip, joint, offset, (phase + lag) % 1.0 * clip.duration)
        way[:, [0, 2]] += clip.duration * phase[:, None] * VELOCITIES[name]
        assert np.ptp(way[:, [0, 2]], axis=0).max() < SLIDE_TOL_M
        assert np.abs(way[:, 1]).max() < LIFT_TOL_M


@pytest.mark.parametrize("name", ["idle", "wave", *HITS])
@pytest.mark.parametrize("joint", ["LeftFoot", "RightFoot", "LeftToes", "RightToes"])
def test_standing_feet_stand_still(name, joint):
    way = path_of(CLIPS[name], joint, (0.0, 0.0, 0.0), times_of(CLIPS[name]))
    assert np.ptp(way, axis=0).max() < SLIDE_TOL_M


def test_the_run_has_two_flights_and_walks_have_none():
    lowest = {
        name: np.array([skinned(CLIPS[name], time)[:, 1].min() for time in times_of(CLIPS[name], 49)])
        for name in VELOCITIES
    }
    assert max(lowest[name].max() for name in WALKS) < DEPTH_TOL_M
    flying = lowest["run"] > 0.02
    assert np.sum(np.diff(flying.astype(int)) == 1) == 2 - flying[0]


def test_the_jump_leaves_the_ground():
    lowest = [skinned(CLIPS["jump"], time)[:, 1].min() for time in times_of(CLIPS["jump"], 49)]
    assert 0.2 < max(lowest) < 0.4


@pytest.mark.parametrize("name", sorted(CLIPS.keys() - {"look_around"}))
def test_knees_bend_backwards_and_never_lock(name):
    clip = CLIPS[name]
    for side in ("Left", "Right"):
        bends = knee_bends(clip, side)
        assert bends.min() > 0.0
        assert bends.max() < 135.0


def test_elbows_bend_forwards():
    for name in CLIPS.keys() - {"look_around"}:
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            track = next(track for track in CLIPS[name].tracks if NAMES[track.node] == f"{side}LowerArm")
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


def test_left_and_right_mirror_each_other():
    """The way of a joint to one side is that of its twin to the other side, half a cycle later where feet step."""
    for left in ("walk_left", "walk_front_left", "walk_back_left"):
        clip, twin = CLIPS[left], CLIPS[left.replace("left", "right")]
        times = times_of(clip, 16)[:-1]
        for joint in ("Hips", "Head", "LeftHand", "LeftFoot"):
            way = path_of(clip, joint, (0.0, 0.0, 0.0), times)
            later = (times + 0.5 * clip.duration) % clip.duration
            other = path_of(twin, joint.replace("Left", "Right"), (0.0, 0.0, 0.0), later)
            np.testing.assert_allclose(way * (-1, 1, 1), other, atol=0.001)


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize(("side", "touch"), [("Left", 0.0), ("Right", 0.5)])
def test_walks_plant_and_lift_a_foot_in_step(name, side, touch):
    """A foot is planted from its touch-down to 0.625 of the cycle later in all of them: they can be blended in step."""
    clip, foot = CLIPS[name], [NAMES.index(f"{side}{joint}") for joint in ("Foot", "Toes")]
    sole = np.isin(STRONGEST, foot)
    phases = (touch + np.array([0.01, 0.2, 0.4, 0.61, 0.8])) % 1.0
    *planted, swinging = (skinned(clip, phase * clip.duration)[sole, 1].min() for phase in phases)
    assert np.abs(planted).max() < LIFT_TOL_M
    assert swinging > 5 * LIFT_TOL_M


def test_steps_are_events_where_feet_touch_the_ground():
    for name in VELOCITIES:
        left, right = CLIPS[name].events
        assert (left.time, left.name, left.payload) == (0.0, "step", {"foot": "left"})
        assert (right.time, right.name, right.payload) == (0.5 * CLIPS[name].duration, "step", {"foot": "right"})


def test_the_jump_lands_where_its_event_says():
    (land,) = CLIPS["jump"].events
    assert land.name == "land"
    before, after = (skinned(CLIPS["jump"], land.time + delay)[:, 1].min() for delay in (-0.02, 0.02))
    assert before > 0.02
    assert after < DEPTH_TOL_M


def test_only_steps_and_the_landing_are_events():
    assert {name for name, clip in CLIPS.items() if clip.events} == {"jump", *VELOCITIES}


def test_the_look_around_is_additive_and_moves_trunk_and_head_only():
    assert {name for name, clip in CLIPS.items() if clip.additive is not None} == {"look_around"}
    clip = CLIPS["look_around"]
    assert clip.additive == Additive("first_frame")
    assert {NAMES[track.node] for track in clip.tracks} == {"Spine", "Chest", "UpperChest", "Neck", "Head"}
    assert all(track.path == "rotation" for track in clip.tracks)
    assert all(np.array_equal(track.values[0], (0.0, 0.0, 0.0, 1.0)) for track in clip.tracks)


def test_the_look_around_looks_to_both_sides():
    head = NAMES.index("Head")
    turns = np.array([model_from_joint(CLIPS["look_around"], time)[0][head] for time in times_of(CLIPS["look_around"])])
    yaw = np.rad2deg(np.arctan2(turns[:, 0, 2], turns[:, 2, 2]))
    assert 50.0 < yaw.max() < 75.0
    assert -75.0 < yaw.min() < -50.0
    assert yaw.argmax() < yaw.argmin()


@pytest.mark.parametrize("side", PUSHES)
def test_a_hit_pushes_the_body_away_from_its_side(side):
    clip = CLIPS[f"hit_{side}"]
    for joint, reach in (("Hips", 0.05), ("Head", 0.12)):
        way = path_of(clip, joint, (0.0, 0.0, 0.0), times_of(clip))[:, [0, 2]]
        x, z = (way - way[0]).T
        away, across = PUSHES[side][0] * x + PUSHES[side][1] * z, PUSHES[side][1] * x - PUSHES[side][0] * z
        assert away.max() > reach
        assert away.min() > -0.5 * reach
        assert np.abs(across).max() < 0.2 * away.max()


def test_all_levels_of_detail_have_the_same_clips():
    for other in (mannequin(1), mannequin(2)):
        assert other.clip_names == CHARACTER.clip_names
        assert all(
            np.array_equal(one.values, two.values)
            for first, second in zip(CHARACTER.clips, other.clips, strict=True)
            for one, two in zip(first.tracks, second.tracks, strict=True)
        )
