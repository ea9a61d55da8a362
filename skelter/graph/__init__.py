"""State graphs: authored, checked, compiled for a rig, and advanced for many characters."""
