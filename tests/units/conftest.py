"""Fixtures of the unit programs' tests."""

from collections.abc import Iterator

import pytest

from tests.support.units.engine_bench import BUNDLED, SLOTS, Bench, CountingContext, Ear
from tests.support.units.far_silero import FarSilero
from tests.support.units.tool_asker import KNOWING, Asker
from units.llm.context import Alarm
from units.llm.engine import Engine
from units.llm.grammars import Grammars
from units.llm.llama import Model


@pytest.fixture(scope="session")
def model() -> Model:
    """The bundled weights."""
    return Model(str(BUNDLED), lambda fraction: None)


@pytest.fixture(scope="module")
def silero_process() -> Iterator[None]:
    """Run the process of the detectors `FarSilero`."""
    with FarSilero.running():
        yield


@pytest.fixture
def grammars(model: Model) -> Iterator[Grammars]:
    """The processes of its grammars."""
    grammars = Grammars(model)
    yield grammars
    grammars.close()


@pytest.fixture
def bench(model: Model, grammars: Grammars) -> Iterator[Bench]:
    """A fresh engine in exact mode."""
    alarm = Alarm()
    context = CountingContext(model, alarm, slots=SLOTS, context=512, threads=1, exact=True)
    yield Bench(model, grammars, Engine(model, context, alarm, slots=SLOTS, is_exact=True), Ear(), context)
    context.close()


@pytest.fixture
def asker() -> Iterator[Asker]:
    """The bundled model."""
    asker = Asker()
    yield asker
    asker.close()


@pytest.fixture
def knowing(model: Model, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The bundled model with a template that knows calls."""
    monkeypatch.setattr(Model, "chat_template", KNOWING)
    return model


@pytest.fixture
def plain(model: Model, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The bundled model without a template of its own."""
    monkeypatch.setattr(Model, "chat_template", None)
    return model
