"""What is said about the graphics adapter."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from skelter.core.errors import MissingExtraError
from skelter.rendering import adapter as module
from skelter.rendering.adapter import AdapterInfo, adapter_info, require_adapter


def test_a_missing_wgpu_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skelter.rendering.wgpu_device", None)
    monkeypatch.delattr("skelter.rendering.wgpu_device", raising=False)
    assert adapter_info() is None
    with pytest.raises(MissingExtraError, match=r"pip install skelter\[gpu\]"):
        require_adapter()


@pytest.mark.parametrize(
    ("system", "names", "text"),
    [
        ("Linux", ["debian"], "apt install mesa-vulkan-drivers libvulkan1"),
        ("Linux", ["linuxmint", "ubuntu", "debian"], "apt install mesa-vulkan-drivers libvulkan1"),
        ("Linux", ["rocky", "rhel", "centos"], "dnf install mesa-vulkan-drivers"),
        ("Linux", ["arch"], "pacman -S vulkan-swrast"),
        ("Linux", ["plan9"], "lavapipe"),
        ("Darwin", [], "Metal"),
        ("Windows", [], "driver"),
    ],
)
def test_a_missing_driver_names_the_package_of_this_system(monkeypatch, system, names, text):
    wgpu_device = pytest.importorskip("skelter.rendering.wgpu_device")
    monkeypatch.setattr(wgpu_device, "find_adapter_info", lambda: None)
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(module, "_linux_names", lambda: names)
    assert adapter_info() is None
    with pytest.raises(MissingExtraError, match=text):
        require_adapter()


def test_names_of_the_distribution_are_read(tmp_path):
    path = tmp_path / "os-release"
    assert module._linux_names(path) == []
    path.write_text('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n\n')
    assert module._linux_names(path) == ["linuxmint", "ubuntu", "debian"]


def test_an_adapter_has_a_name(adapter):
    info = adapter_info()
    assert isinstance(info, AdapterInfo)
    assert info.name
    assert info.backend
    assert isinstance(info.software, bool)


def run_python(code):
    environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True)


def test_an_adapter_below_the_limits_of_webgpu_is_refused(adapter, monkeypatch):
    wgpu_device = pytest.importorskip("skelter.rendering.wgpu_device")
    monkeypatch.setitem(wgpu_device.WEBGPU_LIMITS, "max-texture-dimension-2d", 1 << 30)
    monkeypatch.setattr(wgpu_device, "install_hint", lambda: "apt install a-driver")
    with pytest.raises(MissingExtraError, match=r"too small for WebGPU .*apt install a-driver"):
        wgpu_device.open_device()


def test_nothing_is_written_to_the_terminal(adapter):
    done = run_python("from skelter.rendering.render import render; render([], width=16, height=16)")
    assert done.stdout + done.stderr == ""


def test_the_modules_load_no_graphics():
    names = ", ".join(f"skelter.rendering.{name}" for name in ("adapter", "camera", "files", "render", "scene"))
    done = run_python(f"import sys, {names}; print({{'wgpu', 'PIL', 'av', 'numba'}} & set(sys.modules))")
    assert done.stdout.strip() == "set()"
