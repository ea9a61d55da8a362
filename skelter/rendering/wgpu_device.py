"""The graphics device, and the few ways in which everything is put on it."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import wgpu

from skelter.core.errors import MissingExtraError
from skelter.rendering.adapter import AdapterInfo, install_hint

# The limits that every WebGPU implementation has to offer. Without them a driver gives all it has, and a shader that
# asks for too much would be found only on another machine.
WEBGPU_LIMITS = {
    "max-bind-groups": 4,
    "max-bindings-per-bind-group": 1000,
    "max-buffer-size": 256 << 20,
    "max-color-attachment-bytes-per-sample": 32,
    "max-color-attachments": 8,
    "max-compute-invocations-per-workgroup": 256,
    "max-compute-workgroup-size-x": 256,
    "max-compute-workgroup-size-y": 256,
    "max-compute-workgroup-size-z": 64,
    "max-compute-workgroup-storage-size": 16384,
    "max-compute-workgroups-per-dimension": 65535,
    "max-inter-stage-shader-variables": 16,
    "max-sampled-textures-per-shader-stage": 16,
    "max-samplers-per-shader-stage": 16,
    "max-storage-buffer-binding-size": 128 << 20,
    "max-storage-buffers-per-shader-stage": 8,
    "max-storage-textures-per-shader-stage": 4,
    "max-texture-array-layers": 256,
    "max-texture-dimension-2d": 8192,
    "max-uniform-buffer-binding-size": 64 << 10,
    "max-uniform-buffers-per-shader-stage": 12,
    "max-vertex-attributes": 16,
    "max-vertex-buffers": 8,
    "min-storage-buffer-offset-alignment": 256,
    "min-uniform-buffer-offset-alignment": 256,
}
STORAGE_BYTES = WEBGPU_LIMITS["max-storage-buffer-binding-size"]
PICTURE_SIDE = WEBGPU_LIMITS["max-texture-dimension-2d"]


def open_device() -> Any:
    """Return a new device with WebGPU's default limits on the best adapter."""
    try:
        with _quiet():
            adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
            return adapter.request_device_sync(required_limits=WEBGPU_LIMITS)
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise MissingExtraError(f"the graphics adapter is too small for WebGPU ({reason}): {install_hint()}") from error


@cache
def find_adapter_info() -> AdapterInfo | None:
    """Return what the best adapter says of itself, or None if there is none."""
    try:
        with _quiet():
            info = wgpu.gpu.request_adapter_sync(power_preference="high-performance").info
    except (RuntimeError, OSError):
        return None
    name = info["device"] or info["vendor"] or "unknown"
    return AdapterInfo(name, info["backend_type"], info["description"], info["adapter_type"] == "CPU")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Mesa from complaining on stderr about a missing XDG_RUNTIME_DIR, which drawing to memory does not need."""
    name = "XDG_RUNTIME_DIR"
    before = os.environ.get(name)
    if not sys.platform.startswith("linux") or (before and os.path.isdir(before)):
        yield
        return
    os.environ[name] = tempfile.gettempdir()
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def load_shader(device: Any, *names: str) -> Any:
    """Compile the concatenation of files in ``shaders/``."""
    folder = resources.files("skelter.rendering") / "shaders"
    code = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    return device.create_shader_module(label=names[-1], code=code)


def storage_buffer(device: Any, array: np.ndarray, usage: int = wgpu.BufferUsage.STORAGE) -> Any:
    """Return a buffer that holds the array; an empty array gets room for one record, since no buffer may be empty."""
    data = np.ascontiguousarray(array)
    if data.nbytes == 0:
        return device.create_buffer(size=64, usage=usage)
    padded = -(-data.nbytes // 4) * 4
    buffer = device.create_buffer(size=padded, usage=usage | wgpu.BufferUsage.COPY_DST)
    device.queue.write_buffer(buffer, 0, data)
    return buffer


def uniform_buffer(device: Any, record: np.ndarray) -> Any:
    """Return a uniform buffer that holds one structured record."""
    return storage_buffer(device, record.reshape(1).view(np.uint8), wgpu.BufferUsage.UNIFORM)
