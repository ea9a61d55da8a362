"""The built-in character: a humanoid made entirely by code, with its clips."""

from skelter.assets.mannequin.character import mannequin as mannequin
from skelter.assets.mannequin.clips import RUN_SPEED as RUN_SPEED
from skelter.assets.mannequin.clips import WALK_SPEED as WALK_SPEED
