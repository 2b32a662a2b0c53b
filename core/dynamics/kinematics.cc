#include "civita/kinematics.h"

#include <cmath>
#include <type_traits>

#include "civita/error.h"
#include "core/dynamics/internal/scratch.h"
#include "core/dynamics/internal/serve.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

template <typename T>
void CheckSize(Eigen::Index size, const VectorX<T>& wanted, const char* name) {
  CIVITA_CHECK(size == wanted.size(), name << " has " << size << " numbers, the model has n" << name
                                           << " = " << wanted.size());
}

/// The scratch of a workspace that fits the model, with the state of whichever.
template <typename T>
internal::Scratch<T>& RequireFit(const Model& model, Workspace<T>& workspace) {
  internal::Scratch<T>& scratch = internal::Access::scratch(workspace);
  if (scratch.structure != model.structure()) [[unlikely]]
    internal::FailState(false, false, Stage::kNone, "UpdateKinematics");
  return scratch;
}

/// With kernels the bodies may wait.
template <typename T>
void SetStage(const Model& model, Stage stage, internal::Scratch<T>& scratch) {
  if (scratch.model_id != model.id()) {
    scratch.kernels.Use(model);
    scratch.model_id = model.id();
  }
  scratch.stage = stage;
  ++scratch.state;
  scratch.pending = true;
  if (scratch.kernels.kernels() == nullptr)
    internal::UpdateBodies(internal::TreeOf(model), scratch);
}

/// Pose of body b, whose parent has it.
template <typename T>
CIVITA_INLINE void UpdatePose(const internal::Tree& tree, int b, internal::Scratch<T>& scratch) {
  if (internal::HasPose(b, scratch)) return;
  scratch.moved[b] = 2 * scratch.state;
  const auto sin_cos = [](const T& x, T* s, T* c) {
    using std::cos;
    using std::sin;
    *s = sin(x);
    *c = cos(x);
  };
  auto* bodies = scratch.bodies.data();
  internal::CalcBodyPose(tree.links[b], scratch.q.data(), sin_cos, bodies, bodies + b);
}

/// Pose, columns and velocity of body b, whose parent has them.
template <typename T>
CIVITA_INLINE void UpdateMotion(const internal::Tree& tree, int b, internal::Scratch<T>& scratch) {
  if (internal::HasMotion(b, scratch)) return;
  UpdatePose(tree, b, scratch);
  scratch.moved[b] = 2 * scratch.state + 1;
  const internal::Link& link = tree.links[b];
  auto *bodies = scratch.bodies.data(), *body = bodies + b;
  internal::CalcColumns(link, body->R_WB, body->r, scratch.Phi.data() + link.iv);
  if (scratch.stage == Stage::kVelocity) {
    internal::CalcVelocity(link, scratch.v.data(), bodies, body, scratch.Phi.data(),
                           scratch.Phidot.data());
  } else {
    body->V = {};
  }
}

}  // namespace

template <typename T>
void internal::UpdateBodies(const Tree& tree, Scratch<T>& scratch) {
  if (!scratch.pending) return;
  for (int b = 0; b < tree.num_bodies; ++b) {
    UpdateMotion(tree, b, scratch);
    CalcInertia<T>(tree.links[b], &scratch.bodies[b]);
  }
  scratch.pending = false;
}

template <typename T>
void internal::UpdateMotions(const Tree& tree, Scratch<T>& scratch) {
  if (!scratch.pending) return;
  for (int b = 0; b < tree.num_bodies; ++b) UpdateMotion(tree, b, scratch);
}

template <typename T>
void internal::UpdateMotionsAtOnce(const Tree& tree, Scratch<T>& scratch) {
  if constexpr (std::is_same_v<T, double>) {
    if (scratch.pending && kernels::CalcBodyPoses(scratch)) {
      for (int b = 0; b < tree.num_bodies; ++b)
        if (tree.links[b].parent >= 0) scratch.moved[b] = 2 * scratch.state;
    }
  }
  UpdateMotions(tree, scratch);
}

template <typename T>
void internal::UpdatePath(const Tree& tree, int body, Scratch<T>& scratch) {
  if (!scratch.pending) return;
  const auto known = [&scratch](int b) { return internal::HasMotion(b, scratch); };
  for (const int b : PathTo(tree, body, scratch, known)) UpdateMotion(tree, b, scratch);
}

template <typename T>
void internal::UpdatePoses(const Tree& tree, Scratch<T>& scratch) {
  if (!scratch.pending) return;
  for (int b = 0; b < tree.num_bodies; ++b) UpdatePose(tree, b, scratch);
}

template <typename T>
void internal::UpdatePosesTo(const Tree& tree, int body, Scratch<T>& scratch) {
  if (!scratch.pending) return;
  const auto known = [&scratch](int b) { return internal::HasPose(b, scratch); };
  for (const int b : PathTo(tree, body, scratch, known)) UpdatePose(tree, b, scratch);
}

template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, Workspace<T>& workspace) {
  auto& scratch = RequireFit(model, workspace);
  CheckSize(q.size(), scratch.q, "q");
  scratch.q = q;
  SetStage(model, Stage::kPosition, scratch);
}

template <typename T>
void UpdateKinematics(const Model& model, VectorIn<T> q, VectorIn<T> v, Workspace<T>& workspace) {
  auto& scratch = RequireFit(model, workspace);
  CheckSize(q.size(), scratch.q, "q");
  CheckSize(v.size(), scratch.v, "v");
  scratch.q = q;
  scratch.v = v;
  SetStage(model, Stage::kVelocity, scratch);
}

#define CIVITA_INSTANTIATE(T)                                                  \
  template void internal::UpdateBodies<T>(const Tree&, Scratch<T>&);           \
  template void internal::UpdateMotions<T>(const Tree&, Scratch<T>&);          \
  template void internal::UpdateMotionsAtOnce<T>(const Tree&, Scratch<T>&);    \
  template void internal::UpdatePath<T>(const Tree&, int, Scratch<T>&);        \
  template void internal::UpdatePoses<T>(const Tree&, Scratch<T>&);            \
  template void internal::UpdatePosesTo<T>(const Tree&, int, Scratch<T>&);     \
  template void UpdateKinematics<T>(const Model&, VectorIn<T>, Workspace<T>&); \
  template void UpdateKinematics<T>(const Model&, VectorIn<T>, VectorIn<T>, Workspace<T>&);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
