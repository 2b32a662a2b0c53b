// Linked into executables under the address sanitizer.

// OpenGL's driver does not free its one-time allocations and is unloaded before the leaks are counted,
// so that no suppression could match it: this keeps it loaded.
extern "C" int dlclose(void*) { return 0; }

// One-time allocations of the libraries of OpenGL, fontconfig and GiNaC.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libEGL\n"
         "leak:libGL\n"
         "leak:libgallium\n"
         "leak:_dri.so\n"
         "leak:libLLVM\n"
         "leak:libfontconfig\n"
         "leak:libX11\n"
         "leak:libcln\n"
         "leak:libginac\n";
}

// A plug-in is linked with the libraries that the program has, too, and takes the program's symbols:
// equal globals of both are no error, globals of different sizes are.
extern "C" const char* __asan_default_options() { return "detect_odr_violation=1"; }

// Tests compare the output of programs.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
