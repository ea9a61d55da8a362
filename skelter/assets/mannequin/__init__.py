"""The built-in character: a humanoid made entirely by code, with its clips."""

from skelter.assets.mannequin.character import mannequin as mannequin
from skelter.assets.mannequin.clips import BACK_SPEED as BACK_SPEED
from skelter.assets.mannequin.clips import RUN_SPEED as RUN_SPEED
from skelter.assets.mannequin.clips import STRAFE_SPEED as STRAFE_SPEED
from skelter.assets.mannequin.clips import VELOCITIES as VELOCITIES
from skelter.assets.mannequin.clips import WALK_SPEED as WALK_SPEED
