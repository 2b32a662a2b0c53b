#include "civita/coordinates.h"

#include <string>
#include <utility>
#include <vector>

#include "civita/com_decoupled.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "core/dynamics/internal/coordinate_frames.h"

namespace civita {

namespace {

std::vector<std::string> VelocityNames(const Model& model) {
  std::vector<std::string> names;
  for (int iv = 0; iv < model.nv(); ++iv) names.push_back(model.VelocityName(iv));
  return names;
}

/// The coordinates whose A and Ȧ a frame of coordinate_frames.h has.
template <template <typename> class Frame>
Coordinates Make(const std::string& text, std::vector<std::string> names,
                 const Frame<double>& frame) {
  return {text, std::move(names), frame.model.id(),
          [own = frame](Workspace<double>& workspace, VelocityMap<double>& map) mutable {
            return own.Update(workspace, map);
          },
          internal::DualRates(frame)};
}

}  // namespace

void CheckComDecoupling(const Model& model, const Factorization& factorization) {
  const Model::Body& base = model.bodies().front();
  if (base.joint != JointType::kFree || base.iv != 0) {
    throw UserError("the centre of mass decouples of a floating base only: body '" + base.name +
                    "' hangs on a " + ToString(base.joint) + " joint");
  }
  for (const Model::Body& body : model.bodies()) {
    if (body.root == 0) continue;
    throw UserError("the centre of mass decouples of one tree only: body '" + body.name +
                    "' is not carried by '" + base.name + "'");
  }
  if (!model.armature().head<3>().isZero(0)) {
    throw UserError("the free joint of body '" + base.name +
                    "' has armature on its translations, which couples them to the rest");
  }
  bool angular = factorization.t == 0 && factorization.admissible() &&
                 !factorization.has_coordinate_injections();
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    angular = angular && injection.part == Factorization::Part::kAngular;
  }
  if (!angular) {
    throw UserError(
        "the factorization's torsion acts on the centre of mass; valid: christoffel, "
        "body:BODY:ang:β");
  }
}

Coordinates BodyTwistCoordinates(const Model& model) {
  std::vector<std::string> names = VelocityNames(model);
  for (const Model::NamedJoint& joint : model.joints()) {
    if (joint.type != JointType::kFree) continue;
    for (int i = 0; i < 6; ++i) {
      const char* part = i < 3 ? ".w" : ".u";
      const int iv = joint.iv + i;
      names[static_cast<size_t>(iv)] = joint.name + part + "xyz"[i % 3];
    }
  }
  return Make("body_twists", std::move(names), internal::BodyTwistFrame<double>(model));
}

Coordinates ComCoordinates(const Model& model) {
  CheckComDecoupling(model, Factorization{});
  std::vector<std::string> names = VelocityNames(model);
  for (size_t i = 0; i < 3; ++i) names[i] = std::string("com.") + "xyz"[i];
  return Make("com_decoupled", std::move(names), internal::ComFrame<double>(model));
}

Coordinates TaskCoordinates(const Model& model, const Model::NamedFrame& frame, bool pose,
                            const Eigen::VectorXd& q) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, workspace);
  Eigen::MatrixXd J(6, model.nv());
  CalcFrameJacobian(model, frame, workspace, J);
  const internal::TaskFrame<double> task(model, frame, J.bottomRows(pose ? 6 : 3));
  std::vector<std::string> names;
  if (pose) {
    for (int i = 0; i < 3; ++i) names.push_back(frame.name + ".w" + "xyz"[i]);
  }
  for (int i = 0; i < 3; ++i) names.push_back(frame.name + ".p" + "xyz"[i]);
  for (const int iv : task.space.independent) {
    names.push_back("null." + model.VelocityName(iv));
  }
  return Make("task:" + frame.name + (pose ? ":pose" : ""), std::move(names), task);
}

Coordinates MassOrthonormalCoordinates(const Model& model) {
  std::vector<std::string> names;
  for (int i = 0; i < model.nv(); ++i) names.push_back("w" + std::to_string(i));
  return Make("mass_orthonormal", std::move(names), internal::MassOrthonormalFrame<double>(model));
}

}  // namespace civita
