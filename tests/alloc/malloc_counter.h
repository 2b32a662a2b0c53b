#pragma once

namespace civita {

/// While it lives, every allocation of this thread counts: this program's malloc and its kin stand
/// before the C library's, also for MuJoCo and Eigen, and operator new goes through malloc.
class MallocCounter {
 public:
  MallocCounter();
  ~MallocCounter();
  MallocCounter(const MallocCounter&) = delete;
  MallocCounter& operator=(const MallocCounter&) = delete;

  long count() const;
};

}  // namespace civita
