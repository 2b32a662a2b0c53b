#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "civita/error.h"

namespace civita {

/// Index of Γ_ijk in the dense tensor of nv³ numbers: i runs fastest, then j, then k, so that every
/// (j, k) is a column of nv adjacent numbers.
inline size_t ChristoffelIndex(int nv, int i, int j, int k) {
  const size_t n = static_cast<size_t>(nv);
  return (static_cast<size_t>(k) * n + static_cast<size_t>(j)) * n + static_cast<size_t>(i);
}

/// n³ numbers with three indices in the order of ChristoffelIndex, so that CalcChristoffelSymbols
/// can write into numbers().
class Tensor3 {
 public:
  /// n × n × n zeros.
  explicit Tensor3(int n) : n_(n), numbers_(ChristoffelIndex(n, 0, 0, n), 0.0) {}

  int n() const { return n_; }  ///< of each index
  /// The number at i, j, k.
  double& operator()(int i, int j, int k) { return numbers_[ChristoffelIndex(n_, i, j, k)]; }
  double operator()(int i, int j, int k) const { return numbers_[ChristoffelIndex(n_, i, j, k)]; }
  /// All numbers, in the order of ChristoffelIndex.
  std::span<double> numbers() { return numbers_; }
  std::span<const double> numbers() const { return numbers_; }

  /// View of the n × n matrix over i and k of direction j.
  using Slice = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  using ConstSlice = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  Slice Direction(int j) { return {&(*this)(0, j, 0), n_, n_, Eigen::OuterStride<>(n_ * n_)}; }
  ConstSlice Direction(int j) const {
    return {&numbers_[ChristoffelIndex(n_, 0, j, 0)], n_, n_, Eigen::OuterStride<>(n_ * n_)};
  }

  friend Tensor3 operator+(const Tensor3& a, const Tensor3& b) { return Combine(a, b, 1); }
  friend Tensor3 operator-(const Tensor3& a, const Tensor3& b) { return Combine(a, b, -1); }

  /// Maximum absolute value; NaN if a number is NaN.
  double MaxAbs() const {
    const Eigen::Map<const Eigen::ArrayXd> all(numbers_.data(),
                                               static_cast<Eigen::Index>(numbers_.size()));
    return all.size() == 0 ? 0 : all.abs().maxCoeff<Eigen::PropagateNaN>();
  }

 private:
  static Tensor3 Combine(const Tensor3& a, const Tensor3& b, double sign) {
    CIVITA_CHECK(a.n_ == b.n_, a.n_ << " and " << b.n_);
    Tensor3 sum = a;
    for (size_t x = 0; x < sum.numbers_.size(); ++x) sum.numbers_[x] += sign * b.numbers_[x];
    return sum;
  }

  int n_;
  std::vector<double> numbers_;
};

/// Tensor of n³ numbers f(i, j, k).
template <typename F>
Tensor3 MakeTensor3(int n, F&& f) {
  Tensor3 tensor(n);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) tensor(i, j, k) = f(i, j, k);
    }
  }
  return tensor;
}

/// Sets the Coriolis matrix C_ik = Σ_j Γ_ijk v_j (n × n) of a connection Γ, n³ numbers in the order
/// of ChristoffelIndex, at velocity v (n numbers) ([WES] (10)). Allocates nothing.
template <typename T, typename Vector, typename Matrix>
void Contract(std::span<const T> Gamma, const Vector& v, Matrix& C) {
  const auto n = static_cast<int>(v.size());
  C.setZero();
  for (int j = 0; j < n; ++j) {
    if (v[j] == T(0)) continue;
    for (int k = 0; k < n; ++k) {
      const T* column = &Gamma[ChristoffelIndex(n, 0, j, k)];
      C.col(k) += v[j] * Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(column, n);
    }
  }
}

/// The Coriolis matrix (n × n) of a connection.
inline Eigen::MatrixXd Contract(const Tensor3& Gamma, const Eigen::Ref<const Eigen::VectorXd>& v) {
  CIVITA_CHECK(v.size() == Gamma.n(), "v has " << v.size() << " numbers, Gamma " << Gamma.n());
  Eigen::MatrixXd C(Gamma.n(), Gamma.n());
  Contract(Gamma.numbers(), v, C);
  return C;
}

}  // namespace civita
