# civita::build_info: the generated header "civita/build_info.h" (see build_info.h.in). It is checked
# at every build and rewritten only if the commit has changed.
set(civita_generated_dir ${PROJECT_BINARY_DIR}/generated)
set(civita_build_info_command
  ${CMAKE_COMMAND}
  -DVERSION=${PROJECT_VERSION}
  -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DDATA_DIR=../${CMAKE_INSTALL_DATADIR}/civita
  -DMUJOCO_VERSION=${CIVITA_MUJOCO_VERSION}
  -DTEMPLATE=${CMAKE_CURRENT_LIST_DIR}/build_info.h.in
  -DOUTPUT=${civita_generated_dir}/civita/build_info.h
  -P ${CMAKE_CURRENT_LIST_DIR}/write_build_info.cmake)
execute_process(COMMAND ${civita_build_info_command} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(civita_write_build_info
  COMMAND ${civita_build_info_command}
  BYPRODUCTS ${civita_generated_dir}/civita/build_info.h
  COMMENT "Commit and version"
  VERBATIM)

add_library(civita_build_info INTERFACE)
add_library(civita::build_info ALIAS civita_build_info)
add_dependencies(civita_build_info civita_write_build_info)
target_include_directories(civita_build_info INTERFACE ${civita_generated_dir})
