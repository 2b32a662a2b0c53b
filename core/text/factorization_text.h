#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "civita/factorization.h"

namespace civita {

/// Makes a function of q of a formula. @throws UserError.
using FormulaReader =
    std::function<Coefficient::Function(const std::string& formula, const Model& model)>;

/// Factorization of a text in the grammar of configs, flags and the window: terms joined by '+',
///   christoffel | plain | other | t:0.3 | body:BODY:ang:β | body:BODY:lin:β | joint:β[:S.csv] |
///   form:FILE.csv | form:random:SEED[:SIZE] | alpha:0.5
/// and, for what no file has and other points of a body,
///   joint:β:[1 0 0 0; 0 1 0 0; 0 0 1 0] | form:[0 1 2 ω; 0 1 3 ω] | body:BODY:lin[x y z]:β.
/// The first four exclude each other; without one of them injections add to christoffel and alpha
/// adds to plain. β is a number, or a formula of q in braces where `read_formula` is given. S is
/// the identity (nv = 3), or a CSV file of 3 rows and nv columns; form:FILE.csv has a line
/// `COORDINATE, COORDINATE, COORDINATE, ω` for each component of a three-form, the coordinates by
/// Model::VelocityName and ω as β; form:random is MakeRandomThreeForm, SIZE in rad/s; in brackets
/// coordinates are numbered from 0. [x y z] is the point's distance from the origin of BODY (m),
/// see Factorization::Inject. A relative path is taken from `directory`. @throws UserError that
/// names the invalid term and lists the forms.
Factorization ParseFactorization(std::string_view text, const Model& model,
                                 const std::string& directory = {},
                                 const FormulaReader& read_formula = {});

/// Text of a factorization in the grammar of ParseFactorization, which gives the factorization
/// back: matrices and forms by their file where they have one. @throws UserError for an injection
/// at a body without the name of a frame, or one of a point without `origin`: Factorization::Inject
/// sets both.
std::string ToString(const Factorization& factorization);

/// A text of ToString for people, with the other name that two forms have: "plain (t:1)" and
/// "other (t:-1)".
std::string WithBothNames(const std::string& text);

}  // namespace civita
