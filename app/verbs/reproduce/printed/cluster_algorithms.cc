#include "app/verbs/reproduce/printed/cluster_algorithms.h"

#include "app/verbs/reproduce/printed/dense_spatial.h"

namespace civita::printed {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// BlockDiag(ξ_1×, …, ξ_n×).
MatrixXd StackedCross(const VectorXd& x) {
  MatrixXd cross = MatrixXd::Zero(x.size(), x.size());
  for (Eigen::Index b = 0; b < x.size(); b += 6) {
    cross.block<6, 6>(b, b) = dense::MotionCross(x.segment<6>(b));
  }
  return cross;
}

/// B(I, V) = ½[(V×*)I + (IV)×̄* − I(V×)] of stacked bodies.
MatrixXd StackedFactor(const MatrixXd& I, const VectorXd& V) {
  const MatrixXd cross = StackedCross(V);
  MatrixXd B = -cross.transpose() * I - I * cross;
  const VectorXd f = I * V;
  for (Eigen::Index b = 0; b < f.size(); b += 6) {
    B.block<6, 6>(b, b) += dense::ForceBarCross(f.segment<6>(b));
  }
  return 0.5 * B;
}

}  // namespace

MatrixXd CalcClusterCoriolis(std::vector<Cluster> clusters, const VectorXd& v) {
  std::vector<VectorXd> velocity;
  std::vector<MatrixXd> Phidot, B;
  for (const Cluster& c : clusters) {
    VectorXd x = c.Phi * v(c.coordinates);
    if (c.parent >= 0) x += c.X * velocity[static_cast<size_t>(c.parent)];
    MatrixXd rate = StackedCross(x) * c.Phi;
    for (size_t a = 0; a < c.coordinates.size(); ++a) rate += c.Phi_rates[a] * v[c.coordinates[a]];
    velocity.push_back(x);
    Phidot.push_back(rate);
    B.push_back(StackedFactor(c.I, x));
  }
  MatrixXd C = MatrixXd::Zero(v.size(), v.size());
  for (size_t j = clusters.size(); j-- > 0;) {
    const Cluster& cj = clusters[j];
    MatrixXd f1 = cj.I * Phidot[j] + B[j] * cj.Phi;
    MatrixXd f2 = cj.I * cj.Phi;
    MatrixXd f3 = B[j].transpose() * cj.Phi;
    C(cj.coordinates, cj.coordinates) = cj.Phi.transpose() * f1;
    for (size_t i = j; clusters[i].parent >= 0;) {
      for (MatrixXd* f : {&f1, &f2, &f3}) *f = (clusters[i].X.transpose() * *f).eval();
      i = static_cast<size_t>(clusters[i].parent);
      const Cluster& ci = clusters[i];
      C(ci.coordinates, cj.coordinates) = ci.Phi.transpose() * f1;
      C(cj.coordinates, ci.coordinates) =
          (Phidot[i].transpose() * f2 + ci.Phi.transpose() * f3).transpose();
    }
    if (cj.parent < 0) continue;
    const size_t p = static_cast<size_t>(cj.parent);
    clusters[p].I += cj.X.transpose() * cj.I * cj.X;
    B[p] += cj.X.transpose() * B[j] * cj.X;
  }
  return C;
}

