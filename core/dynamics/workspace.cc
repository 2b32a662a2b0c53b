#include "civita/workspace.h"

#include <type_traits>

#include "core/internal/scalars.h"

namespace civita {

template <typename T>
Workspace<T>::Workspace(const Model& model, std::string_view instruction_set)
    : q(VectorX<T>::Zero(model.nq())),
      v(VectorX<T>::Zero(model.nv())),
      bodies(static_cast<size_t>(model.num_bodies())),
      Phi(static_cast<size_t>(model.nv()), Motion<T>::Zero()),
      Phidot(static_cast<size_t>(model.nv()), Motion<T>::Zero()),
      Psidot(static_cast<size_t>(model.nv())),
      Psiddot(static_cast<size_t>(model.nv())),
      articulated(static_cast<size_t>(model.num_bodies())),
      gain(static_cast<size_t>(model.nv())),
      path(static_cast<size_t>(model.max_depth())),
      path_columns(model.max_depth(), 12),
      path_flows(model.max_depth(), 12),
      path_products(model.max_depth(), 5),
      path_block(model.max_depth() * (model.max_depth() + 3)) {
  if constexpr (std::is_same_v<T, double>) scratch = kernels::Scratch(model, instruction_set);
}

#define CIVITA_INSTANTIATE(T) template struct Workspace<T>;
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
