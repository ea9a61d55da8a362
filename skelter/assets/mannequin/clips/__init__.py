"""The clips of the mannequin, made by procedure: one file a kind of motion."""

from collections.abc import Callable

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.gait import RUN_SPEED as RUN_SPEED
from skelter.assets.mannequin.clips.gait import WALK_SPEED as WALK_SPEED
from skelter.assets.mannequin.clips.gait import run, walk
from skelter.assets.mannequin.clips.idle import idle
from skelter.assets.mannequin.clips.jump import jump
from skelter.assets.mannequin.clips.wave import wave

CLIPS: tuple[Callable[[], Clip], ...] = (idle, walk, run, jump, wave)
"""The makers of all clips, in the order of the character's clips."""
