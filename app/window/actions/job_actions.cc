#include "app/window/actions/job_actions.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "app/flags.h"
#include "app/window/actions/actions.h"
#include "base/number_text.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/scene_list.h"
#include "civita/sim/output_file.h"
#include "civita/sim/trials/parallel_for.h"
#include "civita/study/compare/compare_variants.h"

namespace civita {
namespace {

using OrderedJson = nlohmann::ordered_json;

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Words separated by spaces outside of brackets and quotes.
Words SplitWords(const std::string& text) {
  Words words = SplitOutsideBrackets(text, ' ');
  std::erase(words, "");
  return words;
}

std::string NumberText(double number) { return internal::General(number); }

std::string NumberText(const Eigen::VectorXd& numbers, double factor) {
  if ((numbers.array() == numbers[0]).all()) return NumberText(factor * numbers[0]);
  std::string text;
  for (const double number : numbers)
    text += (text.empty() ? "[" : ",") + NumberText(factor * number);
  return text + "]";
}

/// @throws UserError if they are none.
std::vector<Variation> ParseVariations(const std::string& text) {
  std::vector<Variation> variations;
  for (const std::string& word : SplitWords(text))
    variations.push_back(ParseVariation(word, kFlags));
  CombineVariations(variations, kFlags);
  return variations;
}

/// The variations as words of the command line. @throws UserError if they are none.
Words VaryWords(const std::string& text) {
  Words words;
  (void)ParseVariations(text);
  for (const std::string& word : SplitWords(text)) words.insert(words.end(), {"--vary", word});
  return words;
}

/// The study of a sweep of the scene's config, as JSON, which is YAML. @throws UserError.
std::string StudyText(const JobForm& form, const fs::path& config) {
  OrderedJson vary = OrderedJson::object();
  for (const Variation& variation : ParseVariations(form.vary)) {
    for (const std::string& text : variation.values) {
      const OrderedJson value = OrderedJson::parse(text, nullptr, false);
      vary[variation.key].push_back(value.is_discarded() ? OrderedJson(text) : value);
    }
  }
  const OrderedJson study = {{"scene", config.string()},
                             {"duration_s", form.duration_s},
                             {"vary", vary},
                             {"seeds", std::lround(form.seeds)}};
  return study.dump(2) + "\n";
}

/// The words that the form adds to a kind's command. @throws UserError.
Words FormWords(const WindowState& state, JobKind kind) {
  const JobForm& form = state.jobs.form;
  Words words;
  switch (kind) {
    case JobKind::kCompare:
      words = VaryWords(form.vary);
      words.insert(words.end(), {"--duration", NumberText(form.duration_s), "--initial-states",
                                 NumberText(std::round(form.starts))});
      break;
    case JobKind::kSweep:
      (void)ParseVariations(form.vary);
      words = {"--workers", std::to_string(std::max(1, NumCores() - 1))};
      break;
    case JobKind::kSurvive:
      if (!SplitWords(form.rows).empty()) words = VaryWords(form.rows);
      // One core stays for the window.
      words.insert(words.end(), {PushesByImpulse(state) ? "--impulse" : "--push", form.pushes,
                                 "--trials", NumberText(std::round(form.trials)), "--jobs",
                                 std::to_string(std::max(1, NumCores() - 1))});
      break;
    case JobKind::kBench:
      words = {"--models", form.models, "--seconds", NumberText(form.seconds)};
      break;
  }
  return words;
}

void Tell(WindowState* state, const std::string& text, LogLine::Kind kind) {
  state->scene->log.Add({state->scene->snapshot->t, text, kind});
}

void TellEnd(WindowState* state, JobKind kind, const Job& job) {
  const std::string name = "civita " + std::string(NameOf(kind));
  const std::string after = " after " + Fixed(job.elapsed_s(), 1) + " s";
  switch (job.state()) {
    case Job::State::kFailed:
      Tell(state, name + " failed" + after + ": " + job.last_words(), LogLine::Kind::kError);
      ShowToast(state, name + " failed: " + job.last_words(), true);
      break;
    case Job::State::kCancelled:
      Tell(state, name + " cancelled" + after, LogLine::Kind::kAction);
      break;
    default:
      Tell(state, name + " done" + after + ": " + job.folder().string(), LogLine::Kind::kAction);
      ShowToast(state, name + " is done");
  }
}

}  // namespace

void ToggleJobs(WindowState* state) {
  JobsState& jobs = state->jobs;
  jobs.is_open = !jobs.is_open;
  state->slider = {};
  if (!jobs.is_open) return;
  JobForm& form = jobs.form;
  if (form.vary.empty() || form.vary == form.suggested) form.vary = SuggestVariations(*state);
  form.suggested = SuggestVariations(*state);
  if (form.duration_s == 0) form.duration_s = state->scene->session.scene().config.duration_s;
  form.error.clear();
}

std::string SuggestVariations(const WindowState& state) {
  const ActiveScene& scene = *state.scene;
  const Tuning& a = scene.slots.front().tuning.current();
  const Tuning& b = scene.slots.back().tuning.current();
  const LawInfo& law = scene.law(Slot::kA);
  if (scene.is_comparing() && law.type != scene.law(Slot::kB).type) {
    return "controller.type=" + std::string(law.type) + "," + std::string(scene.law(Slot::kB).type);
  }
  const std::string C = ToString(a.factorization);
  if (law.uses_factorization && ToString(b.factorization) != C) {
    return "factorization=" + C + "," + ToString(b.factorization);
  }
  for (std::size_t i = 0; i < a.gains.size(); ++i) {
    const std::string key = std::string(law.parameters[i].key);
    if (law.parameters[i].shape == GainShape::kSkew) continue;
    if (scene.is_comparing() && a.gains[i] != b.gains[i]) {
      return "gains." + key + "=" + NumberText(a.gains[i], 1) + "," + NumberText(b.gains[i], 1);
    }
  }
  if (law.uses_factorization) {
    return "factorization=" + C + (a.factorization.torsion_free() ? ",t:1" : ",christoffel");
  }
  if (a.gains.empty()) return {};
  return "gains." + std::string(law.parameters[0].key) + "=" + NumberText(a.gains[0], 1) + "," +
         NumberText(a.gains[0], 2);
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
  if (kind == JobKind::kSweep && !std::ranges::count(state.jobs.program, "-m")) {
    return "Sweeps are of the Python package: pip install 'civita[sweeps]' and start its civita";
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
      if (kind == JobKind::kSweep) {
        const fs::path study = folder / "study.yaml";
        WriteWhole(study, StudyText(jobs.form, file));
        command.push_back(study.string());
      } else {
        command.push_back(file.string());
      }
    }
    command.insert(command.end(), words.begin(), words.end());
    // The config is that of the window's own run.
    command.insert(command.end(), {"--trust", "--out", folder.string()});
    job.reset();
    job = std::make_unique<Job>(kind, command, folder);
    std::string text = "civita " + verb;
    for (const std::string& word : words) text += " " + word;
    Tell(state, text, LogLine::Kind::kAction);
  } catch (const std::exception& error) {
    jobs.form.error = error.what();
  }
}

