#include "civita/scenes/plant/closed_chain.h"

#include "civita/error.h"
#include "civita/mujoco/loop_closures.h"

namespace civita {

std::shared_ptr<const ClusterModel> FindClosedChains(const mjModel& m, const Model& model,
                                                     const Actuation& actuation,
                                                     Eigen::VectorXd* start,
                                                     std::vector<std::string>* notices) {
  ClusterOptions options{.start = *start};
  std::vector<std::string> driven;
  for (int iv = 0; iv < model.nv(); ++iv) {
    if (!actuation.is_passive(iv)) driven.push_back(model.VelocityName(iv));
  }
  try {
    const LoopClosures closures = ReadLoopClosures(&m);
    if (closures.empty()) return nullptr;
    std::shared_ptr<const ClusterModel> closed;
    try {
      if (driven.size() < static_cast<size_t>(model.nv())) options.independent = driven;
      closed = std::make_shared<const ClusterModel>(model, closures, options);
    } catch (const UserError&) {
      // The driven coordinates are too many or dependent: choose independent ones freely.
      options.independent.clear();
      closed = std::make_shared<const ClusterModel>(model, closures, options);
    }
    *start = closed->closed_start();
    return closed;
  } catch (const UserError& error) {
    notices->push_back(std::string("the controller does not know of the loops: ") + error.what());
    return nullptr;
  }
}

LoopCloser::LoopCloser(std::shared_ptr<const ClusterModel> closed)
    : closed_(std::move(closed)),
      workspace_(*closed_),
      w_(Eigen::VectorXd::Zero(closed_->nw())),
      wdot_(w_) {
  for (const Model::NamedJoint& joint : closed_->tree().joints()) {
    // All coordinates of a ball or free joint are taken, or none.
    bool any = false;
    for (int i = 0; i < NumVelocities(joint.type); ++i) any |= closed_->dependent(joint.iv + i);
    for (int i = 0; any && i < NumPositions(joint.type); ++i) dependent_iq_.push_back(joint.iq + i);
  }
}

bool LoopCloser::Close(const Eigen::VectorXd& q_near, ReferenceState& state) {
  for (const int iq : dependent_iq_) state.q[iq] = q_near[iq];
  for (Eigen::Index a = 0; a < w_.size(); ++a) {
    const int iv = closed_->independent()[static_cast<size_t>(a)];
    w_[a] = state.v[iv];
    wdot_[a] = state.vdot[iv];
  }
  if (CloseLoops(*closed_, workspace_, state.q).ok() &&
      UpdateKinematics<double>(*closed_, state.q, w_, workspace_).ok()) {
    CalcTreeVelocity<double>(*closed_, w_, workspace_, state.v);
    CalcTreeAcceleration<double>(*closed_, w_, wdot_, workspace_, state.vdot);
    return true;
  }
  for (const int iq : dependent_iq_) state.q[iq] = q_near[iq];
  for (int iv = 0; iv < closed_->nv(); ++iv) {
    if (closed_->dependent(iv)) state.v[iv] = state.vdot[iv] = 0;
  }
  return false;
}

}  // namespace civita
