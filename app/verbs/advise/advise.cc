#include "app/verbs/advise/advise.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/advise/advice_html.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"
#include "civita/study/advise/advice_text.h"
#include "civita/study/option_names.h"

namespace civita {
namespace {

/// "--factorization t:x: …" for what ChooseFactorization throws of a text.
Factorization ChooseC(const std::string& text, const Scene& scene) {
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
  for (const std::string& text : options.scene.overrides) line += " --set " + ShellQuoted(text);
  return line;
}

}  // namespace

int RunAdvise(const AdviseOptions& options, const std::string& out) {
  const std::unique_ptr<Scene> scene = OpenScene(options.scene);
  for (const std::string& notice : scene->notices) PrintNote(notice);
  std::optional<OutputFolder> folder;
  if (!out.empty()) folder.emplace(out);
  const Advice advice = Advise(*scene, {.factorization = ChooseC(options.factorization, *scene)});
  PrintAdvice(advice);
  if (!folder) return kExitDone;
  const std::filesystem::path directory = out;
  const std::string command = CommandLine(options);
  WriteWhole(directory / "advice.html", FormatAdviceHtml(advice, command));
  WriteWhole(directory / "advice.json", FormatAdviceJson(advice, command));
  PrintOut("\n  files  " + (directory / "advice.html").string() + "\n");
  return kExitDone;
}

}  // namespace civita
