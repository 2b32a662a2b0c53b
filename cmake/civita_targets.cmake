# Flags and helpers that all targets share.

# civita_precompile(<target>): other projects' headers that most files read, compiled once, by
# civita_core. A third of the time to build the libraries.
function(civita_precompile target)
  # With a sanitizer GCC 12 warns falsely of what such a header holds.
  if(CIVITA_SANITIZE)
    return()
  endif()
  if(target STREQUAL "civita_core")
    target_precompile_headers(${target} PRIVATE
      <Eigen/Core> <Eigen/Geometry> <algorithm> <array> <atomic> <chrono> <cmath> <filesystem> <fstream>
      <functional> <limits> <map> <memory> <optional> <span> <sstream> <string> <thread> <utility> <variant>
      <vector>)
  else()
    target_precompile_headers(${target} REUSE_FROM civita_core)
  endif()
  if(CIVITA_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# civita_unite(<target>): compiles its files eight at a time, so that what all of them include is
# compiled once. -DCMAKE_UNITY_BUILD=OFF compiles them one by one, as clang-tidy does and editors want.
function(civita_unite target)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  # GCC takes the files for headers, and warns of what has no name outside of them.
  get_target_property(is_united ${target} UNITY_BUILD)
  if(is_united AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

function(civita_set_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
  # GCC 12 warns falsely about std::string's operator+ (GCC bug 105651), with a precompiled header
  # in two ways.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  if(CIVITA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CIVITA_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    # What the address sanitizer sees too, or Eigen asserts: half of the time to compile.
    if(CIVITA_SANITIZE MATCHES "undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,vptr,object-size)
    endif()
    # With a sanitizer GCC warns falsely of uninitialized members inside std::regex (GCC bug 105562).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${CIVITA_SANITIZE}>)
  endif()
endfunction()

# civita_suppress_leaks(<executable>): under the address sanitizer, tells other libraries' leaks from
# ours.
function(civita_suppress_leaks target)
  if(CIVITA_SANITIZE MATCHES "address")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/sanitizer_leaks.cc)
  endif()
endfunction()

# civita_publish(<header> <component>): lets everybody include the header as <civita/...>, here by a
# link and from an installed civita, whatever folder of this tree it stands in: a header of core by
# its name alone, those of geometry/ and of the other libraries below the name of their folder.
function(civita_publish header component)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
  string(REGEX REPLACE "^core/((model|dynamics|loops|batch)/)?" "" path ${path})
  cmake_path(GET path PARENT_PATH folder)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/civita/${folder})
  file(CREATE_LINK ${header} ${PROJECT_BINARY_DIR}/include/civita/${path} SYMBOLIC)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/civita/${folder} COMPONENT ${component})
endfunction()

# civita_add_library(<name> SOURCES <files> HEADERS <files> PUBLIC <libraries> PRIVATE <libraries>)
# Static library civita_<name>, alias civita::<name>. A directory without sources gives an interface
# library, so that headers alone are a library, too. HEADERS, with their whole paths, are the public ones.
function(civita_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  set(target civita_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    civita_set_flags(${target})
    civita_precompile(${target})
    civita_unite(${target})
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