void BenchShown(WindowState* state) {
  JobsState& jobs = state->jobs;
  if (!jobs.is_open) ToggleJobs(state);
  jobs.kind = JobKind::kBench;
  const std::unique_ptr<Job>& job = jobs.of(JobKind::kBench);
  if (job && job->is_running()) return;
  const bool is_named = std::ranges::any_of(
      Scenes(), [&](const SceneInfo& info) { return info.name == state->opened; });
  jobs.form.models = is_named ? state->opened : state->scene->session.scene().config.model.string();
  StartJob(state, JobKind::kBench);
}

void VerifyReplay(WindowState* state) {
  const std::string& folder = state->opened;
  Words command = state->jobs.program;
  command.insert(command.end(), {"verify", folder});
  try {
    state->jobs.verification = std::make_unique<Job>(JobKind::kSweep, command, folder);
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
  Tell(state, text, is_same ? LogLine::Kind::kAction : LogLine::Kind::kError);
  ShowToast(state, text, !is_same);
}

void OpenReport(WindowState* state, JobKind kind) {
  const std::string path = state->jobs.of(kind)->results().report.string();
  if (StartDetached({state->jobs.opener, path})) return;
  ImGui::SetClipboardText(path.c_str());
  ShowToast(state, "Copied " + path);
}

}  // namespace civita
