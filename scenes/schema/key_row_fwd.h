#pragma once

namespace civita {

/// A key of a section of the config, see scenes/schema/key_row.h.
template <typename Section>
struct KeyRow;

}  // namespace civita
