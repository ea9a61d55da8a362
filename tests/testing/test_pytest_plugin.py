"""The plugin in runs of pytest of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

GRAPH = """
from skelter.graph.graph import Condition, Layer, Parameter, State, StateGraph, Transition
from skelter.testing.rigs import clock_rig

ways = [Transition("START", "Idle"), Transition("Idle", "Jump", conditions=[Condition("jump")])]
graph = StateGraph([Layer("Base", [State("Idle"), State("Jump")], ways)], [Parameter("jump", "TRIGGER", False)])
rig = clock_rig({"idle": 1.0, "jump": 1.0})
"""


def run(pytester: pytest.Pytester, config: pytest.Config, *arguments: str) -> pytest.RunResult:
    """Run pytest in this process, with the plugin if it is not installed as an entry point."""
    extra = () if config.pluginmanager.hasplugin("skelter") else ("-p", "skelter.testing.pytest_plugin")
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *extra, *arguments)


def test_fixture(pytester: pytest.Pytester, pytestconfig: pytest.Config) -> None:
    pytester.makepyfile(
        GRAPH + "def test(scenario):\n    scenario(graph, rig).trigger('jump').until('Jump', within=1.0)\n"
    )
    run(pytester, pytestconfig).assert_outcomes(passed=1)


def test_failure_shows_the_timeline(pytester: pytest.Pytester, pytestconfig: pytest.Config) -> None:
    pytester.makepyfile(GRAPH + "def test(scenario):\n    scenario(graph, rig).step(0.5).assert_state('Jump')\n")
    result = run(pytester, pytestconfig)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*AssertionError: layer 'Base': expected state 'Jump', it is 'Idle'",
            "E*at 0.500 s",
            "E*layer Base: state Idle, progress 0.4833, clips idle 1",
            "E*parameters: jump False",
            "E*states [[]s]",
            "E*Base  Idle 0.000-0.500",
            "E*ways to Jump, in the last step that looked at each [[]s]",
            "E*0.483-0.500  Base: *Idle -> Jump: condition jump == true does not hold: it is false",
        ]
    )


@pytest.mark.parametrize(
    "call",
    [
        "step(0.5).assert_state('Jump')",
        "until('Jump', within=0.1)",
        "assert_time(7.0)",
        "assert_weights({'idle': 0.5})",
        "assert_visited('Idle')",
        "assert_state('Jmp')",
        "assert_transitioning(layer='Upper')",
        "step(-1.0)",
        "set(sped=1.0)",
        "trigger('jmp')",
        "weights(3)",
    ],
)
def test_failure_points_at_the_test(pytester: pytest.Pytester, pytestconfig: pytest.Config, call: str) -> None:
    pytester.makepyfile(GRAPH + f"def test(scenario):\n    scenario(graph, rig).{call}\n")
    result = run(pytester, pytestconfig)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">*scenario(graph, rig).{call}".replace("[", "[[]"), "test_*.py:*Error"])
    result.stdout.no_fnmatch_line("*skelter/*.py:*")


def test_wrong_graph_points_at_the_test(pytester: pytest.Pytester, pytestconfig: pytest.Config) -> None:
    pytester.makepyfile(GRAPH + "def test(scenario):\n    scenario(graph, rig, clips={'Idl': 'idle'})\n")
    result = run(pytester, pytestconfig)
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*skelter/*.py:*")


def test_a_project_may_have_a_fixture_of_that_name(pytester: pytest.Pytester, pytestconfig: pytest.Config) -> None:
    pytester.makepyfile(
        "import pytest\n@pytest.fixture\ndef scenario():\n    return 7\ndef test(scenario):\n    assert scenario == 7\n"
    )
    run(pytester, pytestconfig).assert_outcomes(passed=1)


def test_the_plugin_loads_nothing_heavy() -> None:
    code = (
        "import sys, skelter.testing.pytest_plugin; print([name for name in ('numpy', 'numba', 'msgspec', 'hypothesis',"
        " 'skelter.graph.graph') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
