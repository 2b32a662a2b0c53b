# Run with cmake -P: what tests/run_clean passes on of a hostile environment.
cmake_policy(VERSION 3.25)
set(hostile PATH=/own/bin:/usr/bin:/bin HOME=/own DISPLAY=:9 PIP_CERT=kept no_proxy=kept CI=1)
foreach(name TMPDIR LANG WAYLAND_DISPLAY XDG_CONFIG_HOME PYTHONHOME PYTHONPATH CXXFLAGS LD_LIBRARY_PATH
             GTEST_FILTER CIVITA_INSTRUCTION_SET MUJOCO_GL CMAKE_GENERATOR COLUMNS NO_COLOR SOURCE_DATE_EPOCH
             CDPATH BASH_ENV PIP_TARGET)
  list(APPEND hostile ${name}=/nowhere)
endforeach()

# expect(<variables> <arguments of run_clean>...): of all of them a command then has these.
function(expect wanted)
  execute_process(COMMAND env -i ${hostile} ${SOURCE_DIR}/tests/run_clean ${ARGN} env
    OUTPUT_VARIABLE output RESULT_VARIABLE result)
  string(REGEX REPLACE "\n$" "" output "${output}")
  string(REPLACE "\n" ";" lines "${output}")
  list(FILTER lines EXCLUDE REGEX "^(PWD|SHLVL|_)=")  # bash's own
  list(SORT lines)
  list(SORT wanted)
  if(NOT result EQUAL 0 OR NOT lines STREQUAL wanted)
    message(FATAL_ERROR "run_clean ${ARGN}: ${result}: ${lines}, not ${wanted}")
  endif()
endfunction()

set(always LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin:/own/bin:/usr/bin:/bin PIP_CERT=kept
  no_proxy=kept CI=1)
expect("${always};HOME=/own")
expect("${always};HOME=/other;TMPDIR=/own" HOME=/other TMPDIR=/own)
# A display of its own.
execute_process(COMMAND env -i ${hostile} ${SOURCE_DIR}/tests/run_clean --display env
  OUTPUT_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT output MATCHES "\nDISPLAY=:[0-9]+\n" OR output MATCHES "DISPLAY=:9\n|WAYLAND")
  message(FATAL_ERROR "run_clean --display: ${result}: ${output}")
endif()
