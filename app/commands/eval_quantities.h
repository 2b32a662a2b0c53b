#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/factorization.h"
#include "core/model.h"
#include "core/workspace.h"

namespace civita {

class Evaluator;

enum class QuantityShape {
  kVector,  ///< nv
  kMatrix,  ///< nv × nv
  kTensor,  ///< nv × nv × nv
};
const char* ToString(QuantityShape shape);

/// A row of the visible table of what `civita eval` computes.
struct Quantity {
  std::string_view name;
  QuantityShape shape;
  std::string_view angle_unit, length_unit;  ///< where all coordinates are angles, lengths
  std::string_view doc;
  /// Fills `out`, row-major, at the evaluator's state.
  void (*calc)(Evaluator& at, std::span<double> out);
};
std::span<const Quantity> Quantities();

/// How many indices it has, of nv each.
std::size_t RankOf(QuantityShape shape);

/// The rows that `names` mean, once each; "all" stands for all. @throws UserError that lists the
/// known ones.
std::vector<const Quantity*> FindQuantities(const std::vector<std::string>& names);

/// The table as text, a line a quantity.
std::string DescribeQuantities();

/// A model at a state, and what the rows of the table need to compute there.
class Evaluator {
 public:
  /// The model must outlive it.
  Evaluator(const Model& model, Factorization factorization);

  /// q of nq numbers; v and a of nv.
  void SetState(std::span<const double> q, std::span<const double> v, std::span<const double> a);

  const Model& model;
  const Factorization factorization;
  Workspace<double> workspace;       ///< at the state
  Workspace<double> unit_workspace;  ///< at q, with a unit velocity
  Eigen::VectorXd q, v, a;
  Eigen::MatrixXd matrix, unused;  ///< scratch, nv × nv
};

}  // namespace civita
