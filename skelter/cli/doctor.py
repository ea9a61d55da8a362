"""The command ``skelter doctor``."""

from __future__ import annotations

from typing import Any

from skelter.cli.result import show
from skelter.cli.source import JsonOption
from skelter.cli.step import step


def doctor(as_json: JsonOption = False) -> None:
    """Say what this machine can do, and what is missing."""
    from skelter.doctor import doctor as examine

    with step("looking at the machine"):
        findings = examine()
    show(findings, _text(findings), as_json)


def _text(findings: dict[str, Any]) -> str:
    cpu, caches = findings["cpu"], findings["caches"]
    rows = {
        "skelter": findings["skelter"],
        "python": f"{findings['python']} on {findings['platform']}",
        "processor": f"{cpu['name']}, {cpu['cores']} cores, {' '.join(cpu['features'])}",
        "packages": _versions(findings["packages"]),
        **{f"extra {name}": _extra(name, packages) for name, packages in findings["extras"].items()},
        **{f"{name} cache": _cache(cache) for name, cache in caches.items()},
        "graphics": _adapter(findings),
        "node, npm": f"{findings['node'] or 'not found'}, {findings['npm'] or 'not found'} (only some tests use them)",
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows.items())


def _versions(packages: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {version or 'missing'}" for name, version in packages.items())


def _extra(name: str, packages: dict[str, str | None]) -> str:
    missing = not all(packages.values())
    return _versions(packages) + (f": pip install skelter[{name}]" if missing else "")


def _cache(cache: dict[str, Any]) -> str:
    if not cache["writable"]:
        return f"{cache['folder'] or 'the folder'} cannot be written, so work is repeated in every run"
    return f"{cache['folder']}, {cache['bytes'] / 1e6:.1f} MB"


def _adapter(findings: dict[str, Any]) -> str:
    adapter = findings["adapter"]
    if adapter is None:
        return f"none, nothing can be drawn: {findings['adapter_hint']}"
    kind = "software, " if adapter["software"] else ""
    return f"{adapter['name']} ({kind}{adapter['backend']}, {adapter['driver']})"
