#include "civita/workspace.h"

#include <type_traits>

#include "core/dynamics/internal/scratch.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace internal {

template <typename T>
Scratch<T>::Scratch(const Model& model, std::string_view instruction_set)
    : structure(model.structure()),
      q(VectorX<T>::Zero(model.nq())),
      v(VectorX<T>::Zero(model.nv())),
      bodies(model.num_bodies()),
      Phi(model.nv()),
      Phidot(model.nv()),
      Ic(model.num_bodies()),
      Idot(model.num_bodies()),
      B(model.num_bodies()),
      Br(model.num_bodies()),
      Vr(model.num_bodies()),
      A(model.num_bodies()),
      F(model.num_bodies()),
      P(model.num_bodies()),
      articulated(static_cast<size_t>(model.num_bodies())),
      gain(model.nv()),
      Psidot(model.nv()),
      Chi(model.nv()),
      Chidot(model.nv()),
      force(VectorX<T>::Zero(model.nv())),
      position(VectorX<T>::Zero(model.nq())),
      moved(model.num_bodies()),
      path(model.num_bodies()) {
  arguments.fill(force);
  if constexpr (std::is_same_v<T, double>) kernels = kernels::Scratch(model, instruction_set);
}

template <typename T>
Scratch<T>& RequireBodies(const Model& model, Workspace<T>& workspace, Stage needed,
                          const char* function) {
  Scratch<T>& scratch = RequireState(model, workspace, needed, function);
  UpdateBodies(internal::TreeOf(model), scratch);
  return scratch;
}

}  // namespace internal

template <typename T>
Workspace<T>::Workspace(const Model& model, std::string_view instruction_set)
    : scratch_(internal::Own<internal::Scratch<T>>(model, instruction_set)) {}

template <typename T>
const char* Workspace<T>::instruction_set() const {
  return scratch_->kernels.instruction_set();
}
template <typename T>
Stage Workspace<T>::stage() const {
  return scratch_->stage;
}
template <typename T>
std::uint64_t Workspace<T>::model() const {
  return scratch_->model_id;
}
template <typename T>
const VectorX<T>& Workspace<T>::q() const {
  return scratch_->q;
}
template <typename T>
const VectorX<T>& Workspace<T>::v() const {
  return scratch_->v;
}

template <typename T>
Kinematics<T> Workspace<T>::kinematics(const Model& model) {
  internal::Scratch<T>& s =
      internal::RequireBodies(model, *this, Stage::kPosition, "Workspace::kinematics");
  return {s.bodies.data(), s.Phi.data(), s.Phidot.data()};
}

#define CIVITA_INSTANTIATE(T)                                                                   \
  template struct internal::Scratch<T>;                                                         \
  template internal::Scratch<T>& internal::RequireBodies<T>(const Model&, Workspace<T>&, Stage, \
                                                            const char*);                       \
  template class Workspace<T>;
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
