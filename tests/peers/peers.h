#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/peers/peer.h"

namespace civita {

/// Times MuJoCo's H, C v + g and H v̇ + C v + g against ours, running only the stages of
/// mj_forward that each needs. `take` receives each result; returning false stops. @throws as
/// PeerBench::Time.
void TimeMujoco(const BenchModel& model, double seconds,
                const std::function<bool(PeerResult)>& take);

/// Times Pinocchio on models of MakeBenchModel: first as its wheel has it, for plain x86-64, by
/// civita_peer_pinocchio_wheel beside this program, then compiled for x86-64-v3 by
/// civita_peer_pinocchio_v3, which a note says to be left out where the CPU has no AVX2.
/// `quantities` are names of BenchQuantity with commas between, empty: all. `take` receives each
/// result as it comes; returning false stops. @returns whether both programs are there, which
/// scripts/peers builds. @throws std::runtime_error when one fails, also because its numbers
/// differ.
bool TimePinocchio(const std::vector<std::string>& models, const std::string& quantities,
                   double seconds, const std::function<bool(PeerResult)>& take);

}  // namespace civita
