#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/verbs/eval/eval_reduced.h"
#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/workspace.h"

namespace civita {

class Evaluator;

enum class QuantityShape {
  kNumber,
  kPoint,          ///< 3
  kTwist,          ///< 6: [angular; linear], [moment; force]
  kVector,         ///< nv
  kMatrix,         ///< nv × nv
  kTensor,         ///< nv × nv × nv
  kPointJacobian,  ///< 3 × nv
  kTwistJacobian,  ///< 6 × nv
  kParameters,     ///< 10·nb: ten numbers a body of the output's `bodies`
  kRegressor,      ///< nv × 10·nb
  kFrame,          ///< nv × nw
};
const char* ToString(QuantityShape shape);

/// A row of the visible table of what `civita eval` computes.
struct Quantity {
  std::string_view name;  ///< "J:BODY" is asked for with a body's name, as in J:hand
  QuantityShape shape;
  std::string_view angle_unit, length_unit;  ///< where all coordinates are angles, lengths
  std::string_view doc;
  /// Fills `out`, row-major, at the evaluator's state; `frame` is the body's. nullptr: with
  /// --reduced only.
  void (*calc)(Evaluator& at, const Model::NamedFrame* frame, std::span<double> out);
  /// The same with --reduced, nw for nv; nullptr: not with --reduced.
  void (*calc_reduced)(ReducedEvaluator& at, std::span<double> out) = nullptr;
};
std::span<const Quantity> Quantities();

/// A row that was asked for.
struct QuantityRequest {
  const Quantity* row;
  std::string name;                          ///< as asked for: "H", "J:hand"
  const Model::NamedFrame* frame = nullptr;  ///< of a row that wants a body

  bool operator==(const QuantityRequest&) const = default;
};

/// Without `nw` that of the model.
std::vector<std::size_t> ShapeOf(QuantityShape shape, const Model& model,
                                 std::optional<int> nw = {});
/// Whether it is numbers by body, in the order of Model::frames().
bool HasBodies(QuantityShape shape);

/// What `names` ask for, once each; "all" stands for all rows that want no body, among those that
/// there are with or without --reduced. @throws UserError that lists the known ones.
std::vector<QuantityRequest> FindQuantities(const std::vector<std::string>& names,
                                            const Model& model, bool reduced);

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
  Eigen::MatrixXd matrix, unused, unused2;  ///< scratch, nv × nv
  Eigen::MatrixXd point_rows, twist_rows;   ///< scratch, 3 × nv and 6 × nv
  Eigen::MatrixXd regressor;                ///< scratch, nv × 10·nb
  Eigen::VectorXd offset;                   ///< scratch, nv
};

}  // namespace civita
