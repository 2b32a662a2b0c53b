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

MotionSamples ReadFile(const std::string& path, const LoadedModel& model) {
  const QuietMujoco quiet;
  return ReadMotion(path, model.model);
}

/// Of arrays with a row a time.
MotionSamples ReadArrays(const LoadedModel& model, const std::string& name, nb::handle t,
                         nb::handle q, nb::handle v, nb::handle tau, bool held) {
  ArrayIn q_in = ReadArray(q, "q", model.model.nq()), v_in = ReadArray(v, "v", model.model.nv()),
          tau_in = ReadArray(tau, "tau", model.model.nv());
  const std::optional<Eigen::Index> count = CountOf({&q_in, &v_in, &tau_in});
  if (!count) throw nb::value_error("q, v and tau need a row for each time");
  return {.name = name,
          .t = ReadVector(t, "t", *count),
          .q = q_in.columns(),
          .v = v_in.columns(),
          .tau = tau_in.columns(),
          .torque_is_held = held};
}

std::string IdentifyMotions(const LoadedModel& model, const std::vector<MotionSamples>& motions,
                            const std::vector<MotionSamples>& held_out, double window,
                            bool armature) {
  const nb::gil_scoped_release release;
  return FormatIdentificationJson(
      Identify(model.model, motions, held_out, {.window = window, .armature = armature}));
}

LoadedModel RunModel(const std::string& directory) {
  const QuietMujoco quiet;
  return {ReadRunModel(directory), directory, {}, {}, {}};
}

}  // namespace

void BindIdentify(nb::module_& module) {
  module.def("identify", IdentifyMotions, nb::arg("model"), nb::arg("motions"), nb::arg("held_out"),
             nb::arg("window"), nb::arg("armature"));
  module.def("read_motion", ReadFile, nb::arg("path"), nb::arg("model"));
  module.def("motion_of_arrays", ReadArrays, nb::arg("model"), nb::arg("name"), nb::arg("t"),
             nb::arg("q"), nb::arg("v"), nb::arg("tau"), nb::arg("held"),
             nb::sig("def motion_of_arrays(model: Model, name: str, t: ArrayLike, q: ArrayLike, "
                     "v: ArrayLike, tau: ArrayLike, held: bool) -> MotionSamples"));
  module.def("run_model", RunModel, nb::arg("directory"));
}

}  // namespace civita::python
