"""Pictures of crowds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from skelter.core.arrays import Picture
from skelter.core.errors import ArgumentError
from skelter.rendering.adapter import require_adapter
from skelter.rendering.bounds import crowd_boxes, ground_height
from skelter.rendering.camera import Camera, frame_camera
from skelter.rendering.color import linear_from_srgb, srgb_from_linear
from skelter.rendering.scene import Batch
from skelter.rendering.stage import frame_record

if TYPE_CHECKING:
    from types import TracebackType

SIDE_LIMIT = 8192
Background = tuple[float, float, float] | tuple[float, float, float, float]


def render(
    batches: Sequence[Batch] | Batch,
    *,
    width: int = 1280,
    height: int = 720,
    camera: Camera | None = None,
    samples: int = 4,
    background: Background | None = None,
    ground: bool = True,
    tint_all: bool = False,
) -> Picture:
    """Draw one picture of a crowd. For a film, keep a `Renderer`: it does not upload the meshes again.

    Materials with alpha mode ``BLEND`` cover a share of the samples of each pixel, so nothing has to be sorted; with
    one sample they become a pattern of dots. Back faces are drawn if the material is double sided.

    Args:
        batches: The characters.
        width: Width of the picture [pixels], at most 8192.
        height: Height of the picture [pixels], at most 8192.
        camera: None for one that sees the whole crowd.
        samples: Samples a pixel against jagged edges, 1 or 4.
        background: sRGB, or sRGB and alpha, in [0, 1]; None for the studio's backdrop.
        ground: Draw a floor that catches shadows.
        tint_all: Multiply the base colour of all other materials by the tint, too.

    Returns:
        sRGB and alpha (not premultiplied), uint8 ``[row, col, 4]``, first row on top.
    """
    options = {"samples": samples, "background": background, "ground": ground, "tint_all": tint_all}
    with Renderer(width=width, height=height, **options) as renderer:  # type: ignore[arg-type]
        return renderer.draw(batches, camera)


class Renderer:
    """Draws pictures of one size and keeps the device, the pipelines and the meshes in between.

    The arguments are those of `render`. Use it in a ``with`` statement.
    """

    def __init__(
        self,
        *,
        width: int = 1280,
        height: int = 720,
        samples: int = 4,
        background: Background | None = None,
        ground: bool = True,
        tint_all: bool = False,
    ) -> None:
        _check_size(width, height, samples)
        _check_background(background)
        require_adapter()
        from skelter.rendering.wgpu_renderer import WgpuRenderer

        self._size = (width, height)
        self._background = background
        self._renderer = WgpuRenderer(width, height, samples, ground, tint_all)

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back the memory of the graphics device."""
        self._renderer.close()

    def draw(self, batches: Sequence[Batch] | Batch, camera: Camera | None = None) -> Picture:
        """Draw a picture.

        Args:
            batches: The characters. A rig that was drawn before is not uploaded again.
            camera: None for one that sees the whole crowd. A film wants one camera for all its pictures.

        Returns:
            sRGB and alpha (not premultiplied), uint8 ``[row, col, 4]``, first row on top.
        """
        crowd = [batches] if isinstance(batches, Batch) else batches
        if not isinstance(crowd, Sequence) or not all(isinstance(batch, Batch) for batch in crowd):
            raise ArgumentError(f"batches: expected a Batch or a list of them, got {type(batches).__name__}")
        boxes = crowd_boxes(crowd)
        origins = np.concatenate([np.zeros(0), *(batch.placements()[:, 1, 3] for batch in crowd)])
        view = camera or frame_camera(crowd, self._size[0] / self._size[1])
        frame = frame_record(boxes, ground_height(boxes, origins), view, self._size, self._background)
        picture = self._renderer.draw(crowd, frame)
        opaque = self._background is None or len(self._background) == 3
        return picture if opaque else _straight_alpha(picture)


def _check_size(width: int, height: int, samples: int) -> None:
    for name, side in (("width", width), ("height", height)):
        if not 1 <= side <= SIDE_LIMIT:
            raise ArgumentError(f"{name}: expected 1 to {SIDE_LIMIT} pixels, got {side}")
    if samples not in (1, 4):
        raise ArgumentError(f"samples: expected 1 or 4, got {samples}")


def _check_background(background: Background | None) -> None:
    if background is None:
        return
    if len(background) not in (3, 4) or not all(0.0 <= value <= 1.0 for value in background):
        raise ArgumentError(f"background: expected 3 or 4 values in [0, 1], got {background}")


def _straight_alpha(picture: Picture) -> Picture:
    """Undo the multiplication of linear colours by alpha."""
    alpha = picture[..., 3:] / 255.0
    linear = linear_from_srgb(picture[..., :3] / 255.0) / np.maximum(alpha, 1.0 / 255.0)
    color = srgb_from_linear(np.clip(linear, 0.0, 1.0)) * 255.0
    return np.concatenate([np.rint(color).astype(np.uint8), picture[..., 3:]], axis=2)
