import numpy
import pytest

import civita

# Hinges and slides; ball and free joints; branches; a closed chain's tree.
MODELS = ["arm7", "ur5", "ball_arm", "quadruped", "space_arm", "planar_2r"]


@pytest.fixture(scope="session", params=MODELS)
def model(request):
    return civita.Model.from_file(request.param)


@pytest.fixture
def state(model):
    """A generator of random states: state(), or state(N)."""
    return lambda count=None: random_state(model, count)


def random_state(model, count=None, seed=1):
    rng = numpy.random.default_rng(seed)
    shape = (model.nv,) if count is None else (count, model.nv)
    step = rng.normal(size=shape)
    start = numpy.broadcast_to(model.default_position, shape[:-1] + (model.nq,))
    return model.integrate_position(start, step), rng.normal(size=shape)


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the slow tests too")
    parser.addoption("--part", default="1/1", help="K/N: the Kth of N parts of the files")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: run by --slow alone")


def pytest_ignore_collect(collection_path, config):
    part, parts = map(int, config.getoption("--part").split("/"))
    files = sorted(collection_path.parent.glob("*_test.py"))
    if collection_path in files and files.index(collection_path) % parts != part - 1:
        return True
    return None


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run by --slow"))
