#pragma once

// The sanitizers that a test is compiled with, by GCC's macros and by clang's features.

#if defined(__SANITIZE_ADDRESS__)
#define CIVITA_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__)
#define CIVITA_THREAD_SANITIZER
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CIVITA_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define CIVITA_THREAD_SANITIZER
#endif
#endif
