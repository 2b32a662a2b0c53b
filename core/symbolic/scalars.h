#pragma once

#include <ginac/ginac.h>

#include <Eigen/Core>

// GiNaC's expressions as a scalar of core's templates.

template <>
struct Eigen::NumTraits<GiNaC::ex> : Eigen::GenericNumTraits<GiNaC::ex> {
  using Real = GiNaC::ex;
  using NonInteger = GiNaC::ex;
  using Nested = GiNaC::ex;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 100,
    MulCost = 100
  };
};

#define CIVITA_FOR_EACH_SCALAR(INSTANTIATE) INSTANTIATE(GiNaC::ex)
