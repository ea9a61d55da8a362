"""Surfaces wrapped onto a distance field: stars, tubes and plates.

Every vertex is the point where a ray leaves the field, so a surface has the regular quads of a cube, a tube or a disc
and the shape of the field. A level of detail is nothing but a number of rays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.assets.mannequin.field import Field, cast_rays

REACH = 0.40
"""Length of all rays [m]: longer than any body part is thick."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Vertices and triangles.

    Attributes:
        points: Model space [m], float64 ``[vert, 3]``.
        triangles: int64 ``[tri, 3]``, counter-clockwise seen from outside.
        station: What weights depend on [m], float64 ``[vert]``: the way along a tube's axis, or the height.
    """

    points: np.ndarray
    triangles: np.ndarray
    station: np.ndarray


def join(surfaces: Sequence[Surface]) -> Surface:
    """Return one surface that holds several, without welding them."""
    starts = np.cumsum([0, *(len(surface.points) for surface in surfaces)])
    return Surface(
        np.concatenate([surface.points for surface in surfaces]),
        np.concatenate([surface.triangles + start for surface, start in zip(surfaces, starts, strict=False)]),
        np.concatenate([surface.station for surface in surfaces]),
    )


def mirrored(surface: Surface) -> Surface:
    """Return the surface mirrored from the left to the right side."""
    return Surface(surface.points * (-1.0, 1.0, 1.0), surface.triangles[:, ::-1], surface.station)


def star(
    field: Field, center: Sequence[float] | np.ndarray, count: int, spread: Sequence[float] = (1.0, 1.0, 1.0)
) -> Surface:
    """Wrap a cube of ``count`` by ``count`` quads a side onto a field that is star-shaped about a centre.

    Args:
        field: The shape.
        center: A point that sees all of the surface [m].
        count: Quads along an edge of the cube; there are ``6 count^2 + 2`` vertices.
        spread: Factors on the directions along x, y and z: the proportions of the shape.
    """
    lattice, quads = _cube(count)
    directions = np.tan(0.25 * np.pi * lattice) * spread
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    points = cast_rays(field, np.array(center), directions, REACH)
    return Surface(points, _split(quads), points[:, 1].copy())


def _cube(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices in [-1, 1] and the outward quads of a cube."""
    steps = np.arange(count + 1)
    row, col = (axis.ravel() for axis in np.meshgrid(steps, steps, indexing="ij"))
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    cell = np.stack(np.meshgrid(steps[:-1], steps[:-1], indexing="ij"), axis=-1).reshape(-1, 1, 2) + corners
    quads: list[np.ndarray] = []
    points: list[np.ndarray] = []
    for axis in range(3):
        for side in (0, count):
            grid = np.roll(np.stack([np.full_like(row, side), row, col], axis=-1), axis, axis=-1)
            points.append(grid)
            order = cell if side else cell[:, ::-1]
            quads.append(order[..., 0] * (count + 1) + order[..., 1] + (count + 1) ** 2 * len(quads))
    unique, index = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    return 2.0 * unique / count - 1.0, index.reshape(-1)[np.concatenate(quads)]


