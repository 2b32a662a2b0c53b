#include "app/window/render/reference_preview.h"

namespace civita {
namespace {

constexpr double kAhead = 0.9, kStep = 0.02;  // s

std::vector<double> Numbers(const Eigen::VectorXd& q) { return {q.begin(), q.end()}; }

}  // namespace

ReferencePreview::ReferencePreview(const SceneData& scene) : scene_(scene) {
  state_.q = scene.q_start;
  state_.v = state_.vdot = Eigen::VectorXd::Zero(scene.plant.nv());
  if (scene.closed) closer_.emplace(scene.closed);
}

const ReferenceState& ReferencePreview::Sample(double t) {
  const Eigen::VectorXd q_near = state_.q;
  scene_.reference->Sample(t, state_);
  if (closer_) closer_->Close(q_near, state_);
  return state_;
}

std::vector<Point3> ReferencePreview::PathFrom(double t, View3d* view) {
  std::vector<Point3> path;
  for (double ahead = 0; ahead <= kAhead; ahead += kStep) {
    Sample(t + ahead);
    if (state_.task.given) {
      const Eigen::Vector3d& p = state_.task.p;
      path.push_back({p[0], p[1], p[2]});
      continue;
    }
    path.push_back(
        view->TrackedPointAt({state_.q.data(), static_cast<std::size_t>(state_.q.size())}));
  }
  return path;
}

void ReferencePreview::ShowMotion(View3d* view) {
  constexpr int kSamples = 48;
  if (scene_.legs) return;
  std::vector<std::vector<double>> motion = {Numbers(scene_.q_start)};
  for (int i = 0; i <= kSamples; ++i) {
    Sample(scene_.config.duration_s * i / kSamples);
    if (!state_.task.given) motion.push_back(Numbers(state_.q));
  }
  state_.q = scene_.q_start;
  view->SetMotion(motion);
}

}  // namespace civita
