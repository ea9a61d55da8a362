"""Draw a trace: a row per character, a lane per layer, states as coloured bars over time.

The edge between two states slants over the cross-fade: at any moment the height of a colour is its part in the mix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, pairwise

from skelter.scene.trace import Passing, Stay, Trace

WIDTH = 1240.0
GUTTER = 132.0
MARGIN = 16.0
LANE = 17.0
LANE_GAP = 3.0
ROW_GAP = 12.0
LETTER = 6.3
"""Width of a letter of a label, on average [pixels]."""

STATE_COLORS = (
    "#7fb2e5",
    "#f4b266",
    "#e98074",
    "#86c79a",
    "#b8a1e0",
    "#e3cf6c",
    "#6fc7c9",
    "#e8a3c8",
    "#b4bf74",
    "#cba58a",
)
EMPTY_COLOR = "#e9ebee"
EVENT_COLORS = ("#374151", "#c2251d", "#6d28d9", "#0e7490", "#a16207")
TICKS_MAX = 12

_STYLE = (
    "text{font:11px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2937}"
    ".title{font-size:16px;font-weight:600}.crowd{font-size:13px;font-weight:600}.char{font-weight:600}"
    ".soft{fill:#6b7280}.bar{stroke:#fff;stroke-width:1}.grid{stroke:#d9dde3;stroke-width:1}"
)


def timeline_html(trace: Trace) -> str:
    """Return the timeline as a page that needs no other file; what the mouse is on is said in words."""
    title = _xml(f"Trace of {trace.name}")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        "<style>body{margin:24px;background:#f4f5f7}svg{display:block;max-width:100%;height:auto;margin:0 auto;"
        "background:#fff;border-radius:8px;box-shadow:0 1px 4px rgba(0,0,0,.12)}.bar:hover{stroke:#111}</style>\n"
        f"</head>\n<body>\n{timeline_svg(trace)}</body>\n</html>\n"
    )


def timeline_svg(trace: Trace) -> str:
    """Return the timeline as an SVG picture."""
    sheet = _Sheet(trace)
    sheet.head()
    for name, stays in groupby(trace.stays, lambda stay: stay.crowd):
        sheet.crowd(name, list(stays))
    return sheet.svg()


class _Sheet:
    """A picture that grows downwards."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._parts: list[str] = []
        self._scale = (WIDTH - GUTTER - 2 * MARGIN) / trace.duration
        self._top = MARGIN
        self._colors = _state_colors(trace.stays)
        events = dict.fromkeys(event.event for event in trace.events)
        self._event_colors = {name: EVENT_COLORS[index % len(EVENT_COLORS)] for index, name in enumerate(events)}

    def svg(self) -> str:
        """Return the whole picture."""
        height = self._top + MARGIN
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" width="{WIDTH:g}"'
            f' height="{height:g}">\n<style>{_STYLE}</style>\n<rect width="100%" height="100%" fill="#fff"/>\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )

    def head(self) -> None:
        """Draw the title and the legend."""
        trace = self._trace
        self._text(MARGIN, self._top + 14, trace.name, "title")
        self._text(MARGIN, self._top + 32, f"{trace.duration:g} s at {trace.rate:g} steps a second", "soft")
        self._top += 46
        swatches = [(layer, state, color) for (layer, state), color in self._colors.items()]
        for layer, states in groupby(swatches, lambda swatch: swatch[0]):
            self._legend(layer, [(state, color) for _, state, color in states], round_marks=False)
        if self._event_colors:
            self._legend("events", list(self._event_colors.items()), round_marks=True)
        self._top += 6

    def crowd(self, name: str, stays: Sequence[Stay]) -> None:
        """Draw a crowd: its name, its characters, and a time axis above them."""
        self._text(MARGIN, self._top + 14, name, "crowd")
        axis = self._top + 14
        self._top += 22
        begin = self._top
        place = len(self._parts)
        for char, own in groupby(stays, lambda stay: stay.char):
            self._character(char, list(own), [e for e in self._trace.events if e.crowd == name and e.char == char])
        self._parts[place:place] = list(self._axis(axis, begin - 4, self._top - ROW_GAP + 4))
        self._top += 8

    def _character(self, char: int, stays: Sequence[Stay], events: Sequence[Passing]) -> None:
        self._text(MARGIN, self._top + 12.5, f"{char}", "char")
        for layer, lane in groupby(stays, lambda stay: stay.layer):
            self._text(MARGIN + 30, self._top + 12.5, _shortened(layer, GUTTER - 40), "soft")
            self._lane(list(lane), [event for event in events if event.layer == layer])
            self._top += LANE + LANE_GAP
        self._top += ROW_GAP - LANE_GAP

    def _lane(self, stays: Sequence[Stay], events: Sequence[Passing]) -> None:
        ends = [min(after.start + after.fade, self._trace.duration) for _, after in pairwise(stays)]
        for stay, end in zip(stays, [*ends, self._trace.duration], strict=True):
            self._bar(stay, end)
        for event in events:
            self._event(event)

    def _bar(self, stay: Stay, end: float) -> None:
        """Draw a stay up to where nothing is left of it; later ones are drawn over it."""
        bottom, full = self._top + LANE, stay.start + stay.fade
        if full <= end:
            edge = [(full, self._top), (end, self._top)]
        else:
            edge = [(end, bottom - LANE * (end - stay.start) / stay.fade)]
        points = [(stay.start, bottom), *edge, (end, bottom)]
        outline = " ".join(f"{self._x(time):.1f},{y:.1f}" for time, y in points)
        color = self._colors[stay.layer, stay.state]
        title = f"{stay.state}: {stay.start:.3f} s to {stay.end:.3f} s" + (f"\n{stay.via}" if stay.via else "")
        self._parts.append(
            f'<polygon class="bar" points="{outline}" fill="{color}"><title>{_xml(title)}</title></polygon>'
        )
        room = (stay.end - full) * self._scale - 8
        if len(stay.state) * LETTER <= room:
            self._text(self._x(full) + 5, bottom - 4.5, stay.state, "soft" if stay.empty else "")

    def _event(self, event: Passing) -> None:
        title = f"{event.event}: {event.time:.3f} s, {event.clip}, weight {event.weight:.2f}"
        self._parts.append(
            f'<circle cx="{self._x(event.time):.1f}" cy="{self._top + LANE:.1f}" r="2.4"'
            f' fill="{self._event_colors[event.event]}"><title>{_xml(title)}</title></circle>'
        )

    def _axis(self, label_y: float, top: float, bottom: float) -> Iterator[str]:
        step = _tick_step(self._trace.duration)
        for index in range(int(self._trace.duration / step + 1e-6) + 1):
            x = self._x(index * step)
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>'
            yield f'<text class="soft" x="{x:.1f}" y="{label_y:.1f}" text-anchor="middle">{index * step:g} s</text>'

    def _legend(self, title: str, marks: Sequence[tuple[str, str]], *, round_marks: bool) -> None:
        self._text(MARGIN, self._top + 10, _shortened(title, GUTTER - 10), "soft")
        x = GUTTER + MARGIN
        for name, color in marks:
            width = 22 + len(name) * LETTER + 10
            if x + width > WIDTH - MARGIN:
                x, self._top = GUTTER + MARGIN, self._top + 18
            radius = 5 if round_marks else 2
            self._parts.append(
                f'<rect x="{x:.1f}" y="{self._top:.1f}" width="12" height="12" rx="{radius}" fill="{color}"/>'
            )
            self._text(x + 17, self._top + 10, name)
            x += width
        self._top += 18

    def _text(self, x: float, y: float, text: str, style: str = "") -> None:
        kind = f' class="{style}"' if style else ""
        self._parts.append(f'<text{kind} x="{x:.1f}" y="{y:.1f}">{_xml(text)}</text>')

    def _x(self, time: float) -> float:
        return MARGIN + GUTTER + time * self._scale


def _state_colors(stays: Sequence[Stay]) -> dict[tuple[str, str], str]:
    """Return a colour per layer and state, layer by layer; states that play nothing are pale."""
    layers = dict.fromkeys(stay.layer for stay in stays)
    states = dict.fromkeys((stay.layer, stay.state) for layer in layers for stay in stays if stay.layer == layer)
    playing = {(stay.layer, stay.state) for stay in stays if not stay.empty}
    numbers = {key: number for number, key in enumerate(key for key in states if key in playing)}
    return {key: STATE_COLORS[numbers[key] % len(STATE_COLORS)] if key in playing else EMPTY_COLOR for key in states}


def _tick_step(duration: float) -> float:
    """Return the distance of ticks on the axis [s]: 1, 2 or 5 times a power of ten, or minutes."""
    for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0):
        if duration / step <= TICKS_MAX:
            return step
    return 300.0


def _shortened(text: str, room: float) -> str:
    count = int(room / LETTER)
    return text if len(text) <= count else f"{text[: count - 1]}…"


def _xml(text: str) -> str:
    """Return a text for XML, which has no place for control characters and lone surrogates."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "�", text))
