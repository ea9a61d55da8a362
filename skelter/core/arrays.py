"""The layout file: names of array types, and the 16-lane pose layout that all engines share.

A joint-local pose is stored in blocks of 16 joints, ``[block][channel 10][lane 16]`` float32, with the channels
``qx qy qz qw tx ty tz sx sy sz``. Joint ``j`` lives in block ``j // 16``, lane ``j % 16``. Every inner loop of a
kernel then runs over 16 lanes at constant offsets in one buffer, which is what LLVM turns into vector code.
Lanes past the last joint hold the identity.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float32, Float64, Int32, UInt8, UInt32

LANE_COUNT = 16
CHANNEL_COUNT = 10
BLOCK_SIZE = LANE_COUNT * CHANNEL_COUNT
AFFINE = 12
"""Floats of a 3x4 matrix, row by row."""
IDENTITY_CHANNELS = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
HOLD_FRACTION = 0.9999
"""A lane that holds its frame (STEP) does so up to this fraction of the way to the next one: key times are rounded."""

# Packed, float32: what the engines read and write.
LocalPose = Float32[np.ndarray, "char block channel=10 lane=16"]
RestPose = Float32[np.ndarray, "block channel=10 lane=16"]
Affine = Float32[np.ndarray, "char joint row=3 col=4"]
SkinMatrices = Float32[np.ndarray, "char palette row=3 col=4"]
MorphWeights = Float32[np.ndarray, "char morph"]
Vertices = Float32[np.ndarray, "char vert xyz=3"]
JointParents = Int32[np.ndarray, " joint"]
JointIndices = Int32[np.ndarray, " palette"]
ClipIndices = Int32[np.ndarray, " char"]
Times = Float64[np.ndarray, " char"]

# Raw, float64: what files hold and the reference engine evaluates.
Translations = Float64[np.ndarray, "node xyz=3"]
Rotations = Float64[np.ndarray, "node xyzw=4"]
Scales = Float64[np.ndarray, "node xyz=3"]
Matrices = Float64[np.ndarray, "node row=4 col=4"]
NodeParents = Int32[np.ndarray, " node"]
KeyTimes = Float64[np.ndarray, " key"]
KeyValues = Float64[np.ndarray, "key *value"]

# Maths over any leading axes, float64.
Vec3 = Float64[np.ndarray, "*batch 3"]
Quat = Float64[np.ndarray, "*batch 4"]
Mat3 = Float64[np.ndarray, "*batch 3 3"]
Mat4 = Float64[np.ndarray, "*batch 4 4"]
Fractions = Float64[np.ndarray, "*batch"]

# Meshes.
VertexVectors = Float32[np.ndarray, "vert xyz=3"]
VertexCoords = Float32[np.ndarray, "vert uv=2"]
VertexColors = Float32[np.ndarray, "vert rgba=4"]
VertexJoints = Int32[np.ndarray, "vert influence"]
VertexWeights = Float32[np.ndarray, "vert influence"]
Triangles = UInt32[np.ndarray, "tri corner=3"]
MorphDeltas = Float32[np.ndarray, "target vert xyz=3"]
Picture = UInt8[np.ndarray, "row col rgba=4"]


def block_count(joint_count: int) -> int:
    """Return how many blocks of 16 lanes hold ``joint_count`` joints."""
    return -(-joint_count // LANE_COUNT)


def pack_pose(
    rotation: Float64[np.ndarray, "*batch joint 4"],
    translation: Float64[np.ndarray, "*batch joint 3"],
    scale: Float64[np.ndarray, "*batch joint 3"],
) -> Float32[np.ndarray, "*batch block 10 16"]:
    """Pack joint transforms into the 16-lane layout.

    Args:
        rotation: Unit quaternions xyzw, shape ``[..., joint, 4]``.
        translation: Translations [m], shape ``[..., joint, 3]``.
        scale: Scales [1], shape ``[..., joint, 3]``.

    Returns:
        float32 ``[..., block, 10, 16]``; spare lanes hold the identity.
    """
    *batch, joint_count, _ = rotation.shape
    blocks = block_count(joint_count)
    flat = np.empty((*batch, blocks * LANE_COUNT, CHANNEL_COUNT), np.float32)
    flat[..., joint_count:, :] = IDENTITY_CHANNELS
    flat[..., :joint_count, 0:4] = rotation
    flat[..., :joint_count, 4:7] = translation
    flat[..., :joint_count, 7:10] = scale
    lanes = flat.reshape(*batch, blocks, LANE_COUNT, CHANNEL_COUNT)
    return np.ascontiguousarray(np.swapaxes(lanes, -1, -2))


def unpack_pose(
    local: Float32[np.ndarray, "*batch block 10 16"], joint_count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unpack a 16-lane pose into one row per joint.

    Args:
        local: Packed pose, float32 ``[..., block, 10, 16]``.
        joint_count: Number of joints; spare lanes are dropped.

    Returns:
        ``(rotation xyzw [..., joint, 4], translation [m] [..., joint, 3], scale [..., joint, 3])``, float32.
    """
    *batch, blocks, _, _ = local.shape
    flat = np.swapaxes(local, -1, -2).reshape(*batch, blocks * LANE_COUNT, CHANNEL_COUNT)[..., :joint_count, :]
    return flat[..., 0:4].copy(), flat[..., 4:7].copy(), flat[..., 7:10].copy()
