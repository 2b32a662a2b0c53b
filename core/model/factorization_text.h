#pragma once

#include <string>
#include <string_view>

#include "civita/factorization.h"

namespace civita {

/// The grammar, one for files, flags and window: terms joined by '+',
///   christoffel | plain | other | t:0.3 | body:BODY:ang:β | body:BODY:lin:β | joint:β[:S.csv] |
///   alpha:0.5
/// where the first four exclude each other; when none is given injections add to christoffel, and
/// alpha to plain.
/// S is the identity where nv = 3, else a CSV of 3 rows and nv columns, sought in `directory` when
/// relative.
/// @throws UserError that says what is wrong and lists the forms.
Factorization ParseFactorization(std::string_view text, const Model& model,
                                 const std::string& directory = {});

/// The same in the grammar: parsed it gives the factorization back.
std::string ToString(const Factorization& factorization);

}  // namespace civita
