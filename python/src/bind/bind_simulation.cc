#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/sim/simulation.h"
#include "civita/study/open_scene.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/stepped_scene.h"
#include "python/src/support/loaded_model.h"

namespace civita::python {
namespace {

void Construct(SteppedScene* self, const std::string& scene,
               const std::vector<std::string>& overrides, std::optional<int> seed) {
  new (self) SteppedScene({.scene = scene, .overrides = overrides, .seed = seed, .called = {}});
}

const SceneConfig& ConfigOf(const SteppedScene& self) { return self.simulation().scene().config; }

std::vector<std::string> BodiesOf(const SteppedScene& self) {
  const mjModel& m = *self.simulation().mj();
  std::vector<std::string> names;
  for (int body = 0; body < m.nbody; ++body) names.emplace_back(m.names + m.name_bodyadr[body]);
  return names;
}

std::shared_ptr<LoadedModel> ModelOf(const SteppedScene& self) {
  const SceneData& scene = self.simulation().scene();
  return std::make_shared<LoadedModel>(
      LoadedModel{scene.plant,
                  scene.config.name,
                  {},
                  {},
                  "they are those of the scene, which it does not tell"});
}

}  // namespace

void BindSimulation(nb::module_& module) {
  nb::class_<SteppedState>(module, "SteppedState", "A saved state: see civita.Simulation.");
  nb::class_<SteppedScene>(module, "SteppedScene", "A scene: see civita.Simulation.")
      .def("__init__", Construct, nb::arg("scene"), nb::arg("overrides"), nb::arg("seed").none())
      .def(
          "another",
          [](const SteppedScene& self, int seed) {
            return std::make_unique<SteppedScene>(self, seed);
          },
          nb::arg("seed"))
      .def("reset", &SteppedScene::Reset, nb::arg("seed").none())
      .def("step", &SteppedScene::Step, nb::arg("tau").none(), nb::arg("n"),
           nb::sig("def step(self, tau: ArrayLike | None, n: int) -> None"))
      .def("save", &SteppedScene::Save)
      .def("restore", &SteppedScene::Restore, nb::arg("state"))
      .def("share", &SteppedScene::Share, nb::arg("find_mujoco"),
           nb::sig("def share(self, find_mujoco: collections.abc.Callable[[], typing.Any]) -> "
                   "tuple[typing.Any, typing.Any]"))
      .def("pose", &SteppedScene::Pose, nb::arg("body").none(),
           nb::sig("def pose(self, body: int | None) -> tuple[Array, Array]"))
      .def("render", &SteppedScene::Render, nb::arg("width"), nb::arg("height"), nb::arg("light"))
      .def_prop_ro("contacts", &SteppedScene::Contacts,
                   nb::sig("def contacts(self) -> tuple[Array, Array, Array, Array, Array]"))
      .def_prop_ro("row", &SteppedScene::row, nb::sig("def row(self) -> Array"))
      .def_prop_ro(
          "signals", [](const SteppedScene& self) { return ListSignals(self.table().signals()); },
          nb::sig("def signals(self) -> list[tuple[str, str, str, int, int]]"))
      .def_prop_ro("bodies", BodiesOf)
      .def_prop_ro("q", &SteppedScene::q, nb::sig("def q(self) -> Array"))
      .def_prop_ro("v", &SteppedScene::v, nb::sig("def v(self) -> Array"))
      .def_prop_ro("t", &SteppedScene::t)
      .def_prop_ro("dt", [](const SteppedScene& self) { return self.simulation().control_dt(); })
      .def_prop_ro("seed", [](const SteppedScene& self) { return ConfigOf(self).seed; })
      .def_prop_ro("failure", &SteppedScene::failure)
      .def_prop_ro("model", ModelOf)
      .def_prop_ro("config", [](const SteppedScene& self) { return ToYaml(ConfigOf(self)); })
      .def_prop_ro("notices",
                   [](const SteppedScene& self) { return self.simulation().scene().notices; })
      .def_prop_ro("scene", [](const SteppedScene& self) { return ConfigOf(self).name; });
  nb::class_<SteppedBatch>(module, "SteppedBatch", "Scenes: see civita.SimulationBatch.")
      .def(nb::init<std::vector<SteppedScene*>, int>(), nb::arg("scenes"), nb::arg("threads"),
           nb::keep_alive<1, 2>())
      .def("step", &SteppedBatch::Step, nb::arg("tau").none(), nb::arg("n"),
           nb::sig("def step(self, tau: ArrayLike | None, n: int) -> None"))
      .def("row", &SteppedBatch::Row, nb::arg("first"), nb::arg("count"),
           nb::sig("def row(self, first: int, count: int) -> Array"))
      .def_prop_ro("q", &SteppedBatch::q, nb::sig("def q(self) -> Array"))
      .def_prop_ro("v", &SteppedBatch::v, nb::sig("def v(self) -> Array"))
      .def_prop_ro("t", &SteppedBatch::t, nb::sig("def t(self) -> Array"))
      .def_prop_ro("threads", &SteppedBatch::threads);
}

}  // namespace civita::python
