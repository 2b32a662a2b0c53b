#pragma once

#include <string>

namespace civita {

/// A recorded quantity that can be plotted: one number or a list for each control step.
struct SignalInfo {
  static constexpr int kScalar = 0;

  std::string name;  ///< begins with '/'; further slashes group signals: "/task/error_m"
  std::string unit = {};
  int width = kScalar;   ///< of a list, whose columns are "name/0", "name/1", …; else kScalar
  std::string doc = {};  ///< its definition, one line

  bool is_list() const { return width != kScalar; }
  int size() const { return is_list() ? width : 1; }
  /// Name of the column of the i-th number.
  std::string column(int i) const { return is_list() ? name + "/" + std::to_string(i) : name; }
};

}  // namespace civita
