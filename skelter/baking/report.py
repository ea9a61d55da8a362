from skelter.rig.report import *  # noqa: F403  # moved; imports follow
