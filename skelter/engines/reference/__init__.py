"""The reference engine: float64, evaluates the source curves of a `Character`, made to be obvious and not fast.

Tests and `scripts/check_corpus.py` hold every other engine to it.
"""

from skelter.engines.reference.blend import LayerContributions, blend_contributions
from skelter.engines.reference.curves import sample_track
from skelter.engines.reference.pose import ReferencePose, pose
from skelter.engines.reference.skin import normals, positions

__all__ = ["LayerContributions", "ReferencePose", "blend_contributions", "normals", "pose", "positions", "sample_track"]
