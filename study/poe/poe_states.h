#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/study/option_names.h"

namespace civita {

/// What the functions of PoeFunctions() take, in the notation of [LP].
enum class PoeInput { kTheta, kDtheta, kDdtheta, kTau, kFTip, kV };
inline constexpr std::size_t kNumPoeInputs = 6;

/// A row of the table of inputs.
struct PoeInputInfo {
  std::string_view name;  ///< key of a state
  int width;              ///< 0: n, the number of joints
  std::string_view doc;
};
const PoeInputInfo& InfoOf(PoeInput input);

/// Names of all inputs.
std::vector<std::string> PoeInputNames();

/// The numbers of an option, "0.1,0.2" or "[0.1, 0.2]". @throws UserError that names it.
std::vector<double> ParsePoeNumbers(PoeInput input, const std::string& text,
                                    const OptionNames& called = {});

/// The inputs at N instants.
class PoeStates {
 public:
  /// All zero; `n`: number of joints.
  PoeStates(std::size_t N, int n);

  std::size_t size() const { return static_cast<std::size_t>(rows_[0].rows()); }
  std::span<const double> at(PoeInput input, std::size_t state) const;
  /// @throws UserError "`place`: …" unless there are as many numbers as the input has, all finite.
  void Set(PoeInput input, std::size_t state, std::span<const double> numbers,
           const std::string& place);
  /// Sets it at every state.
  void SetAll(PoeInput input, std::span<const double> numbers, const std::string& place);

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::array<RowMajor, kNumPoeInputs> rows_;  ///< N rows each
};

/// Parses {"states": [{"theta": [n], "dtheta": [n], …}, …]}: one state for each instant, with any
/// of the inputs; those left out are zero. What the program writes is read, too: other keys beside
/// "states" are ignored. Without `n`, the number of joints is that of the first input that has one
/// number a joint. @throws UserError with name, state and key.
PoeStates ParsePoeStates(const std::string& text, const std::string& name, std::optional<int> n);

}  // namespace civita
