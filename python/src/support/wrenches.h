#pragma once

#include <nanobind/nanobind.h>

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "civita/external_forces.h"
#include "civita/model.h"

namespace civita::python {

/// External wrenches as Python gives them, a dict from names of frames to [moment; force] at the
/// frame's origin in world axes, (6,) for all states or (N, 6); the numbers are copied.
class Wrenches {
 public:
  /// None is no wrench. @throws nanobind::type_error, value_error, key_error.
  Wrenches(const Model& model, nanobind::handle forces, std::optional<Eigen::Index> count);

  bool empty() const { return rows_.empty(); }
  std::vector<ExternalForce<double>> At(Eigen::Index state) const;

 private:
  struct Row {
    const Model::NamedFrame* frame;
    Eigen::MatrixXd wrenches;  ///< 6 × states, or 6 × 1 for all
  };
  std::vector<Row> rows_;
};

}  // namespace civita::python
