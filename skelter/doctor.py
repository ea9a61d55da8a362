"""What this machine can do: versions, processor, caches, graphics adapter."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from skelter import __version__

PACKAGES = ("numpy", "numba", "msgspec")
EXTRAS = {"gpu": ("wgpu", "rendercanvas", "glfw", "pillow"), "draco": ("DracoPy",), "video": ("av",)}
VECTOR_FEATURES = ("sse4.2", "avx", "avx2", "fma", "avx512f", "neon", "sve")


def doctor() -> dict[str, Any]:
    """Look at the machine.

    Returns:
        ``skelter``, ``python`` and ``platform`` as texts; ``packages`` and ``extras`` with a version or None per
        package; ``cpu``; ``caches`` with folder, writable and bytes; ``adapter``, None if nothing can be drawn, and
        then ``adapter_hint``; ``node`` and ``npm``, which some tests use.
    """
    from skelter.rendering.adapter import adapter_info, install_hint

    adapter = adapter_info()
    return {
        "skelter": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu": {"name": cpu_name(), "cores": core_count(), "features": _vector_features()},
        "packages": {name: _version(name) for name in PACKAGES},
        "extras": {extra: {name: _version(name) for name in names} for extra, names in EXTRAS.items()},
        "caches": {"kernels": _kernel_cache(), "rigs": _rig_cache()},
        "adapter": asdict(adapter) if adapter else None,
        "adapter_hint": "" if adapter else install_hint(),
        "node": _program_version("node"),
        "npm": _program_version("npm"),
    }


def cpu_name() -> str:
    """Return the processor's name as the system says it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def core_count() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _vector_features() -> list[str]:
    from llvmlite import binding

    found = binding.get_host_cpu_features()
    return [name for name in VECTOR_FEATURES if found.get(name)]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _kernel_cache() -> dict[str, Any]:
    from skelter.core.kernel import cache_folder

    folder = cache_folder()
    return _cache(Path(folder)) if folder else {"folder": "", "writable": False, "bytes": 0}


def _rig_cache() -> dict[str, Any]:
    from skelter.baking.cache import default_cache_folder

    return _cache(default_cache_folder())


def _cache(folder: Path) -> dict[str, Any]:
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {"folder": str(folder), "writable": nearest.is_dir() and os.access(nearest, os.W_OK), "bytes": size}


def _program_version(program: str) -> str | None:
    path = shutil.which(program)
    if path is None:
        return None
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None
