# `cmake --install` installs the program, its scenes and configs, and the CMake package civita:
#   find_package(civita REQUIRED COMPONENTS controllers)
#   target_link_libraries(mine PRIVATE civita::controllers)
# `cmake --install <build> --component core` installs core and the package's files; other components can
# be added to that.
include(CMakePackageConfigHelpers)

set(civita_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/civita)
set(civita_wheels_install_dir ${CMAKE_INSTALL_LIBDIR}/civita)

# Where what is installed finds what pip brought.
file(RELATIVE_PATH civita_bin_to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
function(civita_set_rpath from)
  set(wheels ${from}/civita)
  set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH "${from};${wheels}/mujoco/lib;${wheels}/eiquadprog/lib")
  if(NOT CIVITA_MUJOCO_DIR OR NOT CIVITA_EIQUADPROG_DIR)
    set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
endfunction()

foreach(component ${civita_built})
  civita_set_rpath("$ORIGIN" civita_${component})
  civita_installed_with(part ${component})
  install(TARGETS civita_${component} ${civita_${component}_also} EXPORT civita_${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part})
  install(EXPORT civita_${component} NAMESPACE civita:: FILE civita_${component}_targets.cmake
          DESTINATION ${civita_package_dir} COMPONENT ${part})
endforeach()

if(TARGET civita_scenes)
  foreach(folder scenes config)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/civita COMPONENT scenes
            PATTERN "*.h" EXCLUDE
            PATTERN "*.cc" EXCLUDE
            PATTERN "*.py" EXCLUDE
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
          DESTINATION ${civita_wheels_install_dir}/eiquadprog COMPONENT legs)
endif()
if(TARGET civita)
  install(TARGETS civita RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program OPTIONAL)
  civita_set_rpath("$ORIGIN/${civita_bin_to_libraries}" civita)
endif()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/civitaConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/civitaConfig.cmake
  INSTALL_DESTINATION ${civita_package_dir}
  PATH_VARS civita_wheels_install_dir)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cmake/civitaConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/civitaConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/civitaConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/civita_components.cmake
              ${CMAKE_CURRENT_LIST_DIR}/civita_wheels.cmake
        DESTINATION ${civita_package_dir} COMPONENT core)

# What pkg-config calls a package, or else the flags of what it does not know.
set(civita_Eigen3_pc eigen3)
set(civita_Threads_libs -pthread)
set(civita_yaml-cpp_pc yaml-cpp)
set(civita_pugixml_pc pugixml)
set(civita_muparser_pc muparser)
set(civita_nlohmann_json_pc nlohmann_json)
set(civita_mujoco_libs -lmujoco)
if(CIVITA_MUJOCO_DIR)
  set(library \${wheels}/mujoco/lib)
  set(civita_mujoco_libs "${library}/libmujoco.so.${CIVITA_MUJOCO_VERSION} -Wl,-rpath,${library}")
  set(civita_mujoco_flags -I\${wheels}/mujoco/include)
endif()
set(civita_eiquadprog_libs -leiquadprog)
if(CIVITA_EIQUADPROG_DIR)
  set(library \${wheels}/eiquadprog/lib)
  set(civita_eiquadprog_libs "${library}/libeiquadprog.so -Wl,-rpath,${library}")
endif()

# civita_write_pkg_config(<component>): civita-<component>.pc of what is installed with it.
function(civita_write_pkg_config component)
  set(requires "")
  set(libraries "")
  set(others "")
  get_target_property(flags civita_base INTERFACE_COMPILE_DEFINITIONS)
  list(TRANSFORM flags PREPEND -D)
  foreach(part ${civita_built})
    civita_installed_with(whole ${part})
    if(NOT whole STREQUAL component)
      continue()
    endif()
    if(part STREQUAL "core" AND TARGET civita_core_later)  # each needs the other
      list(PREPEND libraries -Wl,--start-group -lcivita_core -lcivita_core_later -Wl,--end-group)
    else()
      list(PREPEND libraries -lcivita_${part})
    endif()
    if(part STREQUAL "legs")
      get_target_property(options civita_legs INTERFACE_LINK_OPTIONS)
      list(PREPEND libraries ${options})
    endif()
    foreach(need ${civita_${part}_needs})
      civita_installed_with(whole ${need})
      if(NOT whole STREQUAL component)
        list(APPEND requires "civita-${whole} = ${PROJECT_VERSION}")
      endif()
    endforeach()
    foreach(package ${civita_${part}_packages})
      list(APPEND requires ${civita_${package}_pc})
      list(APPEND others ${civita_${package}_libs})
      list(APPEND flags ${civita_${package}_flags})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES requires)
  list(JOIN requires ", " requires)
  list(APPEND libraries ${others})
  list(JOIN libraries " " libraries)
  list(JOIN flags " " flags)
  set(directory /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH civita_pc_to_prefix ${directory} /prefix)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/civita.pc.in ${PROJECT_BINARY_DIR}/cmake/civita-${component}.pc @ONLY)
endfunction()

# pkg-config --cflags --libs civita-<component>, for builds without CMake.
foreach(component ${civita_built})
  civita_installed_with(part ${component})
  if(NOT part STREQUAL component)
    continue()
  endif()
  civita_write_pkg_config(${component})
  install(FILES ${PROJECT_BINARY_DIR}/cmake/civita-${component}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endforeach()

# `cpack -G DEB --config <build>/CPackConfig.cmake`: program, libraries, their headers and what pip brought as
# the package civita; without the program libcivita-dev. The Python package is pip's.
set(CPACK_COMPONENTS_ALL "")
set(civita_headers_need "")
foreach(component ${civita_built})
  civita_installed_with(part ${component})
  list(APPEND CPACK_COMPONENTS_ALL ${part})
  foreach(package ${civita_${component}_packages})
    list(LENGTH civita_${package}_package length)
    if(length GREATER 2)
      list(GET civita_${package}_package 2 debian)
      list(APPEND civita_headers_need ${debian})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES CPACK_COMPONENTS_ALL)
list(JOIN civita_headers_need ", " civita_headers_need)
if(TARGET civita)
  list(APPEND CPACK_COMPONENTS_ALL program)
  set(CPACK_PACKAGE_NAME civita)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core, fonts-inter, libgl1-mesa-dri, ${civita_headers_need}")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS ffmpeg)
  foreach(relation PROVIDES CONFLICTS REPLACES)
    set(CPACK_DEBIAN_PACKAGE_${relation} libcivita-dev)
  endforeach()
else()
  set(CPACK_PACKAGE_NAME libcivita-dev)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${civita_headers_need}")
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS civita)
endif()
# Who packs it maintains the package, as everywhere in Debian.
set(CPACK_PACKAGE_CONTACT "the civita authors <civita@localhost>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Of the shared libraries, by the packages that have them here; MuJoCo and eiquadprog are inside.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CIVITA_MUJOCO_DIR}/lib ${CIVITA_EIQUADPROG_DIR}/lib)
set(CPACK_STRIP_FILES OFF)
include(CPack)
