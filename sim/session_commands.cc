#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/sim/output_file.h"
#include "sim/session_impl.h"

namespace civita {
namespace {

std::string Format(const Eigen::VectorXd& x) {
  std::string text;
  const bool uniform = (x.array() == x[0]).all();
  for (Eigen::Index i = 0; i < (uniform ? 1 : x.size()); ++i) {
    if (i > 0) text += ", ";
    AppendNumber(x[i], &text);
  }
  return uniform ? text : "[" + text + "]";
}

}  // namespace

void Session::Impl::TakeCommands() {
  while (Command* next = commands.Front()) {
    try {
      std::visit([this](auto& command) { Apply(command); }, *next);
    } catch (const std::exception& error) {
      command_error = error.what();
    }
    commands.Pop();
    ++commands_applied;
    commanded = true;
  }
}

void Session::Impl::Apply(command::Play) {
  if (state == RunState::kFailed) {
    command_error = "the run has failed: reset it or go back first";
  } else if (state == RunState::kPaused) {
    state = RunState::kRunning;
    pending_steps = 0;
    pacer.Start(Clock::now(), simulation.time());
  }
}

void Session::Impl::Apply(command::Pause) {
  if (state == RunState::kRunning) state = RunState::kPaused;
}

void Session::Impl::Apply(command::StepOnce step) {
  if (state == RunState::kPaused) pending_steps += std::max(0L, step.steps);
}

void Session::Impl::Apply(command::Reset) {
  simulation.Reset();
  history.Restart(simulation);
  if (other) {
    other->Reset();
    other_history->Restart(*other);
  }
  deadline_misses = 0;
  WentBack();
}

void Session::Impl::Apply(command::Rewind rewind) {
  simulation.Restore(history.GoBack(rewind.t));
  // A failed second run stays failed unless this returns to a time before its failure.
  if (other && (!other->failure().failed || simulation.step() <= other->failure().step)) {
    other->Restore(other_history->GoBack(simulation.time()));
  }
  WentBack();
}

void Session::Impl::WentBack() {
  ++epoch;
  pending_steps = 0;
  thrown = {};
  if (state == RunState::kFailed) state = RunState::kPaused;
  RestartMetrics(simulation.time());
  pacer.Start(Clock::now(), simulation.time());
  Record([this] { recorder->DropFrom(simulation.time()); });
}

/// Metrics accumulated with other settings, before a rewind or before a throw do not describe the
/// two runs now.
void Session::Impl::RestartMetrics(double t, bool by_throw) {
  if (!other) return;
  metrics->Restart();
  other_metrics->Restart();
  measured_since = t;
  measured_since_throw = by_throw;
}

void Session::Impl::Apply(command::SetSpeed speed) {
  pacer.set_speed(speed.factor);
  pacer.Start(Clock::now(), simulation.time());
}

void Session::Impl::Apply(command::SetGain& gain) {
  Chosen(gain.slot).SetGain(gain.key, gain.value);
  RestartMetrics(simulation.time());
  if (gain.slot == Slot::kA) Note("gains." + gain.key + " = " + Format(gain.value));
}

void Session::Impl::Apply(command::SetFactorization& factorization) {
  Simulation& chosen = Chosen(factorization.slot);
  chosen.SetFactorization(std::move(factorization.factorization));
  const Factorization& present = chosen.controller().factorization();
  if (other) (factorization.slot == Slot::kA ? metrics : other_metrics)->SetFactorization(present);
  RestartMetrics(simulation.time());
  if (factorization.slot == Slot::kB) return;
  Record([&] { recorder->ChangeFactorization(simulation.time(), present); });
  Note("factorization = " + ToString(present));
}

void Session::Impl::Apply(command::AddPush& push) {
  simulation.AddPush(push.push, push.every_s);
  if (other) other->AddPush(push.push, push.every_s);
  const char* body = mj_id2name(simulation.mj(), mjOBJ_BODY, push.push.body);
  std::string text = "push on " + std::string(body != nullptr ? body : "?") + " by " +
                     Format(push.push.force) + " N";
  if (push.every_s > 0) {
    text += " every ";
    AppendNumber(push.every_s, &text);
    text += " s";
  }
  Note(text);
}

void Session::Impl::Apply(command::StopPushes) {
  simulation.StopPushes();
  if (other) other->StopPushes();
  Note("no more pushes");
}

void Session::Impl::Apply(const command::ThrowOff& command) {
  simulation.ThrowOff(command.thrown);
  if (other) other->ThrowOff(command.thrown);
  std::string text = "thrown off by ";
  AppendNumber(command.thrown.size, &text);
  Note(text + " rad/s, m/s, seed " + std::to_string(command.thrown.seed));
}

void Session::Impl::Apply(const command::SetDrive& drive) {
  simulation.SetDrive(drive.wanted);
  if (other) other->SetDrive(drive.wanted);
  if (!drive.wanted) return Note("driven by the reference");
  const Eigen::Vector2d& v = drive.wanted->velocity;
  Note("driven at " + Format(Eigen::Vector3d(v[0], v[1], drive.wanted->yaw_rate)) +
       " m/s, m/s, rad/s");
}

void Session::Impl::Apply(command::Perturb& perturb) {
  simulation.SetPerturbation(perturb.body, perturb.xfrc);
  if (other) other->SetPerturbation(perturb.body, perturb.xfrc);
}

Simulation& Session::Impl::Chosen(Slot slot) {
  CIVITA_CHECK(slot == Slot::kA || other, "there is no second run");
  return slot == Slot::kA ? simulation : *other;
}

void Session::Impl::Note(const std::string& what) {
  Record([&] { recorder->AddEvent(simulation.time(), what); });
}

}  // namespace civita
