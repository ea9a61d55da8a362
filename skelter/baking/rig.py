from skelter.rig.rig import *  # noqa: F403  # moved; imports follow
