"""Parameters that nothing reads, and triggers that nothing resets."""

from __future__ import annotations

from collections.abc import Iterator

from skelter.graph.graph import BlendTree
from skelter.graph.lint.finding import Code, Finding, Subject
from skelter.graph.problems import quoted


def unused_parameters(subject: Subject) -> Iterator[Finding]:
    """Find parameters that no condition and no tree names, and triggers that no condition names."""
    layers = subject.graph.layers
    tested = {test.parameter for layer in layers for way in layer.transitions for test in way.conditions}
    blended = {name for layer in layers for state in layer.states for name in _tree_parameters(state.tree)}
    for parameter in subject.graph.parameters:
        name = quoted(parameter.name)
        if parameter.type == "TRIGGER" and parameter.name not in tested:
            message = f"no condition tests the trigger {name}, so it stays set once it is; test it, or remove it"
            yield Finding(Code.UNUSED_TRIGGER, parameter.place, message)
        elif parameter.name not in tested | blended:
            message = f"no condition and no blend tree reads {name}; use it, or remove it"
            yield Finding(Code.UNUSED_PARAMETER, parameter.place, message)


def _tree_parameters(tree: BlendTree | None) -> Iterator[str]:
    if tree is not None:
        yield from tree.parameters
        for child in tree.children:
            if isinstance(child, BlendTree):
                yield from _tree_parameters(child)
