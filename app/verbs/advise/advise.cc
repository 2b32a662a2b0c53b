#include "app/verbs/advise/advise.h"

#include <string>
#include <vector>

#include "app/program.h"
#include "app/terminal.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/formula.h"
#include "civita/study/advise/advice_text.h"

namespace civita {
namespace {

/// The C to be judged.
Factorization ChooseFactorization(const std::string& text, const Scene& scene) {
  if (!text.empty()) {
    try {
      return ParseFactorization(text, scene.control_model, {}, CompileFormula);
    } catch (const UserError& error) {
      throw UserError("--" + std::string(error.what()));
    }
  }
  const Factorization& own = scene.controller->factorization();
  if (!own.torsion_free()) return own;
  PrintNote(
      "the scene's C is torsion-free: t:1 is judged against it; --factorization names others");
  return Factorization::Torsion(1);
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

}  // namespace

int RunAdvise(const AdviseOptions& options) {
  const std::unique_ptr<Scene> scene = OpenScene(options.scene);
  for (const std::string& notice : scene->notices) PrintNote(notice);
  const AdviceText text = DescribeAdvice(
      Advise(*scene, {.factorization = ChooseFactorization(options.factorization, *scene)}));
  PrintOut(text.verdict + ".\n");
  PrintSentences("This is of:", text.assumptions);
  PrintSentences("Tracking error, RMS against the torsion-free C:", text.errors);
  PrintSentences("Costs:", text.costs);
  PrintSentences("Instead:", text.instead);
  return kExitDone;
}

}  // namespace civita
