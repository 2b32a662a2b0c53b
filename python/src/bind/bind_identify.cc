#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/study/identify/identify.h"
#include "civita/study/identify/recorded_motion.h"
#include "python/src/bind/bind.h"
#include "python/src/support/arrays.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/quiet_mujoco.h"

namespace nb = nanobind;

namespace civita::python {
namespace {

/// Paths of runs and CSV files, and tuples (name, t, q, v, tau, held) of arrays with a row a time.
std::vector<MotionSamples> ReadMotions(const nb::list& motions, const Model& model) {
  std::vector<MotionSamples> read;
  for (const nb::handle motion : motions) {
    if (nb::isinstance<nb::str>(motion)) {
      const auto path = nb::cast<std::string>(motion);
      const QuietMujoco quiet;
      read.push_back(ReadMotion(path, model));
      continue;
    }
    const auto item = nb::cast<nb::tuple>(motion);
    ArrayIn q = ReadArray(item[2], "q", model.nq()), v = ReadArray(item[3], "v", model.nv()),
            tau = ReadArray(item[4], "tau", model.nv());
    const std::optional<Eigen::Index> count = CountOf({&q, &v, &tau});
    if (!count) throw nb::value_error("q, v and tau need a row for each time");
    read.push_back({.name = nb::cast<std::string>(item[0]),
                    .t = ReadVector(item[1], "t", *count),
                    .q = q.columns(),
                    .v = v.columns(),
                    .tau = tau.columns(),
                    .torque_is_held = nb::cast<bool>(item[5])});
  }
  return read;
}

std::string IdentifyMotions(const LoadedModel& model, const nb::list& motions,
                            const nb::list& held_out, double window, bool armature) {
  const std::vector<MotionSamples> fitted = ReadMotions(motions, model.model),
                                   others = ReadMotions(held_out, model.model);
  const nb::gil_scoped_release release;
  return FormatIdentificationJson(
      Identify(model.model, fitted, others, {.window = window, .armature = armature}));
}

LoadedModel RunModel(const std::string& directory) {
  const QuietMujoco quiet;
  return {ReadRunModel(directory), directory, {}, {}, {}};
}

}  // namespace

void BindIdentify(nb::module_& module) {
  module.def("identify", IdentifyMotions, nb::arg("model"), nb::arg("motions"), nb::arg("held_out"),
             nb::arg("window"), nb::arg("armature"),
             nb::sig("def identify(model: Model, motions: list[typing.Any], held_out: "
                     "list[typing.Any], window: float, armature: bool) -> str"));
  module.def("run_model", RunModel, nb::arg("directory"),
             nb::sig("def run_model(directory: str) -> Model"));
}

}  // namespace civita::python
