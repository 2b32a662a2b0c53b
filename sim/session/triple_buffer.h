#pragma once

#include <atomic>

#include "civita/sim/spsc_queue.h"

namespace civita {

/// Passes the newest of a stream of values from one thread to another without waiting: each thread
/// owns one of three buffers, the third lies between them. A value that the reader did not fetch
/// is overwritten by a newer one.
///
/// Memory orders: the exchanges of middle_ are acquire-release. The release half publishes the
/// buffer that goes in, the acquire half makes the one that comes out safe to use; the bit kFresh
/// marks a buffer that the writer put there.
template <typename T>
class TripleBuffer {
 public:
  explicit TripleBuffer(const T& prototype = T()) : buffers_{prototype, prototype, prototype} {}
  TripleBuffer(const TripleBuffer&) = delete;
  TripleBuffer& operator=(const TripleBuffer&) = delete;

  /// Writer: the buffer to fill; it holds an old value.
  T& back() { return buffers_[back_]; }
  /// Writer: makes back() the newest value.
  void Publish() { back_ = middle_.exchange(back_ | kFresh, std::memory_order_acq_rel) & ~kFresh; }

  /// Reader: takes the newest value if there is a new one. @returns whether there was.
  bool Fetch() {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & ~kFresh;
    return true;
  }
  /// Reader: the value last fetched.
  const T& front() const { return buffers_[front_]; }

 private:
  static constexpr unsigned kFresh = 4;

  T buffers_[3];
  alignas(kCacheLine) unsigned back_ = 0;
  alignas(kCacheLine) std::atomic<unsigned> middle_{1};
  alignas(kCacheLine) unsigned front_ = 2;
};

}  // namespace civita
