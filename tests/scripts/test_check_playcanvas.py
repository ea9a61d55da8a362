"""The check against PlayCanvas must see what is wrong: most tests here break one thing."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
GOLDEN = Path(__file__).parents[1] / "golden" / "playcanvas"

sys.path.insert(0, str(SCRIPTS))
SPEC = importlib.util.spec_from_file_location("check_playcanvas", SCRIPTS / "check_playcanvas.py")
assert SPEC is not None
assert SPEC.loader is not None
check_playcanvas: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_playcanvas)

from playcanvas import verdict as verdicts  # noqa: E402
from playcanvas.comparison import arc_slack  # noqa: E402
from playcanvas.curves import normalized, slerp  # noqa: E402
from playcanvas.differences import PAGE, list_text, page_text, read_cases  # noqa: E402
from playcanvas.explanation import Witness  # noqa: E402
from playcanvas.frames import find_recordings, read_recording  # noqa: E402
from playcanvas.quirks import ALL, FOLLOWED, NAMES, QUIRKS  # noqa: E402

sys.path.remove(str(SCRIPTS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the recordings, of which all holds."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "cases"))


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the script: what it is given on the command line to its exit status and its text."""

    def check(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["check_playcanvas", str(folder), *arguments])
        return check_playcanvas.main(), capsys.readouterr().out

    return check


def spoil(folder: Path, name: str, change: Any) -> None:
    path = folder / name
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def listed(folder: Path, **quirks: tuple[str, ...]) -> str:
    """Write a list that says of cases what their quirks are."""
    cases = {
        name: (verdicts.digest(json.loads((folder / f"{name}.job.json").read_text())), names)
        for name, names in quirks.items()
    }
    path = folder / "list.toml"
    path.write_text(list_text(cases))
    return str(path)


def last(text: str) -> str:
    return text.splitlines()[-1]


# ---- recordings that are wrong


def test_no_case_fails(run: Any) -> None:
    status, text = run("--only", "nothing")
    assert status == 1
    assert last(text) == "FAILED: no case matches"


def test_wrong_state_fails(folder: Path, run: Any) -> None:
    def change(result: dict[str, Any]) -> None:
        result["steps"][12]["layers"]["Base"]["activeState"] = "Walk"

    spoil(folder, "jump.result.json", change)
    status, text = run("--only", "jump")
    assert status == 1
    assert "step 12: Base: active is Jump, recorded Walk; not explained" in text
    assert last(text).startswith("FAILED: 1 cases")


@pytest.mark.parametrize("key", ["activeStateProgress", "transitionProgress"])
def test_wrong_progress_fails(folder: Path, run: Any, key: str) -> None:
    def change(result: dict[str, Any]) -> None:
        result["steps"][4]["layers"]["Base"][key] += 2e-6

    spoil(folder, "jump.result.json", change)
    status, text = run("--only", "jump")
    assert status == 1
    assert "progress is" in text


def test_wrong_trigger_fails(folder: Path, run: Any) -> None:
    def change(result: dict[str, Any]) -> None:
        result["steps"][9]["parameters"]["jump"] = True

    spoil(folder, "jump.result.json", change)
    status, text = run("--only", "jump")
    assert status == 1
    assert "parameter jump is 0.0, recorded True" in text


@pytest.mark.parametrize(("step", "shift"), [(2, 2e-5), (5, 4e-4)])
def test_wrong_joint_fails(folder: Path, run: Any, step: int, shift: float) -> None:
    def change(result: dict[str, Any]) -> None:
        result["steps"][step]["bones"]["Hips"]["t"][1] += shift

    spoil(folder, "jump.dense.result.json", change)
    status, text = run("--only", "jump")
    assert status == 1
    assert f"step {step}: Hips.t is off by" in text


def test_missing_frames_fail(folder: Path, run: Any) -> None:
    for name in ("jump.result.json", "jump.dense.result.json"):
        spoil(folder, name, lambda result: result["steps"].pop())
    status, text = run("--only", "jump")
    assert status == 1
    assert "20 frames are recorded of 21 steps" in text


