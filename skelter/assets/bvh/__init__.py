"""Read motion capture files in the Biovision hierarchical format, BVH."""

from skelter.assets.bvh.reader import load_bvh as load_bvh

__all__ = ["load_bvh"]
