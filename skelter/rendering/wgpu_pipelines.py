"""Bind group layouts and render pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import wgpu

from skelter.rendering.wgpu_device import load_shader

COLOR_FORMAT = "rgba8unorm-srgb"
DEPTH_FORMAT = "depth32float"
ALPHA_MODES = ("OPAQUE", "MASK", "BLEND")  # in the order in which they are drawn
_BOTH = wgpu.ShaderStage.VERTEX | wgpu.ShaderStage.FRAGMENT
_UNIFORM = {"buffer": {"type": "uniform"}}
_STORAGE = {"buffer": {"type": "read-only-storage"}}
_DEPTH_MAP = {"texture": {"sample_type": "depth"}}
# Premultiplied colours.
_OVER = {"src_factor": "one", "dst_factor": "one-minus-src-alpha", "operation": "add"}


@dataclass(frozen=True, slots=True)
class Layouts:
    """Bind group layouts.

    Attributes:
        depth_pass: Group 0 of the passes that fill a depth map: the frame.
        camera_pass: Group 0 of the picture: the frame, both maps and their sampler.
        characters: Group 1.
        material: Group 2.
    """

    depth_pass: Any
    camera_pass: Any
    characters: Any
    material: Any


@dataclass(frozen=True, slots=True)
class Pipelines:
    """Render pipelines.

    Attributes:
        depth: For the maps of the key light and of the floor, by alpha mode.
        character: For the picture, by alpha mode and whether back faces are culled.
        backdrop, floor: The studio.
    """

    depth: dict[str, Any]
    character: dict[tuple[str, bool], Any]
    backdrop: Any
    floor: Any


def make_layouts(device: Any) -> Layouts:
    """Create the bind group layouts."""
    vertex, fragment = wgpu.ShaderStage.VERTEX, wgpu.ShaderStage.FRAGMENT
    comparison = {"sampler": {"type": "comparison"}}
    filtering = {"sampler": {"type": "filtering"}}
    texture = {"texture": {"sample_type": "float"}}
    maps = [(fragment, _DEPTH_MAP), (fragment, _DEPTH_MAP), (fragment, comparison)]
    return Layouts(
        depth_pass=_layout(device, [(_BOTH, _UNIFORM)]),
        camera_pass=_layout(device, [(_BOTH, _UNIFORM), *maps]),
        characters=_layout(device, [(vertex, _UNIFORM)] + [(vertex, _STORAGE)] * 7),
        material=_layout(device, [(_BOTH, _UNIFORM), (fragment, texture), (fragment, filtering)]),
    )


def _layout(device: Any, bindings: list[tuple[int, dict[str, Any]]]) -> Any:
    entries = [{"binding": index, "visibility": stage, **kind} for index, (stage, kind) in enumerate(bindings)]
    return device.create_bind_group_layout(entries=entries)


def make_pipelines(device: Any, layouts: Layouts, samples: int) -> Pipelines:
    """Compile the shaders and create the pipelines.

    Args:
        device: The device.
        layouts: Its bind group layouts.
        samples: Samples a pixel of the picture, 1 or 4.
    """
    depth, camera = layouts.depth_pass, layouts.camera_pass
    character_groups = [layouts.characters, layouts.material]
    depth_layout = device.create_pipeline_layout(bind_group_layouts=[depth, *character_groups])
    camera_layout = device.create_pipeline_layout(bind_group_layouts=[camera, *character_groups])
    studio_layout = device.create_pipeline_layout(bind_group_layouts=[camera])
    studio = load_shader(device, "frame.wgsl", "light.wgsl", "studio.wgsl")
    return Pipelines(
        depth=_depth_pipelines(device, depth_layout),
        character=_character_pipelines(device, camera_layout, samples),
        backdrop=_studio_pipeline(device, studio_layout, studio, "backdrop", "always", samples),
        floor=_studio_pipeline(device, studio_layout, studio, "floor", "less", samples),
    )


def _depth_pipelines(device: Any, layout: Any) -> dict[str, Any]:
    module = load_shader(device, "frame.wgsl", "skin.wgsl", "material.wgsl", "depth.wgsl")
    holes = {"module": module, "entry_point": "fragment_main", "targets": []}

    def pipeline(fragment: dict[str, Any] | None) -> Any:
        return device.create_render_pipeline(
            layout=layout,
            vertex={"module": module, "entry_point": "vertex_main"},
            primitive={"topology": "triangle-list"},
            depth_stencil={"format": DEPTH_FORMAT, "depth_write_enabled": True, "depth_compare": "less"},
            fragment=fragment,
        )

    cut = pipeline(holes)
    return {"OPAQUE": pipeline(None), "MASK": cut, "BLEND": cut}


def _character_pipelines(device: Any, layout: Any, samples: int) -> dict[tuple[str, bool], Any]:
    names = ("frame.wgsl", "skin.wgsl", "material.wgsl", "light.wgsl", "character.wgsl")
    module = load_shader(device, *names)

    def pipeline(mode: str, cull: bool) -> Any:
        fragment = {"module": module, "entry_point": f"{mode.lower()}_main", "targets": [{"format": COLOR_FORMAT}]}
        if mode == "BLEND":
            fragment["constants"] = {"SAMPLE_COUNT": samples}
        return device.create_render_pipeline(
            layout=layout,
            vertex={"module": module, "entry_point": "vertex_main"},
            primitive={"topology": "triangle-list", "cull_mode": "back" if cull else "none"},
            depth_stencil={"format": DEPTH_FORMAT, "depth_write_enabled": True, "depth_compare": "less"},
            multisample={"count": samples},
            fragment=fragment,
        )

    return {(mode, cull): pipeline(mode, cull) for mode in ALPHA_MODES for cull in (True, False)}


def _studio_pipeline(device: Any, layout: Any, module: Any, name: str, compare: str, samples: int) -> Any:
    target = {"format": COLOR_FORMAT, "blend": {"color": _OVER, "alpha": _OVER}}
    return device.create_render_pipeline(
        layout=layout,
        vertex={"module": module, "entry_point": f"{name}_vertex"},
        primitive={"topology": "triangle-strip"},
        depth_stencil={"format": DEPTH_FORMAT, "depth_write_enabled": False, "depth_compare": compare},
        multisample={"count": samples},
        fragment={"module": module, "entry_point": f"{name}_fragment", "targets": [target]},
    )
