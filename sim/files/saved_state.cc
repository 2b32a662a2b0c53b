#include "civita/sim/saved_state.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "civita/build_info.h"
#include "civita/controllers/legs/leg_state.h"
#include "civita/controllers/legs/stepping_state.h"
#include "civita/error.h"

namespace civita {
namespace {

/// Begins every state: those of other builds are refused, whose members may differ.
std::string Head() { return "civita state, " + std::string(kGitDescribe) + "\n"; }

/// A vector, a matrix: their numbers follow their count.
template <typename T>
concept List = requires(T& x) {
  x.data();
};

class Writer {
 public:
  template <typename... T>
  void operator()(const T&... x) {
    (Put(x), ...);
  }

  std::string bytes = Head();

 private:
  template <typename T>
  void Put(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void Put(bool x) { Put(static_cast<std::uint8_t>(x)); }
  void Put(const List auto& list) {
    const auto size = static_cast<std::size_t>(list.size());
    Put(size);
    bytes.append(reinterpret_cast<const char*>(list.data()), size * sizeof(double));
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {
    const std::string head = Head();
    if (!bytes_.starts_with(head)) throw UserError("is of another build of civita");
    bytes_.remove_prefix(head.size());
  }
  template <typename... T>
  void operator()(T&... x) {
    (Get(x), ...);
  }
  /// Checks and takes off the sum at the end of all bytes.
  void CheckSum(std::string_view all) {
    std::uint64_t sum = 0;
    if (bytes_.size() < sizeof sum) Refuse();
    const std::size_t size = all.size() - sizeof sum;
    std::memcpy(&sum, all.data() + size, sizeof sum);
    if (sum != CalcStateSum(all.substr(0, size))) throw UserError("is damaged");
    bytes_.remove_suffix(sizeof sum);
  }
  void End() const {
    if (!bytes_.empty()) Refuse();
  }

 private:
  [[noreturn]] static void Refuse() { throw UserError("is not a state of this scene"); }
  template <typename T>
  void Get(T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    Take(&x, sizeof x);
  }
  void Get(bool& x) {
    std::uint8_t byte = 0;
    Get(byte);
    if (byte > 1) Refuse();
    x = byte == 1;
  }
  void Get(List auto& list) {
    std::size_t size = 0;
    Get(size);
    if (size != static_cast<std::size_t>(list.size())) Refuse();
    Take(list.data(), size * sizeof(double));
  }
  void Take(void* to, std::size_t size) {
    if (bytes_.size() < size) Refuse();
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
};

/// All members but the inputs.
template <typename Stream, typename Saved, typename AFall>
void Visit(Stream& stream, Saved& s, AFall& fall) {
  auto& turning = s.turning;
  stream(s.t, s.step, s.state, s.law_state, s.sensors, s.drive, s.foot_force, s.torques_under_way,
         s.tau_ext, s.V0, s.lost, s.balance, turning.first, turning.second, turning.q, turning.s,
         turning.v, turning.largest, turning.twist, turning.ideal_turning, s.saturated_steps,
         s.rebase, fall.fallen, fall.freely, fall.t, fall.height, fall.nominal_height, fall.tilt,
         fall.sunk, fall.up_t);
}

/// The number of feet whose LegState begins the law's state.
std::optional<int> NumGaitFeet(const Simulation& simulation) {
  if (!simulation.controller().stepping()) return std::nullopt;
  return static_cast<int>(simulation.record().legs.foot_force.size());
}

[[noreturn]] void RefuseSaved(const std::string& what) {
  throw UserError("is not a state of this scene: " + what);
}

/// The delays of actuators and sensors: each buffer's newest sample is one of its own.
void CheckHistory(const mjModel& m, std::span<const double> history) {
  const auto check = [&](int adr, int samples) {
    if (samples <= 0 || adr < 0) return;
    const double newest = history[static_cast<std::size_t>(adr) + 1];
    if (!(newest >= 0 && newest < samples && newest == std::floor(newest))) {
      RefuseSaved("a delay's sample is none of its buffer");
    }
  };
  for (int i = 0; i < m.nactuator; ++i) {
    check(m.actuator_historyadr[i], m.actuator_history[2 * i]);
  }
  for (int i = 0; i < m.nsensor; ++i) check(m.sensor_historyadr[i], m.sensor_history[2 * i]);
}

void CheckFinite(const List auto& x, const char* what) {
  if (std::all_of(x.data(), x.data() + x.size(), [](double each) { return std::isfinite(each); })) {
    return;
  }
  RefuseSaved(std::string(what) + " is not finite");
}

}  // namespace

std::uint64_t CalcStateSum(std::string_view bytes) {
  std::uint64_t sum = bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), sizeof sum))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

std::string ToBytes(const Simulation::Saved& saved) {
  Writer writer;
  Visit(writer, saved, saved.fall_watch.fall());
  writer(CalcStateSum(writer.bytes));
  return writer.bytes;
}

void FromBytes(std::string_view bytes, Simulation::Saved* saved) {
  Reader reader(bytes);
  reader.CheckSum(bytes);
  Fall fall;
  Visit(reader, *saved, fall);
  saved->fall_watch = FallWatch(fall);
  reader.End();
}

void CheckSaved(const Simulation& simulation, const Simulation::Saved& saved) {
  if (saved.step < 0 || saved.t != simulation.TimeOf(saved.step)) RefuseSaved("its time");
  if (saved.saturated_steps < 0 || saved.saturated_steps > saved.step) {
    RefuseSaved("its steps at a torque limit");
  }
  CheckFinite(saved.state, "the motion");
  CheckFinite(saved.law_state, "the law's state");
  CheckFinite(saved.sensors, "a measurement");
  CheckFinite(saved.drive, "the walking command");
  CheckFinite(saved.foot_force, "a foot's force");
  CheckFinite(saved.torques_under_way, "a torque");
  CheckFinite(saved.tau_ext, "a push");
  // A sample is taken in each step.
  if (saved.sensors.size() > 0 && saved.sensors[0] != static_cast<double>(saved.step)) {
    RefuseSaved("the number of its measurements");
  }
  const mjModel& m = *simulation.mj();
  const auto before = static_cast<std::size_t>(
      mj_stateSize(&m, mjSTATE_TIME | mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_ACT));
  CheckHistory(m, std::span(saved.state).subspan(before));
  const std::optional<int> feet = NumGaitFeet(simulation);
  if (feet && !LegState::IsState(saved.law_state, *feet)) RefuseSaved("its gait");
}

}  // namespace civita
