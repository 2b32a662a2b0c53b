# `cmake --install` installs the program, its scenes and configs, and the CMake package civita:
#   find_package(civita REQUIRED COMPONENTS controllers)
#   target_link_libraries(mine PRIVATE civita::controllers)
# `cmake --install <build> --component core` installs core and the package's files; other components can
# be added to that.
include(CMakePackageConfigHelpers)

set(civita_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/civita)
set(civita_wheels_install_dir ${CMAKE_INSTALL_LIBDIR}/civita)

foreach(component ${civita_built})
  civita_installed_with(part ${component})
  install(TARGETS civita_${component} ${civita_${component}_also} EXPORT civita_${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part})
  install(EXPORT civita_${component} NAMESPACE civita:: FILE civita_${component}_targets.cmake
          DESTINATION ${civita_package_dir} COMPONENT ${part})
endforeach()

if(TARGET civita_scenes)
  foreach(folder scenes config)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/civita COMPONENT scenes
            PATTERN "*.h" EXCLUDE
            PATTERN "*.cc" EXCLUDE
            PATTERN "CMakeLists.txt" EXCLUDE)
  endforeach()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT core)

if(CIVITA_MUJOCO_DIR)
  install(DIRECTORY ${CIVITA_MUJOCO_DIR}/
          DESTINATION ${civita_wheels_install_dir}/mujoco COMPONENT mujoco)
endif()
if(CIVITA_EIQUADPROG_DIR)
  install(DIRECTORY ${CIVITA_EIQUADPROG_DIR}/
          DESTINATION ${civita_wheels_install_dir}/eiquadprog COMPONENT controllers)
endif()
if(TARGET civita)
  # civita does without civita_count_operations, with a note.
  install(TARGETS civita civita_count_operations
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program OPTIONAL)
  file(RELATIVE_PATH civita_origin_to_wheels
       ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX}/${civita_wheels_install_dir})
  set(civita_rpath "$ORIGIN/${civita_origin_to_wheels}")
  set_target_properties(civita civita_count_operations PROPERTIES
    INSTALL_RPATH "${civita_rpath}/mujoco/lib;${civita_rpath}/eiquadprog/lib")
  if(NOT CIVITA_MUJOCO_DIR OR NOT CIVITA_EIQUADPROG_DIR)
    set_target_properties(civita civita_count_operations PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
endif()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/civitaConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/civitaConfig.cmake
  INSTALL_DESTINATION ${civita_package_dir}
  PATH_VARS civita_wheels_install_dir)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/civitaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/civitaConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/civitaConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/civita_components.cmake
              ${CMAKE_CURRENT_LIST_DIR}/civita_wheels.cmake
        DESTINATION ${civita_package_dir} COMPONENT core)
