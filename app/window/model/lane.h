#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "civita/study/watch.h"

namespace civita {

/// Computes a result of what a key names on a thread of its own, one at a time, so that no frame
/// waits. What is no longer wanted is stopped as soon as it asks (StopScope::Ask); the destructor
/// waits for that.
template <typename Key, typename Result>
class Lane {
 public:
  Lane() = default;
  ~Lane() { stop_ = true; }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Takes what is done; if nothing is being computed, and the key differs from that of the last
  /// result, starts `make_job(key)()`, which throws nothing, on the thread. `make_job` is called by
  /// the caller's thread.
  template <typename MakeJob>
  void Update(Key key, const MakeJob& make_job) {
    if (!Poll() || (is_known_ && key == key_)) return;
    auto job = make_job(key);
    key_ = std::move(key);
    is_known_ = true;
    stop_ = false;
    future_ = std::async(std::launch::async, [this, job = std::move(job)]() mutable -> Result {
      const Watch watch = {.stop = &stop_};
      const StopScope scope(watch);
      try {
        return job();
      } catch (const Stopped&) {
        return {};
      }
    });
  }
  /// Drops the result, and that which is being computed: of another scene.
  void Forget() {
    stop_ = true;
    is_known_ = false;
    result_ = {};
  }

  const Result& result() const { return result_; }
  const Key& key() const { return key_; }  ///< of the newest job
  bool is_computing() const { return future_.valid(); }

  /// @returns whether nothing is being computed.
  bool Poll() {
    if (!future_.valid()) return true;
    if (future_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    Result result = future_.get();
    if (is_known_) result_ = std::move(result);
    return true;
  }

 private:
  Key key_{};
  bool is_known_ = false;  ///< key_ is of the result, or of what is being computed
  Result result_{};
  std::atomic<bool> stop_ = false;
  std::future<Result> future_;
};

}  // namespace civita
