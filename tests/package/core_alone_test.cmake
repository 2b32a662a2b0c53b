# Run with cmake -P: configures core alone, and its tests, from a copy of SOURCE_DIR in WORK_DIR without
# MuJoCo and eiquadprog, with the packages of the other components hidden; configuring those components
# must fail. Compiles one file, and checks that core and its tests include only what core needs.
cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR}/source)
foreach(name CMakeLists.txt LICENSE base cmake controllers core examples legs scenes sim app tests)
  file(CREATE_LINK ${SOURCE_DIR}/${name} ${WORK_DIR}/source/${name} SYMBOLIC)
endforeach()
set(hidden "")
foreach(package mujoco eiquadprog yaml-cpp CLI11)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

# configure(<result> <output> <name> <options>...)
function(configure result output name)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR}/source -B ${WORK_DIR}/${name} -G Ninja
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX_COMPILER} ${hidden}
      -DCIVITA_BUILD_TESTS=ON -DCIVITA_BUILD_WINDOW=OFF -DCMAKE_UNITY_BUILD=OFF ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

configure(result output all)
foreach(name MuJoCo eiquadprog yaml-cpp CLI11)
  if(result EQUAL 0 OR NOT output MATCHES "civita needs ${name}")
    message(FATAL_ERROR "${name} is not hidden: ${output}")
  endif()
endforeach()
configure(result output core -DCIVITA_COMPONENTS=core)
if(result)
  message(FATAL_ERROR "${output}")
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/core
    --target base/CMakeFiles/civita_base.dir/error.cc.o
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(result)
  message(FATAL_ERROR "${output}")
endif()

file(GLOB_RECURSE files ${SOURCE_DIR}/base/* ${SOURCE_DIR}/core/*.h ${SOURCE_DIR}/core/*.cc
  ${SOURCE_DIR}/tests/base/* ${SOURCE_DIR}/tests/core/* ${SOURCE_DIR}/tests/laws/* ${SOURCE_DIR}/tests/wide/*
  ${SOURCE_DIR}/tests/oracles/* ${SOURCE_DIR}/app/verbs/reproduce/printed/*)
list(FILTER files EXCLUDE REGEX "/(core|oracles)/mujoco/")
foreach(file ${files})
  file(STRINGS ${file} includes
    REGEX "^#include .*(mujoco|eiquadprog|yaml-cpp|CLI|(controllers|legs|scenes|sim|app)/)")
  list(FILTER includes EXCLUDE REGEX "app/verbs/reproduce/printed/")
  if(includes)
    message(FATAL_ERROR "${file}: ${includes}")
  endif()
endforeach()
