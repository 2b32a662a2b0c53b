#pragma once

#include <string>
#include <string_view>

#include "civita/factorization.h"

namespace civita {

/// Factorization of a text in the grammar of configs, flags and the window: terms joined by '+',
///   christoffel | plain | other | t:0.3 | body:BODY:ang:β | body:BODY:lin:β | joint:β[:S.csv] |
///   alpha:0.5
/// The first four exclude each other; without one of them injections add to christoffel and alpha
/// adds to plain. S is the identity (nv = 3), or a CSV file of 3 rows and nv columns; a relative
/// path is taken from `directory`. @throws UserError that names the invalid term and lists the
/// forms.
Factorization ParseFactorization(std::string_view text, const Model& model,
                                 const std::string& directory = {});

/// Text of a factorization in the grammar of ParseFactorization, which gives the factorization
/// back.
std::string ToString(const Factorization& factorization);

}  // namespace civita
