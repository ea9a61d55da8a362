"""Which graphics adapter draws, and what to install when there is none."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

from skelter.core.errors import MissingExtraError

_PACKAGES = {
    "debian": "apt install mesa-vulkan-drivers libvulkan1",
    "fedora": "dnf install mesa-vulkan-drivers vulkan-loader",
    "arch": "pacman -S vulkan-swrast vulkan-icd-loader",
    "suse": "zypper install libvulkan_lvp libvulkan1",
    "alpine": "apk add mesa-vulkan-swrast vulkan-loader",
}
_FAMILY = {"ubuntu": "debian", "rhel": "fedora", "centos": "fedora", "opensuse": "suse"}
_OTHER_SYSTEMS = {
    "Darwin": "macOS 10.13 or later on a Mac with Metal is needed; on a virtual machine, give it a GPU",
    "Windows": "install a graphics driver with Vulkan or Direct3D 12; Windows 10 and later bring a software one (WARP)",
}


@dataclass(frozen=True, slots=True)
class AdapterInfo:
    """A graphics adapter.

    Attributes:
        name: Name of the device.
        backend: ``Vulkan``, ``Metal``, ``D3D12`` or ``OpenGL``.
        driver: Driver and its version, as far as it says.
        software: It computes on the CPU.
    """

    name: str
    backend: str
    driver: str
    software: bool


def adapter_info() -> AdapterInfo | None:
    """Return the adapter that would draw, or None if there is none or wgpu is not installed. Never raises."""
    try:
        return require_adapter()
    except MissingExtraError:
        return None


def require_adapter() -> AdapterInfo:
    """Return the adapter that would draw; raise MissingExtraError that says what to install if there is none."""
    try:
        from skelter.rendering import wgpu_device
    except (ImportError, OSError) as error:
        raise MissingExtraError(f"pictures need wgpu ({error}): pip install skelter[gpu]") from error
    info = wgpu_device.find_adapter_info()
    if info is None:
        raise MissingExtraError(f"no graphics adapter was found, not even a software one: {install_hint()}")
    return info


def install_hint() -> str:
    """Return the command that installs a Vulkan driver on this system."""
    system = platform.system()
    if system in _OTHER_SYSTEMS:
        return _OTHER_SYSTEMS[system]
    for name in _linux_names():
        family = _FAMILY.get(name, name)
        if family in _PACKAGES:
            return _PACKAGES[family]
    return "install a Vulkan driver; Mesa's lavapipe works without a GPU (on Debian: " + _PACKAGES["debian"] + ")"


def _linux_names(path: Path = Path("/etc/os-release")) -> list[str]:
    """Return the names of this distribution and of those that it is like, nearest first."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    return [name for key in ("ID", "ID_LIKE") for name in fields.get(key, "").strip("\"'").split()]
