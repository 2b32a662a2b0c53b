#include "scenes/schema/checked.h"

#include "core/error.h"
#include "scenes/schema/text.h"

namespace civita::internal {

void CheckLength(const SceneConfig& config, const std::string& key, size_t given, int size,
                 const char* what) {
  if (given == static_cast<size_t>(size)) return;
  throw UserError(config.Where(key) + ": " + key + " has " + Count(given, "number") +
                  ", the model has " + what + " = " + std::to_string(size));
}

Eigen::VectorXd Spread(const SceneConfig& config, const std::string& key,
                       const std::vector<double>& given, int nv) {
  if (given.size() == 1) return Eigen::VectorXd::Constant(nv, given.front());
  if (given.size() != static_cast<size_t>(nv)) {
    throw UserError(
        config.Where(key) + ": " + key + " has " + Count(given.size(), "number") +
        (nv == 1 ? "; 1 is wanted" : "; the model wants 1 or nv = " + std::to_string(nv)));
  }
  return AsVector(given);
}

Eigen::VectorXd CheckedPosition(const Scene& scene, const std::string& key,
                                const std::vector<double>& given) {
  CheckLength(scene.config, key, given.size(), scene.plant.nq(), "nq");
  Eigen::VectorXd q = AsVector(given);
  for (const Model::NamedJoint& joint : scene.plant.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation < 0) continue;
    const int iq = joint.iq + rotation;
    const double norm = q.segment<4>(iq).norm();
    if (norm < 1e-6) {
      throw UserError(scene.config.Where(key) + ": " + key + " has a zero quaternion for joint " +
                      joint.name);
    }
    q.segment<4>(iq) /= norm;
  }
  return q;
}

}  // namespace civita::internal
