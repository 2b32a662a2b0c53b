#include "python/src/support/wrenches.h"

#include <nanobind/stl/string.h>

#include "python/src/support/arguments.h"
#include "python/src/support/arrays.h"

namespace civita::python {

Wrenches::Wrenches(const Model& model, nb::handle forces, std::optional<Index> count) {
  if (forces.is_none()) return;
  if (!nb::isinstance<nb::dict>(forces))
    throw nb::type_error("forces: not a dict from names of frames to [moment; force]");
  for (const auto& [key, value] : nb::cast<nb::dict>(forces)) {
    std::string frame;
    if (!nb::try_cast(key, frame)) throw nb::type_error("forces: a key is not a frame's name");
    const std::string name = "forces['" + frame + "']";
    const ArrayIn in = ReadArray(value, name.c_str(), 6);
    if (in.count && in.count != count) {
      throw nb::value_error((name + ": " + std::to_string(*in.count) + " states, not " +
                             (count ? std::to_string(*count) : "one"))
                                .c_str());
    }
    rows_.push_back({&FrameOf(model, frame), in.columns()});
  }
}

std::vector<ExternalForce<double>> Wrenches::At(Index state) const {
  std::vector<ExternalForce<double>> forces;
  for (const Row& row : rows_) {
    const auto wrench = row.wrenches.col(row.wrenches.cols() > 1 ? state : 0);
    forces.push_back(
        ForceOnFrame(*row.frame, Eigen::Vector3d::Zero(), wrench.head<3>(), wrench.tail<3>()));
  }
  return forces;
}

}  // namespace civita::python
