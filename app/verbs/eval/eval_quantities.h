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
  kParameters,     ///< 10·nb: ten numbers for each body of the output's `bodies`
  kRegressor,      ///< nv × 10·nb
  kFrame,          ///< nv × nw
};
const char* ToString(QuantityShape shape);

/// A row of the table of quantities of `civita eval`.
struct Quantity {
  std::string_view name;  ///< "J:BODY" is requested with a body's name, as in J:hand
  QuantityShape shape;
  std::string_view angle_unit, length_unit;  ///< if all coordinates are angles, lengths
  std::string_view doc;
  /// Fills `out`, row-major, at the evaluator's state; `frame` is that of the body. nullptr: only
  /// with --reduced.
  void (*calc)(Evaluator& at, const Model::NamedFrame* frame, std::span<double> out);
  /// The same with --reduced, nw for nv; nullptr: not with --reduced.
  void (*calc_reduced)(ReducedEvaluator& at, std::span<double> out) = nullptr;
};
std::span<const Quantity> Quantities();

/// A requested row.
struct QuantityRequest {
  const Quantity* row;
  std::string name;                          ///< as requested: "H", "J:hand"
  const Model::NamedFrame* frame = nullptr;  ///< for a row that needs a body

  bool operator==(const QuantityRequest&) const = default;
};

/// The dimensions of a shape; `nw`: independent velocities, by default the model's nv.
std::vector<std::size_t> ShapeOf(QuantityShape shape, const Model& model,
                                 std::optional<int> nw = {});
/// Whether the numbers are ordered by body, as Model::frames().
bool HasBodies(QuantityShape shape);

/// The rows that `names` request, once each; "all" stands for all rows that need no body and exist
/// with (or without) --reduced. @throws UserError that lists the known ones.
std::vector<QuantityRequest> FindQuantities(const std::vector<std::string>& names,
                                            const Model& model, bool reduced);

/// The table as text, one line for each quantity.
std::string DescribeQuantities();

/// A model at a state, with scratch memory for the rows of the table.
class Evaluator {
 public:
  /// The model must outlive it.
  Evaluator(const Model& model, Factorization factorization);

  /// Sets q (nq numbers), v and a (nv).
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
