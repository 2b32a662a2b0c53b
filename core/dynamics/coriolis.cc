#include "civita/coriolis.h"

#include "core/dynamics/internal/coordinate_injections.h"
#include "core/dynamics/internal/factors.h"
#include "core/dynamics/internal/serve.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/eigen.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

template <typename T>
void CalcPlain(const Model& model, const Factorization& factorization, internal::Scratch<T>& s,
               MatrixOut<T>& C, MatrixOut<T>& H) {
  const internal::Tree& tree = internal::TreeOf(model);
  internal::UpdateBodies(tree, s);
  internal::CalcCompositeInertias(tree, s);
  internal::CalcFactors(factorization, s);
  internal::SumOverSubtrees(tree, s.B);
  C.setZero();
  H.setZero();
  internal::CalcCoriolisPairs(tree, s.Ic.data(), s.B.data(), s.Phi.data(), s.Phidot.data(),
                              s.v.data(), C, H);
}

}  // namespace

template <typename T>
void CalcCoriolisMatrix(const Model& model, const Factorization& factorization,
                        Workspace<T>& workspace, CoriolisOut<T> out) {
  auto& [by_name, C, H] = out;
  auto& scratch = internal::RequireState(model, workspace, Stage::kVelocity, "CalcCoriolisMatrix");
  internal::CheckResults(model.nv(), model.nv(), C, "C", H, "H");
  factorization.Check(model);
  bool done = false;
  if constexpr (std::is_same_v<T, double>) {
    done = kernels::CalcCoriolisMatrix(factorization, scratch, C, H);
  }
  if (!done) CalcPlain(model, factorization, scratch, C, H);
  internal::AddCoordinateInjections<T>(factorization, scratch.q, scratch.v, T(1), C);
}

#define CIVITA_INSTANTIATE(T)                                                            \
  template void CalcCoriolisMatrix<T>(const Model&, const Factorization&, Workspace<T>&, \
                                      CoriolisOut<T>);
CIVITA_FOR_DOUBLE(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