def test_exception_of_the_engine_that_the_model_does_not_know_fails(folder: Path, run: Any) -> None:
    for name in ("jump.result.json", "jump.dense.result.json"):
        spoil(folder, name, lambda result: result["steps"].__setitem__(slice(3, None), [{"error": "TypeError: x"}]))
    status, text = run("--only", "jump")
    assert status == 1
    assert "step 3: TypeError: x; the model of the engine does not throw" in text


def test_graph_that_neither_can_play_is_explained(folder: Path, run: Any) -> None:
    def change(job: dict[str, Any]) -> None:
        job["stateGraph"]["layers"][0]["transitions"][0]["to"] = "Nowhere"

    spoil(folder, "jump.job.json", change)
    for name in ("jump.result.json", "jump.dense.result.json"):
        spoil(folder, name, lambda result: result.update(steps=[{"error": "TypeError: x"}]))
    status, text = run("--only", "jump")
    assert status == 0
    assert "because of throws" in text


def test_every_second_frame_is_enough(folder: Path, run: Any) -> None:
    spoil(folder, "jump.job.json", lambda job: job["output"].update(every=2))
    for name in ("jump.result.json", "jump.dense.result.json"):
        spoil(folder, name, lambda result: result.update(steps=result["steps"][1::2]))
    status, text = run("--only", "jump")
    assert status == 0
    assert "1 cases, 10 frames equal: 1 equal" in last(text)


def test_recording_that_the_model_does_not_give_explains_nothing(folder: Path, run: Any) -> None:
    def change(result: dict[str, Any]) -> None:
        result["steps"][5]["layers"]["Base"]["activeStateProgress"] += 1e-3

    spoil(folder, "outside.result.json", change)
    status, text = run("--only", "outside")
    assert status == 1
    assert "the model gives something else than the engine" in text


def test_wrong_fuzz_file_fails(folder: Path, run: Any) -> None:
    path = folder / "fuzz" / "000.json.gz"
    both = json.loads(gzip.decompress(path.read_bytes()))
    both["result"]["steps"][3]["layers"]["Base"]["previousState"] = None
    path.write_bytes(gzip.compress(json.dumps(both).encode()))
    status, text = run("--only", "000")
    assert status == 1
    assert "FAIL      fuzz/000" in text


# ---- skelter that is wrong


