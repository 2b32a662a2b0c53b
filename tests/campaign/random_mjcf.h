#pragma once

#include <string>

namespace civita {

/// A random model in MJCF over the attributes of bodies, joints, tendons, actuators, equalities,
/// flexes, contacts, options and flags that decide forces; everything has a name. A program gives
/// the same text for the same seed. MuJoCo's compiler refuses some.
std::string RandomMjcf(unsigned seed);

}  // namespace civita
