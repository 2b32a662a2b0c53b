#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/product_of_exponentials.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/study/poe/poe_functions.h"
#include "civita/study/poe/poe_states.h"
#include "python/src/bind/bind.h"
#include "python/src/support/arrays.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/signal_watch.h"

// For civita.poe: chains of screws and the functions of Modern Robotics, chapter 8.

namespace civita::python {
namespace {

using RobotPtr = std::shared_ptr<poe::Robot>;

RobotPtr MakeRobot(nb::handle M_list, nb::handle G_list, nb::handle S_list, nb::handle gravity) {
  poe::Lists lists;
  for (nb::handle M : M_list) lists.M_list.emplace_back(ReadMatrix(M, "M_list", 4, 4));
  for (nb::handle G : G_list) lists.G_list.emplace_back(ReadMatrix(G, "G_list", 6, 6));
  std::vector<Eigen::VectorXd> screws;
  for (nb::handle S : S_list) screws.push_back(ReadVector(S, "S_list", 6));
  lists.S_list.resize(6, static_cast<Index>(screws.size()));
  for (std::size_t i = 0; i < screws.size(); ++i) {
    lists.S_list.col(static_cast<Index>(i)) = screws[i];
  }
  return std::make_shared<poe::Robot>(lists, ReadVector(gravity, "gravity", 3));
}

RobotPtr ReadRobot(const std::filesystem::path& path) {
  const std::string file = path.string();
  std::optional<poe::Robot> robot = ReadPoeFile(file);
  if (!robot) throw UserError(file + ": has no M_list, G_list, S_list");
  return std::make_shared<poe::Robot>(*std::move(robot));
}

/// The inputs of a function and whether they are a trajectory.
std::pair<PoeStates, std::optional<Index>> ReadInputs(const PoeFunction& function,
                                                      const nb::dict& inputs, int n) {
  std::vector<std::pair<PoeInput, ArrayIn>> arrays;
  for (const PoeInput input : function.inputs) {
    const PoeInputInfo& info = InfoOf(input);
    const nb::object given = inputs.attr("get")(nb::str(info.name.data(), info.name.size()));
    if (given.is_none()) continue;
    arrays.emplace_back(input, ReadArray(given, info.name.data(), info.width > 0 ? info.width : n));
  }
  std::vector<ArrayIn*> all;
  for (auto& [input, array] : arrays) all.push_back(&array);
  const std::optional<Index> count = CountOf(all);
  PoeStates states(static_cast<std::size_t>(count.value_or(1)), n);
  for (const auto& [input, array] : arrays) {
    for (Index s = 0; s < count.value_or(1); ++s) {
      states.Set(input, static_cast<std::size_t>(s),
                 {array.data + s * array.size, static_cast<std::size_t>(array.size)},
                 std::string(InfoOf(input).name));
    }
  }
  return {std::move(states), count};
}

nb::object CallPoe(const std::string& name, const RobotPtr& robot, const nb::dict& inputs,
                   double dt, int resolution) {
  if (!(dt > 0)) throw UserError("dt: not positive");
  if (resolution < 1) throw UserError("resolution: at least 1");
  const PoeFunction& function = FindPoeFunction(name);
  const int n = robot ? robot->model().nv() : 1;
  const auto [states, count] = ReadInputs(function, inputs, n);
  std::vector<std::vector<double>> results(function.outputs.size());
  std::vector<std::vector<std::size_t>> shapes;
  for (const PoeOutput& output : function.outputs) {
    shapes.push_back(ShapeOf(output, static_cast<std::size_t>(n)));
  }
  SignalWatch watch;
  {
    const nb::gil_scoped_release release;
    PoeInstant instant(robot.get(), n, dt, resolution);
    for (std::size_t s = 0; s < states.size() && !watch.raised(); ++s) {
      instant.Set(states, s);
      std::vector<std::vector<double>> numbers;
      for (const auto& shape : shapes) {
        numbers.emplace_back(shape.size() == 1 ? shape[0] : shape[0] * shape[1]);
      }
      const std::vector<std::span<double>> out(numbers.begin(), numbers.end());
      function.calc(instant, out);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        results[i].insert(results[i].end(), numbers[i].begin(), numbers[i].end());
      }
    }
  }
  watch.Rethrow();
  nb::list arrays;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (count) shapes[i].insert(shapes[i].begin(), states.size());
    arrays.append(ToArray(results[i], shapes[i]));
  }
  return nb::len(arrays) == 1 ? nb::object(arrays[0]) : nb::object(nb::tuple(arrays));
}

}  // namespace

void BindPoe(nb::module_& module) {
  nb::class_<poe::Robot>(
      module, "PoeRobot",
      "A serial chain as a product of exponentials ([LP], chapter 8), made by from_lists or "
      "from_file.")
      .def_static(
          "from_lists", MakeRobot, nb::arg("M_list"), nb::arg("G_list"), nb::arg("S_list"),
          nb::arg("gravity") = nb::make_tuple(0.0, 0.0, -9.81),
          nb::sig("def from_lists(M_list: collections.abc.Iterable[ArrayLike], G_list: "
                  "collections.abc.Iterable[ArrayLike], S_list: "
                  "collections.abc.Iterable[ArrayLike], gravity: ArrayLike = (0.0, 0.0, "
                  "-9.81)) -> PoeRobot"),
          "Parameters\n----------\nM_list : array_like, (n + 1, 4, 4)\n    Link frame i in "
          "link frame i - 1 at home; the last is the tip in the last link.\nG_list : "
          "array_like, (n, 6, 6)\n    Spatial inertias in the link frames.\nS_list : "
          "array_like, (n, 6)\n    Screw axes [angular; linear] in the space frame, a row a "
          "joint.\ngravity : array_like, (3,)\n    m/s², in the space frame.")
      .def_static("from_file", ReadRobot, nb::arg("file"),
                  nb::sig("def from_file(file: str | os.PathLike[str]) -> PoeRobot"),
                  "The chain of a YAML file, see docs/poe.md.")
      .def_prop_ro(
          "model",
          [](const poe::Robot& self) {
            return std::make_shared<LoadedModel>(LoadedModel{self.model(), "poe", {}, {}, {}});
          },
          "Its Model, with bodies link1, …, tip and joints joint1, ….");
  module.def(
      "call_poe", CallPoe, nb::arg("name"), nb::arg("robot").none(), nb::arg("inputs"),
      nb::arg("dt"), nb::arg("resolution"),
      nb::sig("def call_poe(name: str, robot: PoeRobot | None, inputs: dict[str, typing.Any], "
              "dt: float, resolution: int) -> typing.Any"),
      "A function of civita.poe by its name.");
}

}  // namespace civita::python
