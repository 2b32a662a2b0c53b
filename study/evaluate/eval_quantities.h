#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/factorization.h"
#include "civita/model.h"
#include "civita/quantities.h"
#include "civita/study/evaluate/eval_states.h"
#include "civita/study/option_names.h"
#include "civita/tensor3.h"

namespace civita {

class Evaluator;
struct QuantityRequest;

/// Numbers of a quantity in the order of the output, the last index fastest. Without numbers it
/// does not exist at this state.
struct RowMajor {
  std::vector<double> numbers;

  RowMajor() = default;
  RowMajor(double number)  // NOLINT(google-explicit-constructor): what a quantity returns
      : numbers{number} {}
  template <typename Derived>
  RowMajor(const Eigen::MatrixBase<Derived>& matrix) {  // NOLINT(google-explicit-constructor)
    const auto& values = matrix.eval();
    numbers.reserve(static_cast<std::size_t>(values.size()));
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      for (Eigen::Index k = 0; k < values.cols(); ++k) numbers.push_back(values(i, k));
    }
  }
  RowMajor(const Tensor3& tensor) {  // NOLINT(google-explicit-constructor)
    numbers.reserve(tensor.numbers().size());
    for (int i = 0; i < tensor.n(); ++i) {
      for (int j = 0; j < tensor.n(); ++j) {
        for (int k = 0; k < tensor.n(); ++k) numbers.push_back(tensor(i, j, k));
      }
    }
  }
};

/// A row of the table of quantities of `civita eval`.
struct Quantity {
  /// "J:BODY" is requested with a body's name, as in J:hand, "Lambda:TASK" with a body's name and
  /// which rows of its Jacobian, as in Lambda:hand:pose.
  std::string_view name;
  /// Dimensions of the array, see ShapeOf; "1" is a number.
  std::string_view shape;
  std::string_view angle_unit, length_unit;  ///< if all coordinates are angles, lengths
  std::string_view doc;
  RowMajor (*calc)(Evaluator& at, const QuantityRequest& request);  ///< null where `of_state` is

  struct Terms {
    enum class Velocities { kAny, kTree, kChanged };
    Velocities of = Velocities::kAny;            ///< the velocities that have it
    std::array<std::string_view, 2> needs = {};  ///< keys that states must have, if not empty
    bool in_all = true;                          ///< whether "all" stands for it, too
    /// Refuses a model or a factorization that does not have it. @throws UserError.
    void (*check)(const Model& model, const Factorization& factorization) = nullptr;
  };
  Terms terms = {};
  const StateQuantity* of_state = nullptr;  ///< what computes it
};
/// StateQuantities() first.
std::span<const Quantity> Quantities();

/// A requested row.
struct QuantityRequest {
  const Quantity* row;
  std::string name;                          ///< as requested: "H", "J:hand"
  const Model::NamedFrame* frame = nullptr;  ///< for a row that needs a body
  std::string task = {};                     ///< "hand:pose", for a row that needs a task
  int first_row = 0, num_rows = 6;           ///< of the body's Jacobian

  bool operator==(const QuantityRequest& other) const { return name == other.name; }
};

/// The dimensions of a request's array if the output has `nw` velocities: of the shape's factors
/// nv stands for nw (for the model's nv beside nw), nb for the frames of the model, nm for its
/// bodies(), np for its packed Christoffel symbols, nx for the rows of the task and nn for nv − nx.
std::vector<std::size_t> ShapeOf(const QuantityRequest& request, const Model& model, int nw);
/// Whether a shape has this symbol, such as "nb".
bool HasDimension(std::string_view shape, std::string_view symbol);

/// The rows that `names` request, once each; "all" stands for the rows that need no body, task, key
/// of states or condition and exist in the tree's velocities, or in others (`changed`). @throws
/// UserError that lists the known ones.
std::vector<QuantityRequest> FindQuantities(const std::vector<std::string>& names,
                                            const Model& model, const Factorization& factorization,
                                            bool changed, const OptionNames& called = {});

/// The keys of states that requests need.
std::vector<StateNeed> NeedsOf(const std::vector<QuantityRequest>& requests);

/// Sets `result`, of the size of its array, to the numbers of a request at the evaluator's state,
/// NaN where the quantity does not exist.
void CalcQuantity(const QuantityRequest& request, Evaluator* at, std::vector<double>* result);

/// The table as text, one line for each quantity.
std::string DescribeQuantities();

}  // namespace civita
