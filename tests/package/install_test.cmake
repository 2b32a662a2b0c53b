# Run with cmake -P: installs core alone from BUILD_DIR, then everything, and uses the installation as
# other projects do: the examples, the project in this folder, the installed program with the example law.
cmake_policy(VERSION 3.25)
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

# build(<name> <source> <options>...): configures and builds a project with the installed package,
# without optimization, which would take most of the time.
set(configure ${CMAKE_COMMAND} -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_PREFIX_PATH=${prefix})
if(CCACHE)
  list(APPEND configure -DCMAKE_CXX_COMPILER_LAUNCHER=${CCACHE})
endif()

function(build name source)
  run(${configure} -S ${source} -B ${WORK_DIR}/${name} ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/${name})
endfunction()

# Packages that core does not need.
set(hidden "")
foreach(package mujoco eiquadprog yaml-cpp nlohmann_json CLI11)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

# GCC 12's sanitizers cannot place their shadow memory under the address randomization of newer kernels.
execute_process(COMMAND setarch -R true RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
set(without_aslr "")
if(result EQUAL 0)
  set(without_aslr setarch -R)
endif()

# run_examples(): runs core's examples, with ALL_FLAGS also with options that change Eigen's alignment and
# allocator.
function(run_examples)
  set(all_flags default)
  if(ALL_FLAGS)
    list(APPEND all_flags -march=native -fsanitize=address)
  endif()
  foreach(flags ${all_flags})
    set(options ${flags})
    if(flags STREQUAL "default")
      set(options "")
    endif()
    build(examples${flags} ${CMAKE_CURRENT_LIST_DIR}/examples
          -DEXAMPLES_DIR=${EXAMPLES_DIR} -DCMAKE_CXX_FLAGS=${options} ${hidden})
    file(GLOB programs ${WORK_DIR}/examples${flags}/bin/*)
    list(LENGTH programs number)
    if(NOT number EQUAL 7)
      message(FATAL_ERROR "examples: ${programs}")
    endif()
    foreach(program ${programs})
      run(${without_aslr} ${program})
    endforeach()
  endforeach()
endfunction()

# expect_refusal(<text> <components> <options>...): find_package() fails with this text.
file(WRITE ${WORK_DIR}/find/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(find LANGUAGES CXX)
find_package(civita REQUIRED COMPONENTS ${COMPONENTS})
]])
function(expect_refusal text components)
  execute_process(
    COMMAND ${configure} -S ${WORK_DIR}/find -B ${WORK_DIR}/find/build --fresh
      -DCOMPONENTS=${components} ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(result EQUAL 0 OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "component ${components}, expected \"${text}\": ${output}")
  endif()
endfunction()

# run_scalars(): those of other libraries, which scripts/test --full brings.
function(run_scalars)
  build(scalars ${EXAMPLES_DIR}/scalars -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${WORK_DIR}/scalars/bin
        -Dcasadi_DIR=${SOURCE_DIR}/.deps/casadi/cmake)
  file(GLOB programs ${WORK_DIR}/scalars/bin/*)
  list(LENGTH programs number)
  if(NOT number EQUAL 2)
    message(FATAL_ERROR "scalars: ${programs}")
  endif()
  foreach(program ${programs})
    run(${program})
  endforeach()
endfunction()

# build_by_pkg_config(<component> <source>): without CMake, by what pkg-config tells.
find_program(PKG_CONFIG pkg-config)
function(build_by_pkg_config component source)
  file(GLOB_RECURSE files ${prefix}/civita-${component}.pc)
  cmake_path(GET files PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder}
      ${PKG_CONFIG} --cflags --libs civita-${component}
    OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND ${flags})
  run(${CXX_COMPILER} -std=c++20 -O1 ${source} ${flags} -o ${WORK_DIR}/by_pkg_config_${component})
endfunction()

# The version in a header, for the preprocessor.
file(WRITE ${WORK_DIR}/version.cc [[
#include "civita/version.h"
#if CIVITA_VERSION_AT_LEAST(CIVITA_VERSION_MAJOR, CIVITA_VERSION_MINOR, CIVITA_VERSION_PATCH + 1) || \
    !CIVITA_VERSION_AT_LEAST(CIVITA_VERSION_MAJOR, CIVITA_VERSION_MINOR, CIVITA_VERSION_PATCH) || \
    !CIVITA_VERSION_AT_LEAST(0, 0, 9)
#error "another version"
#endif
#include <cstdio>
int main() { std::puts(CIVITA_VERSION); }
]])

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component core --prefix ${prefix})
run_examples()
if(prefix MATCHES " ")  # which pkg-config hands on unquoted but in -I and -L
  message(STATUS "nothing is built by pkg-config: the prefix has a blank")
else()
  build_by_pkg_config(core ${EXAMPLES_DIR}/christoffel/main.cc)
  run(${WORK_DIR}/by_pkg_config_core)
  build_by_pkg_config(core ${WORK_DIR}/version.cc)
  execute_process(COMMAND ${WORK_DIR}/by_pkg_config_core OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  if(NOT version STREQUAL "${VERSION}\n")
    message(FATAL_ERROR "version.h has ${version}, the project ${VERSION}")
  endif()
endif()
if(ALL_FLAGS AND CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
  run_scalars()
endif()
if(WITH_JSON)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component json --prefix ${prefix})
  build(read_json ${EXAMPLES_DIR}/read_json)
endif()
expect_refusal("component scenes is not installed" scenes)
expect_refusal("there is no component cores; valid: base, core, json, mujoco" cores)

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run_examples()
# The Python package is pip's: under the prefix no Python would look for it.
if(EXISTS ${prefix}/civita)
  message(FATAL_ERROR "cmake --install has installed the Python package")
endif()
if(NOT WITH_SIM)
  return()
endif()
expect_refusal("component scenes needs yaml-cpp[^;]*$" scenes ${hidden})

# expect_laws(<program> <types>)
function(expect_laws program types)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output STREQUAL "${types} ")
    message(FATAL_ERROR "${program}, expected ${types}: ${output}")
  endif()
endfunction()

# The laws but those of legs without a package that core does not need.
build(laws ${CMAKE_CURRENT_LIST_DIR}/laws ${hidden})
set(ends "pd_gravity computed_torque")
expect_laws(${WORK_DIR}/laws/laws "slotine_li adaptive reference_dynamics task_space ${ends}")
set(all_laws "slotine_li adaptive reference_dynamics task_space whole_body adaptive_whole_body ${ends}")
expect_laws(${WORK_DIR}/laws/laws_of_legs "${all_laws}")
if(NOT prefix MATCHES " ")
  build_by_pkg_config(legs ${CMAKE_CURRENT_LIST_DIR}/laws/main.cc)
  expect_laws(${WORK_DIR}/by_pkg_config_legs "${all_laws}")
endif()

# Without COMPONENTS.
build(build ${CMAKE_CURRENT_LIST_DIR})
run(${WORK_DIR}/build/user)

# A run with civita::sim alone.
build(simulate ${EXAMPLES_DIR}/simulate)
run(${WORK_DIR}/simulate/simulate ${prefix}/share/civita/config/planar_2r.yaml)
if(NOT prefix MATCHES " ")
  build_by_pkg_config(sim ${EXAMPLES_DIR}/simulate/main.cc)
  run(${WORK_DIR}/by_pkg_config_sim ${prefix}/share/civita/config/planar_2r.yaml)
endif()

# A comparison with civita::study, whose word on the torsion is the program's.
if(WITH_STUDY)
  build(compare ${EXAMPLES_DIR}/compare_factorizations)
  execute_process(
    COMMAND ${WORK_DIR}/compare/compare_factorizations ${prefix}/share/civita/config/arm7_twist.yaml
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(result OR NOT output MATCHES "With t:1, s turns by")
    message(FATAL_ERROR "compare_factorizations: ${result}\n${output}\n${error}")
  endif()
endif()

# The example law. With another alignment of Eigen's types it would crash, so it must not compile.
build(own_law ${EXAMPLES_DIR}/own_law)
run(${configure} -S ${EXAMPLES_DIR}/own_law -B ${WORK_DIR}/other_law
    -DCMAKE_CXX_FLAGS=-DEIGEN_MAX_ALIGN_BYTES=64)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/other_law
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "civita's library aligns Eigen's types to 16 bytes")
  message(FATAL_ERROR "a law with another alignment: ${result}, ${output}")
endif()

# As a plug-in of the installed program.
if(WITH_PROGRAM)
  set(civita ${prefix}/bin/civita)
  set(plugin ${WORK_DIR}/own_law/own_law.so)
  run(${civita} scenes)
  run(${civita} eval arm7 --quantities H --save-model ${WORK_DIR}/arm7.json)
  run(${WORK_DIR}/read_json/read_json ${WORK_DIR}/arm7.json)
  run(${civita} run planar_2r --headless --duration 0.1 --plugin ${plugin}
      --set controller.type=sliding_mode --set controller.layer=0.1 --set gains.K_s=3
      --out ${WORK_DIR}/run)
  file(STRINGS ${WORK_DIR}/run/signals.csv header LIMIT_COUNT 1)
  if(NOT header MATCHES "/law/power")
    message(FATAL_ERROR "the law's signal is not recorded: ${header}")
  endif()
  run(${civita} compare planar_2r --duration 0.1 --plugin ${plugin}
      --vary controller.type=slotine_li,sliding_mode)
endif()

# Debian's package, unpacked: it depends on what its files are linked with, its program runs, a project finds it
# and what it brings.
find_program(DPKG_DEB dpkg-deb)
if(ALL_FLAGS AND DPKG_DEB)
  run(${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD_DIR}/CPackConfig.cmake -B ${WORK_DIR}/deb)
  set(name libcivita-dev)
  set(needed libc6 libstdc\\+\\+6 libeigen3-dev)
  if(WITH_PROGRAM)
    set(name civita)
    set(needed libc6 libstdc\\+\\+6 libyaml-cpp0.7)
  endif()
  file(GLOB package ${WORK_DIR}/deb/${name}_${VERSION}_*.deb)
  execute_process(COMMAND ${DPKG_DEB} -f ${package} Depends
    OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
  foreach(need ${needed})
    if(NOT depends MATCHES "(^|, )${need}[ ,\n]")
      message(FATAL_ERROR "${package} does not depend on ${need}: ${depends}")
    endif()
  endforeach()
  run(${DPKG_DEB} -x ${package} ${WORK_DIR}/deb/root)
  file(GLOB_RECURSE of_python ${WORK_DIR}/deb/root/*.py)
  if(of_python)
    message(FATAL_ERROR "the package has what is pip's: ${of_python}")
  endif()
  set(prefix ${WORK_DIR}/deb/root/usr)
  if(WITH_PROGRAM)
    run(${prefix}/bin/civita run planar_2r --headless --duration 0.1)
  endif()
  set(configure ${configure} -DCMAKE_PREFIX_PATH=${prefix})
  build(simulate_deb ${EXAMPLES_DIR}/simulate)
  run(${WORK_DIR}/simulate_deb/simulate ${prefix}/share/civita/config/planar_2r.yaml)
endif()
