#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/program.h"
#include "app/report/html.h"
#include "app/terminal.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "base/number_text.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/study/advise/advice_text.h"
#include "civita/study/advise/largest_stable_factor.h"
#include "civita/study/open_scene.h"
#include "civita/study/option_names.h"
#include "civita/study/watch.h"

namespace civita {
namespace {

struct AdviseOptions {
  SceneChoice scene;
  std::string factorization;    ///< empty: the scene's, and t:1 where that is torsion-free
  bool measures_limit = false;  ///< finds the largest stable multiple of the torsion by runs, too
  std::string out;              ///< folder of the files; empty: none are written
};

void PrintSentences(const char* title, const std::vector<AdviceSentence>& sentences) {
  if (sentences.empty()) return;
  std::string text = std::string("\n") + title + "\n";
  std::string formula;
  for (const AdviceSentence& sentence : sentences) {
    const bool is_known = sentence.formula.empty() || sentence.formula == formula;
    formula = sentence.formula;
    text += "  " + sentence.text + (is_known ? "" : "  [" + formula + "]") + "\n";
  }
  PrintOut(text);
}

StableFactor MeasureLimit(const SceneConfig& config, const Factorization& factorization) {
  const InterruptGuard guard;
  ProgressLine progress;
  return MeasureStableFactor(config, factorization, {}, progress.watch());
}

/// Tells of itself after a second. @throws Stopped.
Advice AdviseWatched(Scene& scene, const AdviceOptions& options) {
  const InterruptGuard guard;
  ProgressLine progress;
  Watch watch = progress.watch();
  watch.progress = [&](const std::string&, double) {
    if (progress.Due()) {
      progress.Show("following errors in " + std::to_string(scene.control_model.nv()) +
                    " velocities, " + internal::WithDecimals(progress.elapsed_s(), 0) + " s");
    }
  };
  const StopScope scope(watch);
  return Advise(scene, options);
}

void PrintAdvice(const Advice& advice) {
  const AdviceText text = DescribeAdvice(advice);
  PrintOut(text.verdict + ".\n");
  PrintSentences("Assumptions:", text.assumptions);
  PrintSentences("Tracking error, RMS against the torsion-free C:", text.errors);
  const Table errors = ErrorsTable(advice);
  if (advice.parts.size() > 1 && !errors.rows.empty()) PrintOut("\n" + ToTerminal(errors));
  PrintSentences("Costs:", text.costs);
  PrintSentences("Instead:", text.instead);
}

/// Of the page.
std::string Section(const char* title, const std::vector<AdviceSentence>& sentences) {
  if (sentences.empty()) return "";
  std::string html = "<h2>" + std::string(title) + "</h2>\n<ul>\n", formula;
  for (const AdviceSentence& sentence : sentences) {
    html += "<li>" + EscapeXml(sentence.text);
    if (!sentence.formula.empty() && sentence.formula != formula) {
      html += " <span class=\"muted\">" + EscapeXml(sentence.formula) + "</span>";
    }
    formula = sentence.formula;
    html += "</li>\n";
  }
  return html + "</ul>\n";
}

/// Contents of advice.html.
std::string FormatAdviceHtml(const Advice& advice, const std::string& command) {
  const AdviceText text = DescribeAdvice(advice);
  std::string html = "<p class=\"lead\">" + EscapeXml(text.verdict) + ".</p>\n";
  html += Section("Assumptions", text.assumptions);
  html += Section("Tracking error, RMS against the torsion-free C", text.errors);
  if (const Table errors = ErrorsTable(advice); !errors.rows.empty()) {
    html += ToHtml(errors) +
            "<p class=\"muted\">In bold what changes by more than 1 % somewhere.</p>\n";
  }
  html += Section("Costs", text.costs) + Section("Instead", text.instead);
  if (!advice.settings.empty()) html += ToHtml(SettingsTable(advice));
  html += "<h2>Again</h2>\n<pre>" + EscapeXml(command) + "</pre>\n";
  return HtmlPage(advice.title + ", advice", html);
}

std::string CommandLine(const AdviseOptions& options) {
  std::string line = "civita advise " + ShellQuoted(options.scene.scene);
  if (!options.factorization.empty()) {
    line += " --factorization " + ShellQuoted(options.factorization);
  }
  if (options.measures_limit) line += " --measure-limit";
  if (options.scene.duration_s) {
    line += " --duration " + internal::General(*options.scene.duration_s, 17);
  }
  if (options.scene.seed) line += " --seed " + std::to_string(*options.scene.seed);
  for (const std::string& text : options.scene.overrides) line += " --set " + ShellQuoted(text);
  return line;
}

void WriteFiles(const Advice& advice, const AdviseOptions& options) {
  const std::filesystem::path directory = options.out;
  const InterruptGuard guard;
  const OutputFolder folder(directory);
  const std::string command = CommandLine(options);
  WriteWhole(directory / "advice.html", FormatAdviceHtml(advice, command));
  WriteWhole(directory / "advice.json", FormatAdviceJson(advice, command));
  PrintOut("\n  files  " + (directory / "advice.html").string() + "\n");
}

/// Prints what the choice of C does along the scene's reference, and writes advice.json and
/// advice.html into the folder. @returns an ExitCode. @throws UserError.
int RunAdvise(const AdviseOptions& options) {
  const std::unique_ptr<Scene> scene = OpenScene(options.scene);
  for (const std::string& notice : scene->notices) PrintNote(notice);
  if (!options.out.empty()) {
    const InterruptGuard guard;              // while there is a file
    const OutputFolder folder(options.out);  // one that cannot be written is told at once
  }
  const AdviceOptions chosen = ReadFlag("--", [&] {
    return ChooseFactorization(options.factorization, *scene, [](const std::string& note) {
      PrintNote(note + "; --factorization names others");
    });
  });
  Advice advice;
  try {
    advice = AdviseWatched(*scene, chosen);
  } catch (const Stopped&) {
    return kExitInterrupted;
  }
  if (options.measures_limit) {
    advice.measured_limit = MeasureLimit(scene->config, *chosen.factorization);
  }
  PrintAdvice(advice);
  if (!options.out.empty()) WriteFiles(advice, options);
  const bool is_whole = !advice.measured_limit || !advice.measured_limit->interrupted;
  return is_whole ? kExitDone : kExitInterrupted;
}

constexpr const char* kAdviseAbout =
    "Tells without a run whether the choice of the Coriolis matrix C matters for a scene: for "
    "which errors, by how much, what it costs, and what to do instead.";

constexpr const char* kAdviseFooter = R"(
The numbers come from the linear error equations along the scene's reference,
  de/dt = -Lambda e + s,  H ds/dt = -(C + K_D + D) s,
with C and with the torsion-free C; each sentence has its formula in brackets. For laws with
s = v - v_d + Lambda e; others are refused. A robot's file has the law, gains, reference and rate
that civita run gives it; --set reference.type=… and other keys change them as there.

Examples:
  civita advise arm7_twist
  civita advise quadruped_float --factorization t:-3 --set gains.K_D=40
  civita advise chain20 --set control.actuation_delay_s=0.002 --out results/advice
  civita advise arm7_twist --set control.mode=held --measure-limit
  civita advise robot.urdf --set reference.frequency_hz=1

The folder (--out) gets advice.json with every number and advice.html; files of the same names are
replaced.
Exit codes: 0 done, 2 bad input, 130 interrupted.
)";

}  // namespace

std::function<int()> AddAdvise(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<AdviseOptions>();
  options->scene.called = kFlags;
  command->description(kAdviseAbout);
  command->footer(kAdviseFooter + std::string(kFactorizationForms));
  AddValue(command, "scene", "SCENE|MODEL", "a scene, a config, an MJCF or a URDF file",
           &options->scene.scene)
      ->required();
  AddValue(command, "--factorization", "FORM",
           "the C to be judged; default: the scene's, t:1 where that is torsion-free",
           &options->factorization);
  command->add_flag("--measure-limit", options->measures_limit,
                    "find by runs, too, from which multiple of the torsion on errors grow at the "
                    "scene's control rate and delay");
  AddDuration(command, &options->scene.duration_s);
  AddSeed(command, "of unknown masses and random forms of C", &options->scene.seed);
  AddRepeatable(command, "--set", "KEY=VALUE", "override a key of the config",
                &options->scene.overrides);
  AddOutDirectory(command, "write the files into DIR", &options->out);
  return [options] { return RunAdvise(*options); };
}

}  // namespace civita
