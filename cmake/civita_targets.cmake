# Flags and helpers shared by all targets.

# civita_precompile(<target>): uses a precompiled header with the third-party headers that most files
# include. This saves a third of the libraries' build time. GCC takes the level of optimization from the
# precompiled header, whatever the command line says, so that there is one for each level: that of
# civita_core and that of civita_headers.
function(civita_precompile target)
  set(headers
    <Eigen/Core> <Eigen/Geometry> <algorithm> <array> <atomic> <chrono> <cmath> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <optional> <span> <sstream> <string> <thread> <utility> <variant>
    <vector>)
  if(target STREQUAL "civita_core")
    target_precompile_headers(${target} PRIVATE ${headers})
  elseif(target IN_LIST civita_fast_libraries)
    target_precompile_headers(${target} REUSE_FROM civita_core)
  else()
    if(NOT TARGET civita_headers)
      file(GENERATE OUTPUT headers.cc CONTENT "")
      add_library(civita_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/headers.cc)
      target_link_libraries(civita_headers PRIVATE Eigen3::Eigen)
      target_compile_definitions(civita_headers PRIVATE
        $<TARGET_PROPERTY:civita_base,INTERFACE_COMPILE_DEFINITIONS>)
      civita_set_flags(civita_headers)
      civita_optimize_little(civita_headers)
      target_precompile_headers(civita_headers PRIVATE ${headers})
    endif()
    civita_optimize_little(${target})
    target_precompile_headers(${target} REUSE_FROM civita_headers)
  endif()
endfunction()

# The libraries in which control steps and frames spend their time, and the printed algorithms that are
# timed beside ours; the others are optimized little.
set(civita_fast_libraries civita_core civita_mujoco civita_controllers civita_legs civita_printed
  civita_drawing)

# civita_optimize_little(<target>): compiles it in three quarters of the time.
function(civita_optimize_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# civita_unite(<target> <most>): compiles its files in even groups of at most <most>, so that common headers
# and instances of templates are compiled once. -DCMAKE_UNITY_BUILD=OFF compiles them one by one, as
# clang-tidy and editors need.
function(civita_unite target most)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources count)
    math(EXPR groups "(${count} + ${most} - 1) / ${most}")
    math(EXPR size "(${count} + ${groups} - 1) / ${groups}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
  # GCC takes the united files for headers, and warns of types without linkage in them.
  get_target_property(is_united ${target} UNITY_BUILD)
  if(is_united AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# civita_group(<target> <group> [<group> <pattern>]...): compiles each of its files with those of the first
# group whose pattern matches the file's path, otherwise of the group given first. For libraries in which
# some files use the same names.
function(civita_group target other_files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    set(rows ${ARGN})
    set(chosen ${other_files})
    while(rows)
      list(POP_FRONT rows group pattern)
      if(source MATCHES "${pattern}")
        set(chosen ${group})
        break()
      endif()
    endwhile()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${chosen})
  endforeach()
endfunction()

function(civita_set_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC looks less often for memory that it no longer needs: a twelfth less time, a fifth more memory.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=524288)
    if(CIVITA_CCACHE)
      target_compile_options(${target} PRIVATE -fpch-preprocess)  # precompiled headers in ccache
    endif()
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # What GCC's warnings of the same names do not mean.
    target_compile_options(${target} PRIVATE -Wno-sign-conversion -Wno-ignored-qualifiers)
    if(CIVITA_CCACHE)
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
  # GCC 12 gives false warnings about std::string's operator+ (GCC bug 105651), with a precompiled
  # header of two kinds.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  if(CIVITA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CIVITA_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    # Checks that the address sanitizer or Eigen's assertions repeat; they take half of the compile time.
    if(CIVITA_SANITIZE MATCHES "undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,vptr,object-size)
    endif()
    if(CIVITA_SANITIZE MATCHES "fuzzer")
      target_compile_options(
        ${target} PRIVATE -fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/tests/campaign/uncovered.txt)
    endif()
    # With a sanitizer GCC gives false warnings about uninitialized members of std::regex (GCC bug 105562).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${CIVITA_SANITIZE}>)
  endif()
endfunction()

# civita_suppress_leaks(<executable>): with the address sanitizer, suppresses leaks of third-party
# libraries.
function(civita_suppress_leaks target)
  if(CIVITA_SANITIZE MATCHES "address")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/sanitizer_leaks.cc)
  endif()
endfunction()

# civita_installed_with(<result> <component>): the component of `cmake --install` that a component is part of.
function(civita_installed_with result component)
  set(${result} ${component} PARENT_SCOPE)
  if(DEFINED civita_${component}_installed_with)
    set(${result} ${civita_${component}_installed_with} PARENT_SCOPE)
  endif()
endfunction()

# civita_publish(<header> <component>): makes the header available as <civita/...>, in this build by a
# link, and installs it. A header of base and core is included by its name alone, those of geometry/ and
# of the other libraries with the name of their folder, those of legs as of a folder of controllers, those
# of the rooms of sim and scenes/plant without that of the room.
function(civita_publish header component)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
  string(REGEX REPLACE "^(base/|core/((spatial|model|dynamics|space|batch|poe|text|scalars)/)?)" "" path ${path})
  string(REGEX REPLACE "^legs/" "controllers/legs/" path ${path})
  string(REGEX REPLACE "^(sim|scenes/plant)/(step|figures|files|session|file|drive|model|start|legs)/" "\\1/"
    path ${path})
  cmake_path(GET path PARENT_PATH folder)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/civita/${folder})
  file(CREATE_LINK ${header} ${PROJECT_BINARY_DIR}/include/civita/${path} SYMBOLIC)
  civita_installed_with(part ${component})
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/civita/${folder} COMPONENT ${part})
endfunction()

# civita_add_library(<name> SOURCES <files> HEADERS <files> PUBLIC <libraries> PRIVATE <libraries>)
# Adds the library civita_<name>, alias civita::<name>; without sources an interface library. It is static,
# with BUILD_SHARED_LIBS shared if it is a component. Each minor version has an ABI of its own.
# HEADERS are the public headers, with full paths.
function(civita_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(target civita_${name})
  if(arg_SOURCES)
    set(type STATIC)
    if(BUILD_SHARED_LIBS AND name IN_LIST civita_components)
      set(type SHARED)
    endif()
    add_library(${target} ${type} ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
      DEFINE_SYMBOL "")  # compiled alike
    set(scope PUBLIC)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    civita_set_flags(${target})
    civita_precompile(${target})
    # Larger groups take no less time where most of it is Eigen's.
    if(target MATCHES "^civita_(core|controllers|legs)$")
      civita_unite(${target} 8)
    else()
      civita_unite(${target} 28)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC} ${arg_PRIVATE})
  endif()
  add_library(civita::${name} ALIAS ${target})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(header ${arg_HEADERS})
    civita_publish(${header} ${name})
  endforeach()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endfunction()