@pytest.mark.parametrize("engine", ["ReferenceDriver", "CpuDriver"])
def test_wrong_engine_fails(run: Any, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    driver = getattr(verdicts, engine)
    right = driver.frame

    def frame(self: Any) -> Any:
        found = right(self)
        found.bones["Arm"].r[0] += 5e-4
        return found

    monkeypatch.setattr(driver, "frame", frame)
    status, text = run("--only", "jump")
    assert status == 1
    assert "Arm.r is off by" in text


def test_weights_that_do_not_sum_to_one_fail(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    right = verdicts.ReferenceDriver.frame

    def frame(self: Any) -> Any:
        found = right(self)
        for layer in found.layers.values():
            layer.clips[0].weight += 1e-6
        return found

    monkeypatch.setattr(verdicts.ReferenceDriver, "frame", frame)
    status, text = run("--only", "jump")
    assert status == 1
    assert "weights of layer Base sum to" in text


def test_exception_fails(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def advance(_: Any, __: float) -> None:
        raise ArithmeticError("broken")

    monkeypatch.setattr(verdicts.CpuDriver, "advance", advance)
    status, text = run("--only", "jump")
    assert status == 1
    assert "ArithmeticError: broken" in text


# ---- the list


def test_difference_that_the_list_does_not_have_fails(folder: Path, run: Any) -> None:
    status, text = run("--list", listed(folder, outside=()))
    assert status == 1
    assert "the list says equal, but it is outside-1d-zero" in text


def test_difference_that_is_gone_fails(folder: Path, run: Any) -> None:
    status, text = run("--list", listed(folder, jump=("end-once",)))
    assert status == 1
    assert "the list says end-once, but it is equal" in text


def test_difference_for_another_reason_fails(folder: Path, run: Any) -> None:
    status, text = run("--list", listed(folder, outside=("end-once", "outside-1d-zero")))
    assert status == 1
    assert "the list says end-once + outside-1d-zero, but it is outside-1d-zero" in text


def test_list_does_not_mind_another_job_of_the_same_name(folder: Path, run: Any) -> None:
    path = listed(folder, outside=())
    spoil(folder, "outside.job.json", lambda job: job.update(note="another one"))
    assert run("--list", path, "--only", "outside")[0] == 0


def test_list_can_be_written(folder: Path, run: Any) -> None:
    path = folder / "list.toml"
    assert run("--list", str(path), "--write-list")[0] == 0
    cases = read_cases(path)
    assert {name: quirks for name, (_, quirks) in cases.items()} == {
        "interrupted": (),
        "jump": (),
        "nested": ("nested-trees-crash",),
        "outside": ("outside-1d-zero",),
        "upper_body": (),
    }
    status, text = run("--list", str(path))
    assert status == 0
    assert "of 5 in the list 3 equal, 2 explained" in last(text)


def test_list_names_quirks_that_exist() -> None:
    cases = read_cases()
    assert {name for _, quirks in cases.values() for name in quirks} <= ALL
    assert sum(not quirks for _, quirks in cases.values()) >= 80


def test_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_text(read_cases())


# ---- what holds


def test_recordings_are_equal_or_explained(run: Any) -> None:
    status, text = run()
    assert status == 0, text
    assert "3 equal (1 by skelter's own rules, too), 3 explained, 0 wrong" in last(text)


def test_json_has_a_line_per_case(run: Any) -> None:
    status, text = run("--json")
    cases = {case["name"]: case for case in map(json.loads, text.splitlines()[:-1])}
    assert status == 0
    assert cases["jump"]["kind"] == "equal"
    assert cases["nested"]["quirks"] == ["nested-trees-crash"]
    assert cases["fuzz/000"]["quirks"] == ["assign-while-playing"]


def test_quirks_are_told_apart() -> None:
    assert len(set(NAMES)) == len(QUIRKS)
    assert FOLLOWED < ALL
    assert all(quirk.engine.endswith(".") and quirk.skelter.endswith(".") for quirk in QUIRKS)


@pytest.mark.parametrize("path", find_recordings(GOLDEN), ids=lambda path: path.name)
def test_model_gives_what_was_recorded(path: Path) -> None:
    assert Witness.of(read_recording(path)).doubt() is None


@pytest.mark.parametrize(
    ("name", "quirk"),
    [("outside", "outside-1d-zero"), ("interrupted", "sequential-blend"), ("jump", "unkeyed-sticky")],
)
def test_model_without_a_quirk_gives_something_else(name: str, quirk: str) -> None:
    witness = Witness.of(read_recording(GOLDEN / f"{name}.job.json"))
    assert witness.disagreement(ALL) is None
    assert witness.disagreement(ALL - {quirk}) is not None


def test_arc_slack_bounds_nlerp() -> None:
    a = [0.0, 0.0, 0.0, 1.0]
    b = normalized([0.6, -0.2, 0.4, 0.3])
    errors = []
    for step in range(101):
        u = step / 100
        mixed = normalized([x * (1 - u) + y * u for x, y in zip(a, b, strict=True)])
        errors.append(max(abs(x - y) for x, y in zip(mixed, slerp(a, b, u), strict=True)))
    assert 0.5 * arc_slack(a, b) <= max(errors) <= arc_slack(a, b)


def test_recorded_cases() -> None:
    """Hold a folder of recordings to the list, if there is one."""
    recordings = os.environ.get("SKELTER_PLAYCANVAS")
    if not recordings:
        pytest.skip("SKELTER_PLAYCANVAS is not set: it names a folder of recordings of PlayCanvas")
    for path in find_recordings(Path(recordings)):
        assert verdicts.judge(path, verdicts.read_list()).problems == []
