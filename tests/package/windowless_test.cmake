# Run with cmake -P: configures SOURCE_DIR in WORK_DIR without the window, with the window's packages
# hidden; configuring with the window must fail.
file(REMOVE_RECURSE ${WORK_DIR})
set(ENV{PKG_CONFIG_LIBDIR} ${WORK_DIR}/none)
set(ENV{PKG_CONFIG_PATH})
set(hidden "")
foreach(package glfw3 Freetype OpenGL Fontconfig)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

# configure(<result> <output> <window>)
function(configure result output window)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/${window} -G Ninja
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX_COMPILER} ${hidden}
      -DCIVITA_BUILD_TESTS=OFF -DCIVITA_BUILD_WINDOW=${window} -DCIVITA_IMGUI_DIR=${WORK_DIR}/none
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

configure(result output ON)
if(result EQUAL 0 OR NOT output MATCHES "Dear ImGui" OR NOT output MATCHES "GLFW")
  message(FATAL_ERROR "the packages are not hidden: ${output}")
endif()
configure(result output OFF)
if(result)
  message(FATAL_ERROR "${output}")
endif()
file(READ ${WORK_DIR}/OFF/build.ninja rules)
if(NOT rules MATCHES "app/CMakeFiles/civita.dir/main.cc.o" OR rules MATCHES "app/window/")
  message(FATAL_ERROR "the program is not built, or its window is")
endif()
