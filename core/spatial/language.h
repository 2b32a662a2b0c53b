// The first include of public headers without another: says which language they are in.
#pragma once

#if __cplusplus < 202002L
#error "civita needs C++20: compile with -std=c++20, of GCC 11, clang 14 or later"
#endif
