#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace civita {

/// The share of work whose amount is not known.
inline constexpr double kUnknownShare = std::numeric_limits<double>::quiet_NaN();

/// What long computations look at and tell. They call the functions from the thread that they were
/// called in.
struct Watch {
  /// Set from anywhere: the computation ends soon, with what is done.
  const std::atomic<bool>* stop = nullptr;
  /// Called often: what is being done, and which share is done, 0 to 1 or kUnknownShare.
  std::function<void(const std::string& text, double share)> progress = {};
  /// Called with each line about what was adapted.
  std::function<void(const std::string& text)> note = {};

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  void Show(const std::string& text, double share) const {
    if (progress) progress(text, share);
  }
};

/// Hands on each note once.
class Notes {
 public:
  explicit Notes(std::function<void(const std::string&)> note) : note_(std::move(note)) {}
  void Add(const std::string& text) {
    if (std::ranges::find(told_, text) != told_.end()) return;
    told_.push_back(text);
    if (note_) note_(text);
  }

 private:
  std::function<void(const std::string&)> note_;
  std::vector<std::string> told_;
};

}  // namespace civita
