#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "civita/model.h"
#include "civita/study/option_names.h"

namespace civita {

/// A force and a moment on a body from outside.
struct EvalWrench {
  const Model::NamedFrame* frame = nullptr;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< where the force acts, in the frame, m
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< N
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< N·m
  bool in_body_axes = false;  ///< force and moment in the frame's axes, else in the world's
};

/// A key that every state must have because a quantity needs it.
struct StateNeed {
  std::string_view key;
  std::string quantity;
};

/// States to evaluate at, checked and complete.
class EvalStates {
 public:
  /// Keys of a state that are lists of numbers; then "wrenches".
  static constexpr std::array<std::string_view, 7> kKeys = {"q",      "v",   "a",       "v_r",
                                                            "vdot_r", "tau", "wrenches"};
  static constexpr std::size_t kNumLists = 6;

  EvalStates(int nq, int nv) : nq_(nq), nv_(nv) {}

  std::size_t size() const { return lists_[0].size() / static_cast<std::size_t>(nq_); }
  std::span<const double> q(std::size_t state) const { return Row(0, state); }
  std::span<const double> v(std::size_t state) const { return Row(1, state); }
  std::span<const double> a(std::size_t state) const { return Row(2, state); }
  std::span<const double> v_r(std::size_t state) const { return Row(3, state); }
  std::span<const double> vdot_r(std::size_t state) const { return Row(4, state); }
  std::span<const double> tau(std::size_t state) const { return Row(5, state); }
  const std::vector<EvalWrench>& wrenches(std::size_t state) const { return wrenches_[state]; }

  /// Adds a state: q (nq numbers), the other lists (nv numbers; nw for a mechanism with closed
  /// loops) and the wrenches.
  void Add(const std::array<std::vector<double>, kNumLists>& lists,
           std::vector<EvalWrench> wrenches);

 private:
  std::span<const double> Row(std::size_t list, std::size_t state) const {
    const auto width = static_cast<std::size_t>(list == 0 ? nq_ : nv_);
    return std::span(lists_.at(list)).subspan(state * width, width);
  }

  int nq_, nv_;
  std::array<std::vector<double>, kNumLists> lists_;
  std::vector<std::vector<EvalWrench>> wrenches_;
};

/// One state: the model's own configuration, at rest.
EvalStates DefaultStates(const Model& model, std::optional<int> nw = {});

/// The text of a file of states, "-" for standard input. @throws UserError.
std::string ReadStatesText(const std::string& file, const OptionNames& called = {});

/// Parses {"states": [{"q": [nq], "v": [nv], "a": [nv], "v_r": [nv], "vdot_r": [nv], "tau": [nv],
/// "wrenches": [{"body": …, "point": [3], "force": [3], "moment": [3], "axes": "world"}, …]}, …]}.
/// q defaults to the model's own configuration, other lists to zeros, but each state must have the
/// keys of `needs`. Lists but q have `nw` numbers if given. Quaternions are normalized, with a line
/// in `notices` if they differed noticeably. The states refer to frames of the model. @throws
/// UserError: malformed JSON with name:line:column, otherwise the state's index and the key.
EvalStates ParseStates(const std::string& text, const std::string& name, const Model& model,
                       std::vector<std::string>* notices, std::optional<int> nw = {},
                       const std::vector<StateNeed>& needs = {});

}  // namespace civita
