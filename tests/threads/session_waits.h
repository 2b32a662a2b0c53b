#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "civita/sim/session.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {

inline std::unique_ptr<Scene> Load(const std::string& scene,
                                   const std::vector<std::string>& overrides = {}) {
  return LoadScene(ReadConfig(scene, overrides));
}

/// Waits until a snapshot fulfils the condition.
inline bool WaitUntil(Session* session, const std::function<bool(const Snapshot&)>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(600);
  while (std::chrono::steady_clock::now() < end) {
    if (condition(session->Latest())) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

inline bool WaitForCommands(Session* session, int count) {
  return WaitUntil(session, [count](const Snapshot& s) { return s.commands_applied >= count; });
}

}  // namespace civita
