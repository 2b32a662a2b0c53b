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

/// Thrown out of a computation that ends without a result, as its watch says.
struct Stopped {};

/// While it lives, the computations of this thread ask a watch, so that none of their functions
/// needs a parameter for it.
class StopScope {
 public:
  /// The watch must outlive it.
  explicit StopScope(const Watch& watch) : outer_(std::exchange(asked_, &watch)) {}
  ~StopScope() { asked_ = outer_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// For loops, some milliseconds apart at most. @throws Stopped.
  static void Ask() {
    if (asked_ == nullptr) return;
    asked_->Show("", kUnknownShare);
    if (asked_->stopped()) throw Stopped();
  }

 private:
  inline static thread_local const Watch* asked_ = nullptr;
  const Watch* outer_;
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
