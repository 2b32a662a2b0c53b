# civita::build_info: the generated header "civita/build_info.h" (see build_info.h.in). What it declares
# but does not define is in civita_git_describe, a generated source of the library scenes, which is
# checked at every build and rewritten only if the commit has changed.
set(civita_generated_dir ${PROJECT_BINARY_DIR}/generated)
set(civita_git_describe ${civita_generated_dir}/git_describe.cc)
set(SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(DATA_DIR ../${CMAKE_INSTALL_DATADIR}/civita)
set(MUJOCO_VERSION ${CIVITA_MUJOCO_VERSION})
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.h.in
  ${civita_generated_dir}/civita/build_info.h @ONLY)

set(civita_git_describe_command
  ${CMAKE_COMMAND}
  -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DTEMPLATE=${CMAKE_CURRENT_LIST_DIR}/git_describe.cc.in
  -DOUTPUT=${civita_git_describe}
  -P ${CMAKE_CURRENT_LIST_DIR}/write_git_describe.cmake)
execute_process(COMMAND ${civita_git_describe_command} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(civita_write_git_describe
  COMMAND ${civita_git_describe_command}
  BYPRODUCTS ${civita_git_describe}
  COMMENT "Commit"
  VERBATIM)

add_library(civita_build_info INTERFACE)
add_library(civita::build_info ALIAS civita_build_info)
target_include_directories(civita_build_info INTERFACE ${civita_generated_dir})