@dataclass(frozen=True, slots=True)
class Axis:
    """The middle line of a tube: points and the way along them.

    Attributes:
        points: float64 ``[point, 3]`` [m].
        side: Direction of the tube's first column, perpendicular to the axis within reason, float64 ``[3]``.
        flatness: Depth over width of the tube's section: spaces the columns evenly on flat sections.
    """

    points: np.ndarray
    side: np.ndarray
    flatness: float = 1.0

    @property
    def stations(self) -> np.ndarray:
        """Return the way along the axis at each point [m]."""
        steps = np.linalg.norm(np.diff(self.points, axis=0), axis=-1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def length(self) -> float:
        """Return the length of the axis [m]."""
        return float(self.stations[-1])

    def at(self, station: np.ndarray) -> np.ndarray:
        """Return the points at some ways along the axis, float64 ``[..., 3]`` [m]."""
        known = self.stations
        return np.stack([np.interp(station, known, self.points[:, axis]) for axis in range(3)], axis=-1)

    def tangents(self, station: np.ndarray, width: float = 0.03) -> np.ndarray:
        """Return unit tangents, averaged over ``width`` [m] so that rings turn smoothly at a joint."""
        low = np.clip(station - width, 0.0, self.length)
        high = np.clip(station + width, 0.0, self.length)
        step = self.at(high) - self.at(low)
        return np.asarray(step / np.linalg.norm(step, axis=-1, keepdims=True))


def tube(
    field: Field,
    axis: Axis,
    rings: np.ndarray,
    lift: np.ndarray | float = 0.0,
    domes: tuple[int, int] = (0, 0),
) -> Surface:
    """Wrap rings around an axis onto a field.

    Args:
        field: The shape.
        axis: The middle line, inside the shape.
        rings: Ways along the axis, float64 ``[ring, side]`` [m], increasing from ring to ring.
        lift: Height of each ring above the field [m].
        domes: Rings of the domes that close the start and the end; 0 leaves an end open.
    """
    rings = np.asarray(rings, np.float64)
    before = -90.0 + 90.0 * np.arange(domes[0] + 1) / (domes[0] + 1) if domes[0] else np.zeros(0)
    after = 90.0 * np.arange(1, domes[1] + 2) / (domes[1] + 1) if domes[1] else np.zeros(0)
    extra = (len(before), len(after))
    tilt = np.concatenate([before, np.zeros(len(rings)), after])
    station = np.pad(rings, (extra, (0, 0)), mode="edge")
    height = np.pad(np.broadcast_to(lift, len(rings)), extra, mode="edge")[:, None, None]
    origin, direction = _fan(axis, station, np.deg2rad(tilt)[:, None, None])
    points = cast_rays(field, origin, direction, REACH) + height * direction
    count, sides = station.shape
    triangles = _split(_grid_quads(count, sides, wrap=True))
    surface = Surface(points.reshape(-1, 3), triangles, station.ravel())
    return _with_poles(surface, [0] * bool(domes[0]) + [count - 1] * bool(domes[1]), sides)


def _fan(axis: Axis, station: np.ndarray, tilt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the origins and directions of a tube's rays, float64 ``[ring, side, 3]``."""
    tangent = axis.tangents(station)
    across = axis.side - np.sum(axis.side * tangent, axis=-1, keepdims=True) * tangent
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    angle = column_angles(station.shape[1])[:, None]
    flat = np.cos(angle) * across + axis.flatness * np.sin(angle) * np.cross(tangent, across)
    flat /= np.linalg.norm(flat, axis=-1, keepdims=True)
    return axis.at(station), np.cos(tilt) * flat + np.sin(tilt) * tangent


def column_angles(sides: int) -> np.ndarray:
    """Return the angles of a tube's columns, from ``Axis.side`` on [rad]."""
    return 2.0 * np.pi * np.arange(sides) / sides


def _with_poles(surface: Surface, rows: Sequence[int], sides: int) -> Surface:
    """Weld each of some rings, whose points coincide, to one vertex."""
    index = np.arange(len(surface.points))
    for row in rows:
        index[row * sides : (row + 1) * sides] = row * sides
    corners = index[surface.triangles]
    whole = np.all(corners != np.roll(corners, 1, axis=1), axis=1)
    used, triangles = np.unique(corners[whole], return_inverse=True)
    return Surface(surface.points[used], triangles.reshape(-1, 3), surface.station[used])


def plate(
    field: Field,
    center: Sequence[float],
    aim: tuple[float, float],
    extent: tuple[float, float],
    counts: tuple[int, int],
    lift: float,
    roundness: float = 0.6,
) -> Surface:
    """Lay a plate with rounded corners and a rim on a field.

    Args:
        field: The shape.
        center: Where the rays start [m].
        aim: Yaw and pitch of the plate's middle [deg]; yaw 0 looks along +z, 90 along +x.
        extent: Half of the plate's width and height [deg].
        counts: Quads across and up.
        lift: Height of the plate above the field [m].
        roundness: 0 for a rectangle, 1 for an ellipse.
    """
    across, up = np.meshgrid(*(np.linspace(-1.0, 1.0, count + 1) for count in counts), indexing="xy")
    yaw = np.deg2rad(aim[0] + extent[0] * across * np.sqrt(1.0 - 0.5 * roundness * up**2))
    pitch = np.deg2rad(aim[1] + extent[1] * up * np.sqrt(1.0 - 0.5 * roundness * across**2))
    direction = np.stack([np.sin(yaw) * np.cos(pitch), np.sin(pitch), np.cos(yaw) * np.cos(pitch)], axis=-1)
    base = cast_rays(field, np.array(center), direction, REACH)
    rows, cols = up.shape
    top = base + lift * direction
    loop = _border(rows, cols)
    rim = np.concatenate([top.reshape(-1, 3)[loop], (base - 0.004 * direction).reshape(-1, 3)[loop]])
    face = Surface(top.reshape(-1, 3), _split(_grid_quads(rows, cols)), top[..., 1].ravel())
    side = Surface(rim, _split(_grid_quads(2, len(loop), wrap=True)[:, ::-1]), rim[:, 1].copy())
    return join([face, side])


def _border(rows: int, cols: int) -> np.ndarray:
    """Return the indices of a grid's border, counter-clockwise from its first vertex."""
    index = np.arange(rows * cols).reshape(rows, cols)
    return np.concatenate([index[0, :-1], index[:-1, -1], index[-1, :0:-1], index[:0:-1, 0]])


def _grid_quads(rows: int, cols: int, wrap: bool = False) -> np.ndarray:
    """Return the quads of a grid of vertices, int64 ``[quad, 4]``; ``wrap`` joins the last column to the first."""
    index = np.arange(rows * cols).reshape(rows, cols)
    right = np.roll(index, -1, axis=1)
    corners = np.stack([index[:-1], right[:-1], right[1:], index[1:]], axis=-1)
    return corners.reshape(-1, 4) if wrap else corners[:, :-1].reshape(-1, 4)


def _split(quads: np.ndarray) -> np.ndarray:
    """Return two triangles for every quad."""
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def slab(outline: np.ndarray, center: np.ndarray, height: float) -> Surface:
    """Return a flat slab on the ground with sharp edges, open in the middle of its top.

    Args:
        outline: Upper edge [m], float64 ``[side, 3]``; only x and z are used.
        center: The middle of the faces [m]; only x and z are used.
        height: Height of the slab [m].
    """
    ground, up = np.array([1.0, 0.0, 1.0]), np.array([0.0, height, 0.0])
    edge = outline * ground
    middle = np.broadcast_to(np.array(center) * ground, edge.shape)
    inner = 0.6 * edge + 0.4 * middle
    strips = ((middle, edge), (edge, edge + up), (edge + up, inner + 0.5 * up))
    return join([_strip(*strip) for strip in strips])


def _strip(lower: np.ndarray, upper: np.ndarray) -> Surface:
    """Return the quads between two closed outlines; an outline that is one point becomes a pole."""
    sides = len(lower)
    points = np.concatenate([lower, upper])
    surface = Surface(points, _split(_grid_quads(2, sides, wrap=True)), points[:, 1].copy())
    poles = [row for row, outline in enumerate((lower, upper)) if np.ptp(outline, axis=0).max() == 0.0]
    return _with_poles(surface, poles, sides)
