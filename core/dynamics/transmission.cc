#include "civita/transmission.h"

#include <utility>

#include "base/decompositions.h"
#include "civita/error.h"

namespace civita {
namespace {

/// Coefficients of motors below this share of the largest do not count.
constexpr double kMotorTolerance = 1e-9;

}  // namespace

Transmission::Transmission(int nv)
    : Transmission(std::vector<bool>(static_cast<size_t>(nv), true), Eigen::MatrixXd(nv, 0)) {}

Transmission::Transmission(std::vector<bool> own, const Eigen::MatrixXd& shared)
    : own_(std::move(own)), reached_(own_) {
  CIVITA_CHECK(shared.rows() == nv(), "B has " << shared.rows() << " rows, wanted " << nv());
  std::vector<int> rest;  // reached by shared motors alone
  std::vector<int> alone;
  for (int iv = 0; iv < nv(); ++iv) {
    if (is_own(iv)) {
      motors_.push_back(iv);
    } else if (shared.cols() == 0 || shared.row(iv).isZero(0)) {
      alone.push_back(iv);
    } else {
      rest.push_back(iv);
      reached_[static_cast<size_t>(iv)] = true;
    }
  }
  const auto n = static_cast<Eigen::Index>(rest.size());
  const internal::ColumnSpace space =
      internal::FindColumnSpace(shared(rest, Eigen::all), kMotorTolerance);
  num_undriven_ = static_cast<int>(n - space.rank);
  shared_ = Eigen::MatrixXd::Zero(nv(), space.rank);
  shared_(rest, Eigen::all) = space.Q.leftCols(space.rank);
  N_ = Eigen::MatrixXd::Zero(nv(), num_undriven_ + static_cast<Eigen::Index>(alone.size()));
  N_(rest, Eigen::seqN(0, num_undriven_)) = space.Q.rightCols(num_undriven_);
  for (size_t k = 0; k < alone.size(); ++k) {
    N_(alone[k], num_undriven_ + static_cast<Eigen::Index>(k)) = 1;
  }
}

std::vector<int> Transmission::UndrivenCoordinates() const {
  std::vector<int> coordinates;
  for (int iv = 0; iv < nv(); ++iv) {
    const auto row = N_.row(iv).head(num_undriven_);
    if (is_reached(iv) && row.norm() > kMotorTolerance) coordinates.push_back(iv);
  }
  return coordinates;
}

internal::ForcesBeside::ForcesBeside(Eigen::Index n, Eigen::Index columns)
    : HN_(Eigen::MatrixXd::Zero(n, columns)),
      NHN_(Eigen::MatrixXd::Identity(columns, columns)),
      y_(Eigen::VectorXd::Zero(columns)),
      llt_(NHN_) {}

Status internal::ForcesBeside::Project(const Eigen::MatrixXd& H, const Eigen::MatrixXd& N,
                                       Eigen::VectorXd& tau) {
  HN_.noalias() = H * N;
  NHN_.noalias() = N.transpose() * HN_;
  llt_.compute(NHN_);
  if (llt_.info() != Eigen::Success) return Status::kSingularMassMatrix;
  y_.noalias() = N.transpose() * tau;
  llt_.solveInPlace(y_);
  tau.noalias() -= HN_ * y_;
  return Status::kOk;
}

TorqueFit::TorqueFit(const Transmission& transmission)
    : transmission_(transmission), beside_(transmission.nv(), transmission.N().cols()) {}

Status TorqueFit::Fit(const Eigen::MatrixXd& H, Eigen::VectorXd& tau) {
  for (int iv = 0; iv < transmission_.nv(); ++iv) {
    if (!transmission_.is_reached(iv)) tau[iv] = 0;
  }
  if (const Status status = beside_.Project(H, transmission_.N(), tau); !status) return status;
  for (int iv = 0; iv < transmission_.nv(); ++iv) {
    if (!transmission_.is_reached(iv)) tau[iv] = 0;  // but for rounding
  }
  return Status::kOk;
}

}  // namespace civita
