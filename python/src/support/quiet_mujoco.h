#pragma once

namespace civita::python {

/// While one exists, MuJoCo's warnings are neither printed nor written to a file: runs count them.
class QuietMujoco {
 public:
  QuietMujoco();
  ~QuietMujoco();
  QuietMujoco(const QuietMujoco&) = delete;
  QuietMujoco& operator=(const QuietMujoco&) = delete;
};

}  // namespace civita::python
