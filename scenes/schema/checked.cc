#include "civita/scenes/schema/checked.h"

#include <cmath>

#include "base/text.h"
#include "civita/scenes/schema/key_error.h"

namespace civita::internal {

void CheckLength(const std::string& key, size_t given, int size, const char* what) {
  if (given == static_cast<size_t>(size)) return;
  RefuseValue(key, " has " + Count(given, "number") + ", the model has " + what + " = " +
                       std::to_string(size));
}

Eigen::VectorXd Spread(const std::string& key, const std::vector<double>& given, int nv) {
  if (given.size() == 1) return Eigen::VectorXd::Constant(nv, given.front());
  if (given.size() != static_cast<size_t>(nv)) {
    RefuseValue(
        key, " has " + Count(given.size(), "number") +
                 (nv == 1 ? "; 1 is wanted" : "; the model wants 1 or nv = " + std::to_string(nv)));
  }
  return AsVector(given);
}

bool Normalize(Eigen::Ref<Eigen::Vector4d> quaternion) {
  const double length = quaternion.stableNorm();  // squares could overflow
  if (!(length >= 1e-6) || !std::isfinite(length)) return false;
  quaternion /= length;
  return true;
}

Eigen::VectorXd CheckedPosition(const Model& model, const std::string& key,
                                const std::vector<double>& given) {
  CheckLength(key, given.size(), model.nq(), "nq");
  Eigen::VectorXd q = AsVector(given);
  for (const Model::NamedJoint& joint : model.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation < 0) continue;
    if (!Normalize(q.segment<4>(joint.iq + rotation))) {
      RefuseValue(key, " has a quaternion of no usable length for joint " + joint.name);
    }
  }
  return q;
}

Eigen::Vector3d CheckedPoint(const std::string& key, const std::vector<double>& given) {
  if (given.size() != 3) RefuseValue(key, " must be 3 numbers");
  return Eigen::Vector3d(given.data());
}

}  // namespace civita::internal
