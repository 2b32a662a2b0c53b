import ast
import importlib.util
import pathlib
import sys

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


# Tests whose packages are not there are skipped by name, each test of a file that imports one at its top,
# too. `--missing-to` keeps their names in a file, `--missing-of` runs those of such files alone.


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the slow tests too")
    parser.addoption("--part", default="1/1", help="K/N: the Kth of N parts of the files")
    parser.addoption("--missing-to", metavar="FILE", help="keep the names of tests without their packages")
    parser.addoption("--missing-of", metavar="FILE", action="append",
                     help="run the tests that such a file names; all if there is none")  # fmt: skip


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: run by --slow alone")
    config.missing = []


def part_of(files, config):
    part, parts = map(int, config.getoption("--part").split("/"))
    return files[part - 1 :: parts]


def kept_names(config):
    """The tests that --missing-of names, or None for all."""
    files = [pathlib.Path(file) for file in config.getoption("--missing-of") or ()]
    if not any(file.exists() for file in files):
        return None
    return {name for file in files if file.exists() for name in file.read_text().splitlines()}


def pytest_ignore_collect(collection_path, config):
    files = sorted(collection_path.parent.glob("*_test.py"))
    names = kept_names(config)
    if names is not None:
        files = [file for file in files if any(f"/{file.name}" in name for name in names)]
        return (
            True
            if collection_path.suffix == ".py" and collection_path not in part_of(files, config)
            else None
        )
    if collection_path in files and collection_path not in part_of(files, config):
        return True
    return None


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run by --slow"))
    names = kept_names(config)
    if names is not None:
        wanted = [item for item in items if item.nodeid in names or item.nodeid.split("[")[0] in names]
        config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
        items[:] = wanted


def missing_package(name):
    """The package of a module, if it is not there."""
    package = name.split(".")[0]
    if package in sys.modules or importlib.util.find_spec(package):
        return None
    return package


def imported_at_the_top(tree):
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(call := getattr(node, "value", None), ast.Call):
            if getattr(call.func, "attr", "") == "importorskip":
                yield call.args[0].value


class TestWithoutPackage(pytest.Item):
    package = ""

    def runtest(self):
        pytest.skip(f"no package {self.package}")


class FileWithoutPackage(pytest.File):
    tree = None
    package = ""

    def collect(self):
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                item = TestWithoutPackage.from_parent(self, name=node.name)
                item.package = self.package
                yield item


def pytest_pycollect_makemodule(module_path, parent):
    if parent.config.getoption("--missing-of"):
        return None
    tree = ast.parse(module_path.read_text())
    package = next(filter(None, map(missing_package, imported_at_the_top(tree))), None)
    if package is None:
        return None
    file = FileWithoutPackage.from_parent(parent, path=module_path)
    file.tree, file.package = tree, package
    return file


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, ModuleNotFoundError) and error.name and missing_package(error.name):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: no package {missing_package(error.name)}")
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        if "no package" in reason or "could not import" in reason:
            item.config.missing.append(item.nodeid)
            if item.config.getoption("--missing-of"):
                report.outcome, report.longrepr = "failed", reason
    return report


def pytest_terminal_summary(terminalreporter, config):
    for report in terminalreporter.stats.get("skipped", []):
        terminalreporter.write_line(f"[  SKIPPED ] {report.nodeid}: {report.longrepr[2]}")
    if file := config.getoption("--missing-to"):
        pathlib.Path(file).write_text("".join(f"{name}\n" for name in config.missing))


def pytest_sessionfinish(session, exitstatus):
    # None of the tests that a part was to run.
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and kept_names(session.config) is not None:
        session.exitstatus = pytest.ExitCode.OK
