#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/mass_matrix_cholesky.h"
#include "civita/product_of_exponentials.h"
#include "civita/study/poe/poe_states.h"
#include "civita/workspace.h"

namespace civita {

/// A robot and the inputs at one instant, for the rows of PoeFunctions().
class PoeInstant {
 public:
  /// The robot must outlive it; nullptr for functions that need none, with `n` joints.
  PoeInstant(const poe::Robot* robot, int n, double dt_s, int resolution);

  /// Sets the inputs to those of a state.
  void Set(const PoeStates& states, std::size_t state);
  const Eigen::VectorXd& at(PoeInput input) const {
    return inputs_[static_cast<std::size_t>(input)];
  }

  const poe::Robot* const robot;
  const int n;
  const double dt_s;
  const int resolution;
  std::optional<Workspace<double>> workspace;        ///< if there is a robot
  std::optional<MassMatrixCholesky<double>> factor;  ///< if there is a robot
  /// Of forward_dynamics_trajectory: θ and θ̇ at the instant, τ and F_tip that lead to the next
  /// one; empty before the first.
  Eigen::VectorXd theta, dtheta, tau, F_tip;

 private:
  std::array<Eigen::VectorXd, kNumPoeInputs> inputs_;
};

enum class PoeShape { kJoints, kSquare, kTwistSquare };  ///< n; n × n; 6 × 6

/// A result of a function.
struct PoeOutput {
  std::string_view name;
  PoeShape shape = PoeShape::kJoints;
};
/// Its dimensions for n joints.
std::vector<std::size_t> ShapeOf(const PoeOutput& output, std::size_t n);

/// A row of the table of functions: a function of the code of [LP], chapter 8.
struct PoeFunction {
  std::string_view name;
  std::vector<PoeInput> inputs;
  std::vector<PoeOutput> outputs;
  std::string_view doc;
  /// Fills the outputs, row-major. A result that does not exist is NaN.
  void (*calc)(PoeInstant& at, std::span<const std::span<double>> out);
  bool needs_robot = true;
  bool takes_dt = false, takes_resolution = false;
};
std::span<const PoeFunction> PoeFunctions();

/// @throws UserError that lists the valid names.
const PoeFunction& FindPoeFunction(const std::string& name);

/// The table as text, two lines for each function: what it takes and gives, and what that is.
std::string DescribePoeFunctions();

}  // namespace civita
