"""The pytest plugin: fixtures for tests of state graphs. It loads nothing until a fixture is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from skelter.testing.scenario import Scenario


@pytest.fixture(scope="session")
def scenario() -> type[Scenario]:
    """Return `skelter.testing.scenario.Scenario`: ``scenario(graph, rig)`` puts a character on a graph."""
    from skelter.testing.scenario import Scenario

    return Scenario
