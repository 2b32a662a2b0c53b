#include "civita/cluster_dynamics.h"

#include <algorithm>

#include "civita/christoffel.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/mass_matrix.h"
#include "civita/passivity_rnea.h"
#include "civita/rnea.h"
#include "core/dynamics/internal/scratch.h"
#include "core/loops/internal/cluster_frame.h"
#include "core/model/internal/checks.h"
#include "core/spatial/internal/scalars.h"

namespace civita {

namespace {

using Cluster = ClusterModel::Cluster;

/// A row of A: places in w and numbers there.
template <typename T>
struct Row {
  const std::vector<int>& places;
  const T* numbers;

  Row(const ClusterModel& model, const MatrixX<T>& rows, int k)
      : places(model.support(k)), numbers(rows.col(k).data()) {}
  size_t size() const { return places.size(); }
};

/// out_ac += Σ A_ia x A_kc of one number x = X_ik.
template <typename T>
void AddProduct(const Row<T>& a, T x, const Row<T>& c, MatrixOut<T>& out) {
  for (size_t n = 0; n < c.size(); ++n) {
    const T xc = x * c.numbers[n];
    for (size_t m = 0; m < a.size(); ++m) out(a.places[m], c.places[n]) += a.numbers[m] * xc;
  }
}

/// Every pair of related coordinates, i before k on a path or i = k: O(N·d) of them.
template <typename Visit>
void ForEachPair(const ClusterModel& model, Visit visit) {
  for (int k = 0; k < model.nv(); ++k) {
    for (int i = k; i >= 0; i = model.parent(i)) visit(i, k);
  }
}

template <typename T>
void CheckSquare(const ClusterModel& model, const MatrixOut<T>& M, const char* what) {
  CIVITA_CHECK(M.rows() == model.nw() && M.cols() == model.nw(),
               what << " is " << M.rows() << "×" << M.cols() << ", wanted nw = " << model.nw());
}

}  // namespace

template <typename T>
void CalcMassMatrix(const ClusterModel& model, ClusterWorkspace<T>& workspace, MatrixOut<T> H) {
  internal::CheckLoopState(model, workspace, Stage::kPosition, "CalcMassMatrix");
  CheckSquare<T>(model, H, "H");
  CalcMassMatrix<T>(model.tree(), workspace.tree, workspace.H);
  H.setZero();
  ForEachPair(model, [&](int i, int k) {
    const Row<T> A_i(model, workspace.A, i), A_k(model, workspace.A, k);
    AddProduct<T>(A_i, workspace.H(i, k), A_k, H);
    if (i != k) AddProduct<T>(A_k, workspace.H(i, k), A_i, H);
  });
}

template <typename T>
void CalcCoriolisMatrix(const ClusterModel& model, const Factorization& factorization,
                        ClusterWorkspace<T>& workspace, MatrixOut<T> C, MatrixOut<T> H) {
  internal::CheckLoopState(model, workspace, Stage::kVelocity, "CalcCoriolisMatrix");
  CheckSquare<T>(model, C, "C");
  CheckSquare<T>(model, H, "H");
  internal::CheckApart(C, "C", H, "H");
  CalcCoriolisMatrix<T>(model.tree(), factorization, workspace.tree, workspace.C, workspace.H);
  C.setZero();
  H.setZero();
  const auto add = [&](int i, int k) {
    const Row<T> A_i(model, workspace.A, i), A_k(model, workspace.A, k);
    AddProduct<T>(A_i, workspace.H(i, k), A_k, H);
    AddProduct<T>(A_i, workspace.C(i, k), A_k, C);
    if (model.dependent(k)) {
      AddProduct<T>(A_i, workspace.H(i, k), Row<T>(model, workspace.Adot, k), C);
    }
  };
  if (factorization.has_coordinate_injections()) {  // which relate all coordinates
    for (int k = 0; k < model.nv(); ++k) {
      for (int i = 0; i < model.nv(); ++i) add(i, k);
    }
    return;
  }
  ForEachPair(model, [&](int i, int k) {
    add(i, k);
    if (i != k) add(k, i);
  });
}

namespace {

/// ∂_bA along every w_b, into workspace.dA: each cluster moved alone, by its own columns of A.
template <typename T>
void CalcFrameDerivatives(const ClusterModel& model, ClusterWorkspace<T>& workspace) {
  for (size_t i = 0; i < workspace.blocks.size(); ++i) {
    const Cluster& cluster = model.clusters()[i];
    const int n_i = cluster.num_independent;
    for (int b = 0; b < n_i; ++b) {
      for (int c = 0; c < cluster.num_coordinates(); ++c) {
        const int k = cluster.coordinates[static_cast<size_t>(c)];
        workspace.vdot[k] = c < n_i ? T(c == b ? 1 : 0) : workspace.A(b, k);
      }
      internal::CalcClusterFrameDerivative<T>(model, i, workspace.vdot, b * n_i, workspace,
                                              workspace.dA);
    }
  }
}

/// Γ̄_abc += A_ia A_jb A_kc x.
template <typename T>
void AddSymbol(const Row<T>& a, const Row<T>& b, const Row<T>& c, T x, int nw, std::span<T> Gamma) {
  for (size_t l = 0; l < c.size(); ++l) {
    for (size_t m = 0; m < b.size(); ++m) {
      const T xbc = x * b.numbers[m] * c.numbers[l];
      T* column = &Gamma[ChristoffelIndex(nw, 0, b.places[m], c.places[l])];
      for (size_t n = 0; n < a.size(); ++n) column[a.places[n]] += a.numbers[n] * xbc;
    }
  }
}

/// The tree's symbols, of all triples on a common path: O(N·d²).
template <typename T>
void AddTreeSymbols(const ClusterModel& model, const ClusterWorkspace<T>& workspace,
                    std::span<const T> tree_Gamma, std::span<T> Gamma) {
  const auto add = [&](int i, int j, int k) {
    AddSymbol<T>(Row<T>(model, workspace.A, i), Row<T>(model, workspace.A, j),
                 Row<T>(model, workspace.A, k), tree_Gamma[ChristoffelIndex(model.nv(), i, j, k)],
                 model.nw(), Gamma);
  };
  ForEachPair(model, [&](int j, int deepest) {
    for (int i = deepest; i >= 0; i = model.parent(i)) {
      add(i, j, deepest);
      if (j != deepest) add(i, deepest, j);
      if (j != deepest && i != deepest) add(deepest, i, j);
    }
  });
}

/// A_ia H_ik ∂_bA_kc of a dependent coordinate k and one related to it.
template <typename T>
void AddFrameSymbols(const ClusterModel& model, const ClusterWorkspace<T>& workspace, int i, int k,
                     std::span<T> Gamma) {
  const Row<T> a(model, workspace.A, i);
  const std::vector<int>& bc = model.support(k);
  const size_t n = bc.size();
  for (size_t b = 0; b < n; ++b) {
    for (size_t c = 0; c < n; ++c) {
      const T x = workspace.H(i, k) * workspace.dA(static_cast<Eigen::Index>(b * n + c), k);
      T* column = &Gamma[ChristoffelIndex(model.nw(), 0, bc[b], bc[c])];
      for (size_t m = 0; m < a.size(); ++m) column[a.places[m]] += a.numbers[m] * x;
    }
  }
}

}  // namespace

template <typename T>
void CalcChristoffelSymbols(const ClusterModel& model, ClusterWorkspace<T>& workspace,
                            std::span<std::type_identity_t<T>> tree_Gamma,
                            std::span<std::type_identity_t<T>> Gamma) {
  internal::CheckLoopState(model, workspace, Stage::kPosition, "CalcChristoffelSymbols");
  CIVITA_CHECK(Gamma.size() == ChristoffelIndex(model.nw(), 0, 0, model.nw()),
               "Gamma has " << Gamma.size() << " numbers, the model has nw = " << model.nw());
  const auto vector = [](std::span<T> x) {
    return Eigen::Map<const VectorX<T>>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  internal::CheckApart(vector(Gamma), "Gamma", vector(tree_Gamma), "tree_Gamma");
  CalcChristoffelSymbols<T>(model.tree(), workspace.tree, tree_Gamma);
  CalcMassMatrix<T>(model.tree(), workspace.tree, workspace.H);
  CalcFrameDerivatives<T>(model, workspace);
  std::fill(Gamma.begin(), Gamma.end(), T(0));
  AddTreeSymbols<T>(model, workspace, tree_Gamma, Gamma);
  ForEachPair(model, [&](int i, int k) {
    if (model.dependent(k)) AddFrameSymbols<T>(model, workspace, i, k, Gamma);
    if (model.dependent(i) && i != k) AddFrameSymbols<T>(model, workspace, k, i, Gamma);
  });
}

template <typename T>
void CalcGravityForces(const ClusterModel& model, ClusterWorkspace<T>& workspace, VectorOut<T> g) {
  internal::CheckLoopState(model, workspace, Stage::kPosition, "CalcGravityForces");
  CalcGravityForces<T>(model.tree(), workspace.tree, workspace.force);
  CalcReducedForces<T>(model, workspace.force, workspace, g);
}

template <typename T>
void CalcInverseDynamics(const ClusterModel& model, VectorIn<T> wdot,
                         ClusterWorkspace<T>& workspace, VectorOut<T> tau) {
  CalcTreeAcceleration<T>(model, workspace.w, wdot, workspace, workspace.vdot);
  CalcInverseDynamics<T>(model.tree(), workspace.vdot, workspace.tree, workspace.force);
  CalcReducedForces<T>(model, workspace.force, workspace, tau);
}

template <typename T>
void CalcBiasForces(const ClusterModel& model, ClusterWorkspace<T>& workspace, VectorOut<T> bias) {
  internal::CheckLoopState(model, workspace, Stage::kVelocity, "CalcBiasForces");
  CIVITA_CHECK(bias.size() == model.nw(), "the bias has " << bias.size() << " numbers");
  bias.setZero();
  CalcInverseDynamics<T>(model, bias, workspace, bias);
}

template <typename T>
void CalcPassivityInverseDynamics(const ClusterModel& model, const Factorization& factorization,
                                  VectorIn<T> w_r, VectorIn<T> wdot_r,
                                  ClusterWorkspace<T>& workspace, VectorOut<T> tau) {
  CalcTreeVelocity<T>(model, w_r, workspace, workspace.v_r);
  CalcTreeAcceleration<T>(model, w_r, wdot_r, workspace, workspace.vdot);
  CalcPassivityInverseDynamics<T>(model.tree(), factorization, workspace.v_r, workspace.vdot,
                                  workspace.tree, workspace.force);
  CalcReducedForces<T>(model, workspace.force, workspace, tau);
}

#define CIVITA_INSTANTIATE(T)                                                                      \
  template void CalcMassMatrix<T>(const ClusterModel&, ClusterWorkspace<T>&, MatrixOut<T>);        \
  template void CalcCoriolisMatrix<T>(const ClusterModel&, const Factorization&,                   \
                                      ClusterWorkspace<T>&, MatrixOut<T>, MatrixOut<T>);           \
  template void CalcChristoffelSymbols<T>(const ClusterModel&, ClusterWorkspace<T>&, std::span<T>, \
                                          std::span<T>);                                           \
  template void CalcGravityForces<T>(const ClusterModel&, ClusterWorkspace<T>&, VectorOut<T>);     \
  template void CalcInverseDynamics<T>(const ClusterModel&, VectorIn<T>, ClusterWorkspace<T>&,     \
                                       VectorOut<T>);                                              \
  template void CalcBiasForces<T>(const ClusterModel&, ClusterWorkspace<T>&, VectorOut<T>);        \
  template void CalcPassivityInverseDynamics<T>(const ClusterModel&, const Factorization&,         \
                                                VectorIn<T>, VectorIn<T>, ClusterWorkspace<T>&,    \
                                                VectorOut<T>);
CIVITA_FOR_EACH_SCALAR(CIVITA_INSTANTIATE)
#undef CIVITA_INSTANTIATE

}  // namespace civita
