"""Every shared scenario, through both clients."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

import pytest

import levels
from scenario_format import Scenario, load_all
from scenario_recorder import LOGGER
from scenario_run import Asyncio, Blocking, Package, Stage

# Most of a scenario is waiting for the other side.
AT_ONCE = 4
SCENARIOS = load_all()
PACKAGES: dict[str, Package] = {"Client": Blocking(), "AsyncClient": Asyncio()}

Runs = dict[str, "Future[list[str]]"]


@pytest.fixture(scope="module", params=PACKAGES)
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    """All scenarios, started at once on a few sandboxes."""
    views = {each["name"]: each["view"] for each in levels.MANIFEST["operations"]}
    views["ensure_payment"] = [*views["create_payment"], "is_created", "unchecked", "other_hash"]
    views["error"] = levels.MANIFEST["error_members"]
    stages: SimpleQueue[Stage] = SimpleQueue()
    made = [Stage(PACKAGES[request.param], views) for _ in range(AT_ONCE)]
    for stage in made:
        stages.put(stage)

    def run(scenario: Scenario) -> list[str]:
        stage = stages.get()
        try:
            return stage.run(scenario)
        finally:
            stages.put(stage)

    # For all at once, since they share the logger.
    LOGGER.setLevel(logging.DEBUG)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        part = os.environ.get("SCENARIO", "")
        yield {each.name: threads.submit(run, each) for each in SCENARIOS if part in each.name}
    LOGGER.setLevel(logging.NOTSET)
    for stage in made:
        stage.sandbox.close()


@pytest.mark.parametrize("name", [each.name for each in SCENARIOS])
def test_scenario_has_its_expected_results(name: str, runs: Runs) -> None:
    if name in runs:
        assert runs[name].result() == []


def test_every_scenario_of_the_level_ran_once(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sorted(each.name for each in SCENARIOS) == levels.SCENARIOS
    failed = [name for name, run in runs.items() if run.result()]
    with capsys.disabled():
        print(f" {len(runs)} scenarios run, {len(failed)} failed ", end="")
    if "SCENARIO" not in os.environ:
        assert len(runs) == len(levels.SCENARIOS) > 0
