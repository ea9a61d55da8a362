"""What clips carry beside their curves: events and additive references, in ``animations[].extras``.

glTF has no place for them, so this is a form of our own, which `skelter.export.gltf` writes::

    "extras": {
        "events": [{"time": 0.25, "name": "footstep", "payload": {"foot": "left"}}],
        "additive": {"reference": "clip", "clip": "idle", "time": 0.0}
    }

Times are those of the file, as key times are: ``file time = start + clip time``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from skelter.assets.character import Additive, AdditiveReference, Clip, ClipEvent
from skelter.assets.gltf.document import Document
from skelter.assets.gltf.schema import Number, Schema

EVENT_BYTES = 256
"""What an event takes beside its payload, which the JSON holds already."""
TIME_SLACK = 1e-6
"""An event this little outside of its clip lies at its end: key times are float32 [s, relative above 1 s]."""


class _Event(Schema):
    time: Number
    name: str
    payload: Any = None


class _Additive(Schema):
    reference: AdditiveReference
    clip: str = ""
    time: Number = 0.0


def read_clip_extras(document: Document, clips: list[Clip]) -> None:
    """Give clips the events and additive references of their animations; what cannot be used is ignored with a warning.

    Args:
        document: The file.
        clips: One clip per animation.
    """
    clip_of = {clip.name: clip for clip in clips}
    for index, (clip, animation) in enumerate(zip(clips, document.gltf.animations, strict=True)):
        where = f"animations[{index}].extras"
        extras = animation.extras if isinstance(animation.extras, dict) else {}
        if extras.get("events") is not None:
            clip.events = _events(document, clip, extras["events"], f"{where}.events")
        if extras.get("additive") is not None:
            clip.additive = _additive(document, clip_of, extras["additive"], f"{where}.additive")


def _events(document: Document, clip: Clip, given: Any, where: str) -> list[ClipEvent]:
    if not isinstance(given, list):
        document.warn(where, "this is no list of events; ignored")
        return []
    document.spend(EVENT_BYTES * len(given), where)
    events = (_event(document, clip, entry, f"{where}[{number}]") for number, entry in enumerate(given))
    return [event for event in events if event is not None]


def _event(document: Document, clip: Clip, given: Any, where: str) -> ClipEvent | None:
    try:
        event = msgspec.convert(given, _Event)
    except msgspec.ValidationError as error:
        document.warn(where, f"this is no event ({error}); ignored")
        return None
    time = event.time - clip.start
    inside = min(max(time, 0.0), clip.duration)
    if not event.name or abs(time - inside) > TIME_SLACK * max(1.0, abs(event.time)):
        document.warn(where, f"the event {event.name!r} at {event.time:.6g} s has no name or is outside of the clip")
        return None
    return ClipEvent(inside, event.name, event.payload)


def _additive(document: Document, clip_of: dict[str, Clip], given: Any, where: str) -> Additive | None:
    try:
        additive = msgspec.convert(given, _Additive)
    except msgspec.ValidationError as error:
        document.warn(where, f"this is no additive reference ({error}); the clip is read as a clip of poses")
        return None
    if additive.reference != "clip":
        return Additive(additive.reference)
    if additive.clip not in clip_of:
        document.warn(where, f"there is no clip {additive.clip!r}; the clip is read as a clip of poses")
        return None
    return Additive("clip", additive.clip, additive.time - clip_of[additive.clip].start)
