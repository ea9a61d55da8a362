"""Paths to bones: which bone a curve moves, and whether a mask lets it."""

from __future__ import annotations

from .job import Bone, Curve, Job, Json


class Binder:
    """Finds bones below the component, or below its root bone."""

    def __init__(self, job: Job) -> None:
        self.bones = job.bones
        self.entity = job.root
        names = [bone.name for bone in job.bones]
        self.root = names.index(job.component["rootBone"]) if job.component.get("rootBone") else job.root
        self.children: list[list[int]] = [[] for _ in job.bones]
        for index, bone in enumerate(job.bones):
            if bone.parent >= 0:
                self.children[bone.parent].append(index)
        self.named: dict[str, int] = {}
        self._name(self.root)

    def _name(self, index: int) -> None:
        self.named[self.bones[index].name] = index  # the last one in pre-order wins
        for child in self.children[index]:
            self._name(child)

    def bone_of(self, curve: Curve) -> int | None:
        """Return the bone that a curve moves, or None."""
        return self._entity(curve.path) if curve.component == "entity" else self._node(curve.path)

    def target(self, curve: Curve, mask: Json | None, masks_all: bool) -> tuple[int, str, str] | None:
        """Return bone, component and property that a curve writes, or None.

        Args:
            curve: The curve.
            mask: Mask of the layer.
            masks_all: Whether masks concern curves of the component ``entity`` too.
        """
        exempt = curve.component == "entity" and not masks_all
        if not exempt and not self.is_active(curve.path, mask):
            return None
        bone = self.bone_of(curve)
        component = "graph" if masks_all else curve.component
        return None if bone is None else (bone, component, curve.property)

    def _find(self, start: int, path: tuple[str, ...]) -> int | None:
        index: int | None = start
        for name in path:
            index = next((child for child in self.children[index] if self.bones[child].name == name), None)  # type: ignore[index]
            if index is None:
                return None
        return index

    def _node(self, path: tuple[str, ...]) -> int | None:
        found = self._find(self.root, path)
        if found is None:
            found = self._find(self.root, path[1:])
        return self.named.get(path[-1]) if found is None else found

    def _entity(self, path: tuple[str, ...]) -> int | None:
        if len(path) == 1:
            return self.entity
        return self._find(self.entity, path[1:]) if self.bones[self.entity].name == path[0] else None

    def is_active(self, path: tuple[str, ...], mask: Json | None) -> bool:
        """Return whether a mask includes a path: one of its prefixes with its children, or the path itself."""
        if mask is None:
            return True
        for first in (path[0], self.bones[self.root].name):
            names = (first, *path[1:])
            for length in range(1, len(path) + 1):
                rule = mask.get("/".join(names[:length]))
                if _includes(rule, length == len(path)):
                    return True
        return False


def _includes(rule: object, itself: bool) -> bool:
    if rule is None or rule is False:
        return False
    if not isinstance(rule, dict):
        return itself
    return bool(rule.get("children")) or (itself and rule.get("value") is not False)


def rest_values(bones: list[Bone]) -> list[dict[str, list[float]]]:
    """Return the rest values of all bones, to be written to."""
    return [{name: list(values) for name, values in bone.rest.items()} for bone in bones]
