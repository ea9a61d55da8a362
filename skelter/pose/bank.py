"""The clip bank of a rig as kernels take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skelter.rig.rig import Rig

if TYPE_CHECKING:
    from skelter.pose.sample_kernels import BankArrays


def bank_arrays(rig: Rig) -> BankArrays:
    """Return the arrays of ``rig.clips`` as a NamedTuple, which is what Numba takes; nothing is copied."""
    from skelter.pose.sample_kernels import BankArrays

    own: dict[str, Any] = {
        "rest": rig.rest.reshape(-1),
        "base": rig.clips.base.reshape(len(rig.clips.base), rig.rest.size),
        "morph_rest": rig.mesh.morph_rest,
    }
    return BankArrays(**{name: own[name] if name in own else getattr(rig.clips, name) for name in BankArrays._fields})
