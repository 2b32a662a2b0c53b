#pragma once

#include <chrono>
#include <future>
#include <utility>

namespace civita {

/// Computes a result of what a key names on a thread of its own, one at a time, so that no frame
/// waits. The destructor waits for the one that is being computed.
template <typename Key, typename Result>
class Lane {
 public:
  /// Takes what is done; if nothing is being computed, and the key differs from that of the last
  /// result, starts `make_job(key)()`, which throws nothing, on the thread. `make_job` is called by
  /// the caller's thread.
  template <typename MakeJob>
  void Update(Key key, const MakeJob& make_job) {
    if (!Poll() || (is_known_ && key == key_)) return;
    auto job = make_job(key);
    key_ = std::move(key);
    is_known_ = true;
    future_ = std::async(std::launch::async, std::move(job));
  }
  /// Drops the result, and that which is being computed: of another scene.
  void Forget() {
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
  std::future<Result> future_;
};

}  // namespace civita
