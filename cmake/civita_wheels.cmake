# Finds MuJoCo and eiquadprog: installed CMake packages, or else the wheels unpacked by
# scripts/fetch_wheels.

# civita_find_mujoco(<dir> <version>) defines mujoco::mujoco from an installed CMake package of
# exactly that version or else from <dir>/include and <dir>/lib; without either it defines nothing.
# CIVITA_MUJOCO_DIR is then <dir> if that was used and empty if not.
function(civita_find_mujoco dir version)
  set(CIVITA_MUJOCO_DIR "" PARENT_SCOPE)
  find_package(mujoco ${version} EXACT CONFIG QUIET GLOBAL)
  if(TARGET mujoco::mujoco)
    message(STATUS "MuJoCo ${version}: ${mujoco_DIR}")
    return()
  endif()
  set(library ${dir}/lib/libmujoco.so.${version})
  if(NOT EXISTS ${library} OR NOT EXISTS ${dir}/include/mujoco/mujoco.h)
    return()
  endif()
  add_library(mujoco::mujoco SHARED IMPORTED GLOBAL)
  set_target_properties(mujoco::mujoco PROPERTIES
    IMPORTED_LOCATION ${library}
    IMPORTED_SONAME libmujoco.so.${version}
    INTERFACE_INCLUDE_DIRECTORIES ${dir}/include)
  set(CIVITA_MUJOCO_DIR ${dir} PARENT_SCOPE)
  message(STATUS "MuJoCo ${version}: ${dir}")
endfunction()

# civita_find_eiquadprog(<dir> <version>) does the same for eiquadprog::eiquadprog, any version 1.2
# from the given one on.
function(civita_find_eiquadprog dir version)
  set(CIVITA_EIQUADPROG_DIR "" PARENT_SCOPE)
  set(library ${dir}/lib/libeiquadprog.so)
  if(EXISTS ${library} AND EXISTS ${dir}/include/eiquadprog/eiquadprog-fast.hpp)
    add_library(eiquadprog::eiquadprog SHARED IMPORTED GLOBAL)
    set_target_properties(eiquadprog::eiquadprog PROPERTIES
      IMPORTED_LOCATION ${library}
      IMPORTED_SONAME libeiquadprog.so
      INTERFACE_INCLUDE_DIRECTORIES ${dir}/include)
    set(CIVITA_EIQUADPROG_DIR ${dir} PARENT_SCOPE)
    message(STATUS "eiquadprog ${version}: ${dir}")
    return()
  endif()
  find_package(eiquadprog ${version} CONFIG QUIET GLOBAL)
  if(TARGET eiquadprog::eiquadprog)
    message(STATUS "eiquadprog ${eiquadprog_VERSION}: ${eiquadprog_DIR}")
  endif()
endfunction()
