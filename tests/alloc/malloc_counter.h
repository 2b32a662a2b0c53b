#pragma once

namespace civita {

/// During its lifetime, every allocation of this thread counts: this program overrides malloc and
/// related functions of the C library, also for MuJoCo and Eigen, and operator new calls malloc.
class MallocCounter {
 public:
  MallocCounter();
  ~MallocCounter();
  MallocCounter(const MallocCounter&) = delete;
  MallocCounter& operator=(const MallocCounter&) = delete;

  long count() const;
  /// Of all of them together, whether freed since or not.
  long bytes() const;
};

}  // namespace civita
