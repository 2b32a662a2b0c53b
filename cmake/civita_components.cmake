# The components of civita, their dependencies, and how those are found: read by civita's own build and
# by projects that use an installed civita.
include(${CMAKE_CURRENT_LIST_DIR}/civita_wheels.cmake)

# Each component comes after those that it needs; below, the packages that it needs.
set(civita_components base core mujoco controllers legs scenes sim symbolic study formulas)
set(civita_base_needs)
set(civita_core_needs base)
set(civita_mujoco_needs core)
set(civita_controllers_needs core)
set(civita_legs_needs controllers)
set(civita_scenes_needs mujoco legs)
set(civita_sim_needs scenes)
set(civita_symbolic_needs core)
set(civita_study_needs sim)
set(civita_formulas_needs study symbolic)
set(civita_base_packages Eigen3 Threads)
set(civita_core_packages)
set(civita_mujoco_packages mujoco)
set(civita_controllers_packages)
set(civita_legs_packages eiquadprog)
set(civita_scenes_packages yaml-cpp pugixml muparser)
set(civita_sim_packages nlohmann_json)
set(civita_symbolic_packages)
set(civita_study_packages)
set(civita_formulas_packages)
# Components that have no name of their own in `cmake --install --component`.
set(civita_base_installed_with core)
set(civita_symbolic_installed_with study)
set(civita_formulas_installed_with study)

# For each package its target, its name and, if there is one, Debian's package.
set(CIVITA_MUJOCO_VERSION 4.0.1)
set(CIVITA_EIQUADPROG_VERSION 1.2.9)
set(civita_Eigen3_package Eigen3::Eigen "Eigen 3.4" libeigen3-dev)
set(civita_Threads_package Threads::Threads "POSIX threads" libc6-dev)
set(civita_mujoco_package mujoco::mujoco "MuJoCo ${CIVITA_MUJOCO_VERSION}")
set(civita_eiquadprog_package eiquadprog::eiquadprog "eiquadprog ${CIVITA_EIQUADPROG_VERSION}")
set(civita_yaml-cpp_package yaml-cpp::yaml-cpp "yaml-cpp" libyaml-cpp-dev)
set(civita_pugixml_package pugixml::pugixml "pugixml" libpugixml-dev)
set(civita_muparser_package muparser::muparser "muParser" libmuparser-dev)
set(civita_nlohmann_json_package nlohmann_json::nlohmann_json "nlohmann-json" nlohmann-json3-dev)

# civita_add_needed(<result> <component>...): sets <result> to these components and all that they need,
# in order.
function(civita_add_needed result)
  set(chosen ${ARGN})
  set(ordered "")
  set(last_first ${civita_components})
  list(REVERSE last_first)
  foreach(component ${last_first})
    if(component IN_LIST chosen)
      list(APPEND chosen ${civita_${component}_needs})
      list(PREPEND ordered ${component})
    endif()
  endforeach()
  set(${result} ${ordered} PARENT_SCOPE)
endfunction()

# civita_find(<package> <wheels>): defines the package's target if the package is found, installed or,
# for MuJoCo and eiquadprog, in the folder <wheels>.
macro(civita_find package wheels)
  list(GET civita_${package}_package 0 civita_target)
  if(TARGET ${civita_target})
    # Already found, by this file or by the project that uses civita.
  elseif("${package}" STREQUAL "mujoco")
    civita_find_mujoco(${wheels}/mujoco ${CIVITA_MUJOCO_VERSION})
  elseif("${package}" STREQUAL "eiquadprog")
    civita_find_eiquadprog(${wheels}/eiquadprog ${CIVITA_EIQUADPROG_VERSION})
  elseif("${package}" STREQUAL "Eigen3")
    find_package(Eigen3 3.4 QUIET NO_MODULE)
  else()
    find_package(${package} QUIET)
  endif()
  # yaml-cpp 0.7 has no namespace, 0.8 of Debian 13 no target without.
  if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
    add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
  endif()
endmacro()
