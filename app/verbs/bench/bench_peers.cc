#include "app/verbs/bench/bench_peers.h"

#include <filesystem>

#include "app/child_process.h"
#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/mujoco_peer.h"

namespace civita {

bool RunPeers(const std::vector<std::string>& models, double seconds,
              const std::function<bool(PeerResult)>& take) {
  bool go_on = true;
  const auto keep = [&](PeerResult result) { return go_on = take(std::move(result)); };
  for (const std::string& model : models) {
    if (go_on) TimeMujoco(MakeBenchModel(model).value(), seconds, keep);
  }
  // A separate program, built only where Pinocchio is installed.
  const std::filesystem::path program = BesideThisProgram("civita_peer_pinocchio");
  if (!std::filesystem::exists(program)) return false;
  if (!go_on) return true;
  std::vector<std::string> command = {program, std::to_string(seconds)};
  command.insert(command.end(), models.begin(), models.end());
  ChildProcess child(command);
  std::string line;
  while (go_on && child.ReadLine(&line)) keep(ParsePeerResult(line));
  if (go_on) child.Finish();
  return true;
}

}  // namespace civita
