#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace civita {

/// Alignment of each thread's data, so that two threads do not write to the same cache line.
inline constexpr std::size_t kCacheLine = 64;

/// A ring between one producer and one consumer thread, without locks. Slots are constructed once;
/// the producer fills them in place, so that the memory they own (vectors) is reused.
///
/// Memory orders: the producer's release store of tail_ after filling a slot synchronizes with the
/// consumer's acquire load, so the slot is read complete; the consumer's release store of head_
/// after reading synchronizes with the producer's acquire load, so no slot is overwritten while it
/// is read. Each thread keeps a copy of the other's index and loads the shared one only when the
/// copy says full or empty.
template <typename T>
class SpscQueue {
 public:
  /// Makes `capacity` elements, each initially a copy of `prototype`.
  explicit SpscQueue(std::size_t capacity, const T& prototype = T())
      : slots_(capacity + 1, prototype) {}
  SpscQueue(const SpscQueue&) = delete;
  SpscQueue& operator=(const SpscQueue&) = delete;

  // Producer.

  /// The slot to fill next, or nullptr when full.
  T* BeginPush() {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t next = Next(tail);
    if (next == head_copy_) {
      head_copy_ = head_.load(std::memory_order_acquire);
      if (next == head_copy_) return nullptr;
    }
    return &slots_[tail];
  }
  /// Hands the filled slot to the consumer.
  void EndPush() {
    tail_.store(Next(tail_.load(std::memory_order_relaxed)), std::memory_order_release);
  }
  bool Push(T value) {
    T* slot = BeginPush();
    if (slot == nullptr) return false;
    *slot = std::move(value);
    EndPush();
    return true;
  }

  // Consumer.

  /// The oldest element, or nullptr when empty. It may be modified or swapped.
  T* Front() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_copy_) {
      tail_copy_ = tail_.load(std::memory_order_acquire);
      if (head == tail_copy_) return nullptr;
    }
    return &slots_[head];
  }
  /// Returns the slot of Front() to the producer.
  void Pop() {
    head_.store(Next(head_.load(std::memory_order_relaxed)), std::memory_order_release);
  }

  /// For either thread; true: everything pushed so far has been popped.
  bool empty() const {
    return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire);
  }

 private:
  std::size_t Next(std::size_t index) const { return index + 1 == slots_.size() ? 0 : index + 1; }

  std::vector<T> slots_;
  alignas(kCacheLine) std::atomic<std::size_t> tail_{0};
  std::size_t head_copy_ = 0;  ///< producer's
  alignas(kCacheLine) std::atomic<std::size_t> head_{0};
  std::size_t tail_copy_ = 0;  ///< consumer's
};

}  // namespace civita
