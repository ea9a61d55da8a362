"""The passes of a picture: key light's map, floor's map, then backdrop, characters and floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import wgpu

from skelter.core.arrays import Picture
from skelter.rendering.scene import Batch
from skelter.rendering.stage import FLOOR_MAP_SIDE, KEY_MAP_SIDE
from skelter.rendering.wgpu_device import open_device, uniform_buffer
from skelter.rendering.wgpu_pipelines import ALPHA_MODES, COLOR_FORMAT, DEPTH_FORMAT, make_layouts, make_pipelines
from skelter.rendering.wgpu_rig import CharacterRange, Run, UploadedRig, bind, upload_characters, upload_rig
from skelter.rig.rig import Rig


class WgpuRenderer:
    """Draws pictures of one size; keeps the device, the pipelines and every rig that it has drawn."""

    def __init__(self, width: int, height: int, samples: int, ground: bool, tint_all: bool) -> None:
        self._size = (width, height)
        self._ground = ground
        self._tint_all = tint_all
        self._device = open_device()
        self._layouts = make_layouts(self._device)
        self._pipelines = make_pipelines(self._device, self._layouts, samples)
        self._rigs: dict[int, UploadedRig] = {}
        self._key_map = self._target((KEY_MAP_SIDE, KEY_MAP_SIDE), DEPTH_FORMAT, 1, readable=True)
        self._floor_map = self._target((FLOOR_MAP_SIDE, FLOOR_MAP_SIDE), DEPTH_FORMAT, 1, readable=True)
        self._depth = self._target(self._size, DEPTH_FORMAT, samples)
        self._samples = self._target(self._size, COLOR_FORMAT, samples) if samples > 1 else None
        self._picture = self._target(self._size, COLOR_FORMAT, 1, readable=True)
        self._depth_sampler = self._device.create_sampler(compare="less", mag_filter="linear", min_filter="linear")

    def close(self) -> None:
        """Give everything back."""
        self._rigs.clear()
        self._device.destroy()

    def draw(self, batches: Sequence[Batch], frame: np.ndarray) -> Picture:
        """Draw a picture.

        Args:
            batches: What to draw.
            frame: FRAME record of the picture (`stage.frame_record`).
        """
        ranges = [part for batch in batches for part in self._upload(batch)]
        encoder = self._device.create_command_encoder()
        self._draw_depth(encoder, ranges, frame, "key_from_world", self._key_map)
        if self._ground:
            self._draw_depth(encoder, ranges, frame, "floor_from_world", self._floor_map)
        self._draw_picture(encoder, ranges, frame)
        self._device.queue.submit([encoder.finish()])
        return self._read()

    def _target(self, size: tuple[int, int], pixel_format: str, samples: int, readable: bool = False) -> Any:
        usage = wgpu.TextureUsage.RENDER_ATTACHMENT
        if readable:
            usage |= wgpu.TextureUsage.TEXTURE_BINDING | wgpu.TextureUsage.COPY_SRC
        return self._device.create_texture(size=(*size, 1), format=pixel_format, sample_count=samples, usage=usage)

    def _upload(self, batch: Batch) -> list[CharacterRange]:
        rig = self._upload_rig(batch.rig)
        return upload_characters(self._device, self._layouts, rig, batch)

    def _upload_rig(self, rig: Rig) -> UploadedRig:
        if id(rig) not in self._rigs:
            self._rigs[id(rig)] = upload_rig(self._device, self._layouts, rig, self._tint_all)
        return self._rigs[id(rig)]

    def _draw_depth(
        self, encoder: Any, ranges: list[CharacterRange], frame: np.ndarray, matrix: str, target: Any
    ) -> None:
        """Fill a depth map from the direction that a matrix of the frame gives."""
        record = frame.copy()
        record["clip_from_world"] = frame[matrix]
        group = bind(self._device, self._layouts.depth_pass, [{"buffer": uniform_buffer(self._device, record)}])
        attachment = _depth_attachment(target, keep=True)
        render_pass = encoder.begin_render_pass(color_attachments=[], depth_stencil_attachment=attachment)
        render_pass.set_bind_group(0, group)
        _draw_depths(render_pass, ranges, self._pipelines.depth)
        render_pass.end()

    def _draw_picture(self, encoder: Any, ranges: list[CharacterRange], frame: np.ndarray) -> None:
        render_pass = encoder.begin_render_pass(
            color_attachments=[self._color_attachment()],
            depth_stencil_attachment=_depth_attachment(self._depth, keep=False),
        )
        render_pass.set_bind_group(0, self._camera_group(frame))
        render_pass.set_pipeline(self._pipelines.backdrop)
        render_pass.draw(3)
        _draw_characters(render_pass, ranges, self._pipelines.character)
        if self._ground:
            render_pass.set_pipeline(self._pipelines.floor)
            render_pass.draw(4)
        render_pass.end()

    def _camera_group(self, frame: np.ndarray) -> Any:
        maps = [self._key_map.create_view(), self._floor_map.create_view()]
        buffer = {"buffer": uniform_buffer(self._device, frame)}
        return bind(self._device, self._layouts.camera_pass, [buffer, *maps, self._depth_sampler])

    def _color_attachment(self) -> dict[str, Any]:
        picture = self._picture.create_view()
        attachment = {"view": picture, "load_op": "clear", "store_op": "store", "clear_value": (0, 0, 0, 0)}
        if self._samples is None:
            return attachment
        return attachment | {"view": self._samples.create_view(), "resolve_target": picture, "store_op": "discard"}

    def _read(self) -> Picture:
        width, height = self._size
        data = self._device.queue.read_texture(
            {"texture": self._picture}, {"bytes_per_row": width * 4, "rows_per_image": height}, (width, height, 1)
        )
        return np.frombuffer(data, np.uint8).reshape(height, width, 4).copy()


def _depth_attachment(target: Any, keep: bool) -> dict[str, Any]:
    return {
        "view": target.create_view(),
        "depth_clear_value": 1.0,
        "depth_load_op": "clear",
        "depth_store_op": "store" if keep else "discard",
    }


def _draw_depths(render_pass: Any, ranges: list[CharacterRange], pipelines: dict[str, Any]) -> None:
    for part in ranges:
        _set_range(render_pass, part)
        for run in part.uploaded.runs:
            render_pass.set_pipeline(pipelines[run.alpha_mode])
            _draw_run(render_pass, part, run)


def _draw_characters(render_pass: Any, ranges: list[CharacterRange], pipelines: dict[tuple[str, bool], Any]) -> None:
    """Draw everything opaque, then what has holes, then what blends."""
    for mode in ALPHA_MODES:
        for part in ranges:
            _set_range(render_pass, part)
            for run in part.uploaded.runs:
                if run.alpha_mode == mode:
                    cull = not (run.double_sided or part.mirrored)
                    render_pass.set_pipeline(pipelines[mode, cull])
                    _draw_run(render_pass, part, run)


def _set_range(render_pass: Any, part: CharacterRange) -> None:
    render_pass.set_bind_group(1, part.bind_group)
    render_pass.set_index_buffer(part.uploaded.indices, "uint32")


def _draw_run(render_pass: Any, part: CharacterRange, run: Run) -> None:
    render_pass.set_bind_group(2, run.material)
    render_pass.draw_indexed(run.index_count, part.char_count, run.first_index)
