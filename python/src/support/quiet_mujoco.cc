#include "python/src/support/quiet_mujoco.h"

#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace civita::python {
namespace {

std::mutex mutex;
int count = 0;  ///< of all threads
mjfLogHandler before = nullptr;

/// MuJoCo does not go on after an error.
void Handle(const mjLogMessage* message) {
  if (message->level != mjLOG_ERROR) return;
  std::fprintf(stderr, "civita: MuJoCo: %s\n", message->subject);
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

QuietMujoco::QuietMujoco() {
  const std::lock_guard lock(mutex);
  if (count++ == 0) before = mju_setLogHandler(Handle);
}

QuietMujoco::~QuietMujoco() {
  const std::lock_guard lock(mutex);
  if (--count == 0) mju_setLogHandler(before);
}

}  // namespace civita::python
