#include "app/window/actions/job_actions.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "app/flags.h"
#include "app/window/actions/actions.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/scenes/scene_list.h"
#include "civita/sim/output_file.h"
#include "civita/sim/trials/parallel_for.h"
#include "civita/study/compare/compare_variants.h"

namespace civita {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Words separated by spaces outside of brackets and quotes.
Words SplitWords(const std::string& text) {
  Words words = SplitOutsideBrackets(text, ' ');
  std::erase(words, "");
  return words;
}

std::string NumberText(double number) { return internal::General(number); }

/// The variations as words of the command line. @throws UserError if they are none.
Words VaryWords(const std::string& text) {
  const Words variations = SplitWords(text);
  if (!variations.empty()) CombineVariations(variations, kFlags);
  Words words;
  for (const std::string& word : variations) words.insert(words.end(), {"--vary", word});
  return words;
}

/// The words that the form adds to a kind's command. @throws UserError.
Words FormWords(const WindowState& state, JobKind kind) {
  const JobForm& form = state.jobs.form;
  Words words;
  switch (kind) {
    case JobKind::kSurvive:
      words = VaryWords(form.rows);
      // One core stays for the window.
      words.insert(words.end(), {PushesByImpulse(state) ? "--impulse" : "--push", form.pushes,
                                 "--trials", NumberText(std::round(form.trials)), "--jobs",
                                 std::to_string(std::max(1, NumCores() - 1))});
      break;
    case JobKind::kBench:
      words = {"--models", form.model, "--seconds", NumberText(form.seconds)};
      break;
    case JobKind::kVerify:
      break;
  }
  return words;
}

void TellEnd(WindowState* state, JobKind kind, const Job& job) {
  const std::string name = "civita " + std::string(NameOf(kind));
  const std::string after = " after " + Fixed(job.elapsed_s(), 1) + " s";
  if (job.state() == Job::State::kFailed) {
    AddLine(state, name + " failed" + after + ": " + job.last_words(), LogLine::Kind::kError);
    ShowToast(state, name + " failed: " + job.last_words(), true);
  } else if (job.state() == Job::State::kCancelled) {
    AddLine(state, name + " cancelled" + after);
  } else {
    AddLine(state, name + " done" + after + ": " + job.folder().string());
    ShowToast(state, name + " is done");
  }
}

}  // namespace

void ToggleJobs(WindowState* state) {
  JobsState& jobs = state->jobs;
  jobs.is_open = !jobs.is_open;
  state->slider = {};
  if (!jobs.is_open) return;
  const SceneData& scene = state->scene->session.scene();
  if (scene.legs == nullptr) jobs.kind = JobKind::kBench;
  const bool is_named = std::ranges::any_of(
      Scenes(), [&](const SceneInfo& info) { return info.name == state->opened; });
  jobs.form.model = is_named ? state->opened : scene.config.model.string();
  jobs.form.error.clear();
}

void OpenSurvive(WindowState* state) {
  state->jobs.kind = JobKind::kSurvive;
  if (!state->jobs.is_open) ToggleJobs(state);
}

bool PushesByImpulse(const WindowState& state) {
  constexpr double kScan = 0.05;  // s
  const SceneData& scene = state.scene->session.scene();
  if (scene.legs == nullptr) return false;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(scene.plant.nv());
  ReferenceState reference{scene.q_start, none, none};
  for (double t = 0; t <= scene.config.duration_s; t += kScan) {
    scene.reference->Sample(t, reference);
    if (reference.body.walk) return true;
  }
  return false;
}

std::string WhyNot(const WindowState& state, JobKind kind) {
  if (kind == JobKind::kSurvive && state.scene->session.scene().legs == nullptr) {
    return "Only robots on legs are pushed until they fall: open one of them";
  }
  if (std::error_code ignored; !fs::exists(state.jobs.program.front(), ignored)) {
    return "civita's other verbs are still being compiled: try again in a minute";
  }
  return {};
}

void StartJob(WindowState* state, JobKind kind) {
  JobsState& jobs = state->jobs;
  std::unique_ptr<Job>& job = jobs.of(kind);
  if (job && job->is_running()) return;
  jobs.form.error = WhyNot(*state, kind);
  if (!jobs.form.error.empty()) return;
  const std::string verb(NameOf(kind));
  try {
    const Words words = FormWords(*state, kind);
    const fs::path folder = fs::absolute(TimestampedName(verb, "", state->recordings));
    fs::create_directories(folder);
    Words command = jobs.program;
    command.push_back(verb);
    if (kind != JobKind::kBench) {
      // The scene as it is tuned now; the folder keeps it.
      const SceneConfig config = TunedConfigs(*state->scene).front();
      const fs::path file = folder / (config.name + ".yaml");
      WriteWhole(file, ToYaml(config));
      command.push_back(file.string());
    }
    command.insert(command.end(), words.begin(), words.end());
    // The config is that of the window's own run.
    command.insert(command.end(), {"--trust", "--out", folder.string()});
    job.reset();
    job = std::make_unique<Job>(kind, command, folder);
    std::string text = "civita " + verb;
    for (const std::string& word : words) text += " " + word;
    AddLine(state, text);
  } catch (const std::exception& error) {
    jobs.form.error = error.what();
  }
}

void BenchShown(WindowState* state) {
  JobsState& jobs = state->jobs;
  if (!jobs.is_open) ToggleJobs(state);
  jobs.kind = JobKind::kBench;
  const std::unique_ptr<Job>& job = jobs.of(JobKind::kBench);
  if (!job || !job->is_running()) StartJob(state, JobKind::kBench);
}

void VerifyReplay(WindowState* state) {
  const std::string& folder = state->opened;
  Words command = state->jobs.program;
  command.insert(command.end(), {std::string(NameOf(JobKind::kVerify)), folder});
  try {
    state->jobs.verification = std::make_unique<Job>(JobKind::kVerify, command, folder);
    ShowToast(state, "Simulating it anew to compare every bit …");
  } catch (const Error& error) {
    ShowToast(state, error.what(), true);
  }
}

void CancelJob(WindowState* state, JobKind kind) {
  if (const std::unique_ptr<Job>& job = state->jobs.of(kind)) job->Cancel();
}

void PollJobs(WindowState* state) {
  for (const JobKind kind : kJobKinds) {
    const std::unique_ptr<Job>& job = state->jobs.of(kind);
    if (job && job->Poll()) TellEnd(state, kind, *job);
  }
  Job* const verification = state->jobs.verification.get();
  if (verification == nullptr || !verification->Poll()) return;
  const bool is_same = verification->state() == Job::State::kDone;
  const std::string text = is_same ? "Repeated bit for bit: " + verification->folder().string()
                                   : "Not repeated: " + verification->last_words();
  Tell(state, text, !is_same);
}

void OpenReport(WindowState* state, JobKind kind) {
  const std::string path = state->jobs.of(kind)->results().report.string();
  if (StartDetached({state->jobs.opener, path})) return;
  ImGui::SetClipboardText(path.c_str());
  ShowToast(state, "Copied " + path);
}

}  // namespace civita