namespace {

/// Lines 14–17, for columns a, b, c of the joints i, j, k.
void SetSymbols(int ia, int jb, int kc, double A1, double A2, Tensor3* Gamma) {
  (*Gamma)(ia, jb, kc) = (*Gamma)(ia, kc, jb) = A1;
  (*Gamma)(jb, ia, kc) = (*Gamma)(jb, kc, ia) = A2;
  (*Gamma)(kc, ia, jb) = (*Gamma)(kc, jb, ia) = -A2;
}

/// Lines 13–27 without 18–24: i from j to the root, for column c of Φ_k and its page of the tensor.
void SetPairs(const std::vector<Cluster>& clusters, int j, const MatrixXd& page, int kc,
              Tensor3* Gamma) {
  const Cluster& cj = clusters[static_cast<size_t>(j)];
  MatrixXd F1 = page * cj.Phi, F2 = page.transpose() * cj.Phi;
  for (int i = j; i >= 0;) {
    const Cluster& ci = clusters[static_cast<size_t>(i)];
    const MatrixXd A1 = ci.Phi.transpose() * F1, A2 = ci.Phi.transpose() * F2;
    for (Eigen::Index a = 0; a < A1.rows(); ++a) {
      for (Eigen::Index b = 0; b < A1.cols(); ++b) {
        SetSymbols(ci.coordinates[static_cast<size_t>(a)], cj.coordinates[static_cast<size_t>(b)],
                   kc, A1(a, b), A2(a, b), Gamma);
      }
    }
    if (ci.parent >= 0) {
      F1 = (ci.X.transpose() * F1).eval();
      F2 = (ci.X.transpose() * F2).eval();
    }
    i = ci.parent;
  }
}

/// Line 22, Γ_ikk with F₃ = I 𝒟_k, for column c of Φ_k.
void SetOwnColumns(const std::vector<Cluster>& clusters, size_t k, size_t c, const MatrixXd& page,
                   Tensor3* Gamma) {
  const Cluster& ck = clusters[k];
  const auto column = static_cast<Eigen::Index>(c);
  for (size_t b = 0; b < ck.coordinates.size(); ++b) {
    VectorXd F =
        page * ck.Phi.col(static_cast<Eigen::Index>(b)) + ck.I * ck.Phi_rates[b].col(column);
    for (int i = static_cast<int>(k); i >= 0;) {
      const Cluster& ci = clusters[static_cast<size_t>(i)];
      for (size_t a = 0; a < ci.coordinates.size(); ++a) {
        (*Gamma)(ci.coordinates[a], ck.coordinates[b], ck.coordinates[c]) =
            ci.Phi.col(static_cast<Eigen::Index>(a)).dot(F);
      }
      if (ci.parent >= 0) F = (ci.X.transpose() * F).eval();
      i = ci.parent;
    }
  }
}

/// Line 19, Γ_kii with f₄ = I Φ_k, for column c of Φ_k.
void SetOwnRows(const std::vector<Cluster>& clusters, size_t k, size_t c, MatrixXd page,
                Tensor3* Gamma) {
  const Cluster& ck = clusters[k];
  VectorXd f4 = ck.I * ck.Phi.col(static_cast<Eigen::Index>(c));
  for (int i = static_cast<int>(k); i >= 0;) {
    const Cluster& ci = clusters[static_cast<size_t>(i)];
    const MatrixXd products = ci.Phi.transpose() * page * ci.Phi;
    for (size_t a = 0; a < ci.coordinates.size(); ++a) {
      for (size_t b = 0; b < ci.coordinates.size(); ++b) {
        const auto row = static_cast<Eigen::Index>(b), column = static_cast<Eigen::Index>(a);
        (*Gamma)(ck.coordinates[c], ci.coordinates[a], ci.coordinates[b]) =
            f4.dot(ci.Phi_rates[a].col(row)) - products(row, column);
      }
    }
    if (ci.parent >= 0) {
      page = (ci.X.transpose() * page * ci.X).eval();
      f4 = (ci.X.transpose() * f4).eval();
    }
    i = ci.parent;
  }
}

}  // namespace

/// Each page of the tensors belongs to a column c of Φ_k. Lines 18–24 come after all others for k,
/// since they set the same symbols.
Tensor3 CalcClusterSymbols(std::vector<Cluster> clusters, int n) {
  Tensor3 Gamma(n);
  for (size_t k = clusters.size(); k-- > 0;) {
    const Cluster& ck = clusters[k];
    for (size_t c = 0; c < ck.coordinates.size(); ++c) {
      MatrixXd page = StackedFactor(ck.I, ck.Phi.col(static_cast<Eigen::Index>(c)));
      for (int j = static_cast<int>(k); j >= 0;) {
        const Cluster& cj = clusters[static_cast<size_t>(j)];
        SetPairs(clusters, j, page, ck.coordinates[c], &Gamma);
        if (cj.parent >= 0) page = (cj.X.transpose() * page * cj.X).eval();
        j = cj.parent;
      }
    }
    for (size_t c = 0; c < ck.coordinates.size(); ++c) {
      const MatrixXd page = StackedFactor(ck.I, ck.Phi.col(static_cast<Eigen::Index>(c)));
      SetOwnColumns(clusters, k, c, page, &Gamma);
      SetOwnRows(clusters, k, c, page, &Gamma);
    }
    if (ck.parent >= 0) {
      clusters[static_cast<size_t>(ck.parent)].I += ck.X.transpose() * ck.I * ck.X;
    }
  }
  return Gamma;
}

}  // namespace civita::printed
