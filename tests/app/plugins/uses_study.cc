// A type of reference that computes with civita::study, which the program has, and says whether it
// could.
#include <memory>

#include "civita/error.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/registry.h"
#include "civita/study/compare/compare.h"
#include "civita/study/formulas/formulas.h"
#include "civita/study/model/load_model.h"
#include "civita/study/poe/poe_functions.h"
#include "civita/study/survive/survive.h"

struct StudiedKeys {
  double way = 0.1;
};

constexpr civita::KeyRow<StudiedKeys> kStudiedKeys[] = {
    {"way", &StudiedKeys::way, "rad", "how far", civita::NumberRange::kPositive},
};

std::unique_ptr<civita::Reference> Study(StudiedKeys& keys, const civita::MotionContext& context) {
  (void)keys;
  (void)context;
  const civita::Model model = civita::LoadModel("planar_2r", {.loops = false}).model;
  const bool has_formulas = civita::WriteFormulas(model, {}).has_value();
  const bool has_table = !civita::PoeFunctions().empty();
  const bool has_figures = civita::FiguresOf({}, true).size() > 18;
  civita::CompareOptions options;
  options.scene = "planar_2r";
  options.duration_s = 0.01;
  options.variations = {"factorization=christoffel,t:1"};
  const bool compares = civita::CompareVariants(options).variants.size() == 2;
  throw civita::UserError(has_formulas && has_table && has_figures && compares
                              ? "civita::study computes in a plug-in"
                              : "civita::study lacks something");
}

constinit const civita::ReferenceType kStudied =
    civita::ReferenceTypeOf<kStudiedKeys, Study>("studied", "computes with civita::study");

CIVITA_PLUGIN(registry) { registry->references.push_back(&kStudied); }
