#include "app/verbs/advise/advise.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/advise/advice_html.h"
#include "base/number_text.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/study/advise/advice_text.h"
#include "civita/study/advise/largest_stable_factor.h"
#include "civita/study/option_names.h"

namespace civita {
namespace {

/// "--factorization t:x: …" for what ChooseFactorization throws of a text.
AdviceOptions ChooseC(const std::string& text, const Scene& scene) {
  try {
    return ChooseFactorization(text, scene, [](const std::string& note) {
      PrintNote(note + "; --factorization names others");
    });
  } catch (const UserError& error) {
    throw UserError("--" + std::string(error.what()));
  }
}

void PrintSentences(const char* title, const std::vector<AdviceSentence>& sentences) {
  if (sentences.empty()) return;
  std::string text = std::string("\n") + title + "\n";
  for (const AdviceSentence& sentence : sentences) {
    text += "  " + sentence.text +
            (sentence.formula.empty() ? "" : "  [" + sentence.formula + "]") + "\n";
  }
  PrintOut(text);
}

/// "13.9".
std::string ShowMultiple(double x) {
  return std::isfinite(x) ? internal::General(x, 3) : "no multiple tried";
}

/// Runs the scene with multiples of the torsion. @returns an ExitCode.
int MeasureLimit(const SceneConfig& config, const Factorization& factorization) {
  const InterruptGuard guard;
  StableFactor found;
  {
    ProgressLine progress;
    found = MeasureStableFactor(config, factorization, {}, progress.watch());
  }
  std::string text = "\nMeasured by " + std::to_string(found.runs) + " runs of " +
                     internal::ShortNumber(found.duration_s) + " s: ";
  if (found.grows == 0) {
    text += "V grows without torsion, too (by the holding, or to the error that a delay makes)";
  } else {
    text += "errors grow from " + ShowMultiple(found.grows) +
            " times this torsion on, and not at " + ShowMultiple(found.stable);
  }
  const std::string predicted =
      std::isnan(found.predicted) ? "" : "; predicted from there " + ShowMultiple(found.predicted);
  PrintOut(text + predicted +
           ".  [V = ½ sᵀHs at the end above that at the start, or a failed run]\n");
  return found.interrupted ? kExitInterrupted : kExitDone;
}

void PrintAdvice(const Advice& advice) {
  const AdviceText text = DescribeAdvice(advice);
  PrintOut(text.verdict + ".\n");
  PrintSentences("This is of:", text.assumptions);
  PrintSentences("Tracking error, RMS against the torsion-free C:", text.errors);
  if (advice.parts.size() > 1 && !text.errors.empty()) {
    PrintOut("\n" + ToTerminal(ErrorsTable(advice)));
  }
  PrintSentences("Costs:", text.costs);
  PrintSentences("Instead:", text.instead);
}

std::string CommandLine(const AdviseOptions& options) {
  std::string line = "civita advise " + ShellQuoted(options.scene.scene);
  if (!options.factorization.empty()) {
    line += " --factorization " + ShellQuoted(options.factorization);
  }
  if (options.measures_limit) line += " --measure-limit";
  for (const std::string& text : options.scene.overrides) line += " --set " + ShellQuoted(text);
  return line;
}

void WriteFiles(const Advice& advice, const AdviseOptions& options,
                const std::filesystem::path& directory) {
  const std::string command = CommandLine(options);
  WriteWhole(directory / "advice.html", FormatAdviceHtml(advice, command));
  WriteWhole(directory / "advice.json", FormatAdviceJson(advice, command));
  PrintOut("\n  files  " + (directory / "advice.html").string() + "\n");
}

}  // namespace

int RunAdvise(const AdviseOptions& options, const std::string& out) {
  const std::unique_ptr<Scene> scene = OpenScene(options.scene);
  for (const std::string& notice : scene->notices) PrintNote(notice);
  std::optional<OutputFolder> folder;
  if (!out.empty()) folder.emplace(out);
  const AdviceOptions chosen = ChooseC(options.factorization, *scene);
  const Advice advice = Advise(*scene, chosen);
  PrintAdvice(advice);
  if (folder) WriteFiles(advice, options, out);
  return options.measures_limit ? MeasureLimit(scene->config, *chosen.factorization) : kExitDone;
}

}  // namespace civita
