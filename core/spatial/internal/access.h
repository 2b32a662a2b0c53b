#pragma once

namespace civita::internal {

/// What core alone sees of its public classes.
struct Access {
  static const auto& tables(const auto& model) { return *model.data_->tables; }
  static auto& scratch(auto& workspace) { return *workspace.scratch_; }
  static const auto& scratch(const auto& workspace) { return *workspace.scratch_; }
  static const auto& layout(const auto& loops) { return *loops.layout_; }
  /// Of a MassMatrixCholesky: column k has row k of L along the path to k, packed, D_k last. The
  /// path to an ancestor is the beginning of it, so that inner loops run over adjacent numbers. The
  /// matrix has rows for whole blocks of kernels::kLanes.
  static auto& rows(auto& factor) { return factor.rows_; }
  /// By kernels: 1/D.
  static auto& diagonal(auto& factor) { return factor.diagonal_; }
  static auto& kernels(auto& factor) { return factor.kernels_; }
};

}  // namespace civita::internal
