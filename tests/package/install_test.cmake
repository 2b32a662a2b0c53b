# Run with cmake -P: installs BUILD_DIR to WORK_DIR/prefix, builds and runs the project here and the
# examples with it, and the installed program with the example's law.
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
# build(<name> <source> <options>...): configures and builds a project with the installed package.
function(build name source)
  run(${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/${name} -G Ninja
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_PREFIX_PATH=${prefix}
      ${ARGN})
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/${name})
endfunction()

build(build ${CMAKE_CURRENT_LIST_DIR})
run(${WORK_DIR}/build/user)

# A run by civita::sim alone.
build(simulate ${EXAMPLES_DIR}/simulate)
run(${WORK_DIR}/simulate/simulate ${prefix}/share/civita/config/planar_2r.yaml)

# The example of a law, as a plug-in of the installed program.
build(own_law ${EXAMPLES_DIR}/own_law)
if(WITH_PROGRAM)
  set(civita ${prefix}/bin/civita)
  set(plugin ${WORK_DIR}/own_law/own_law.so)
  run(${civita} scenes)
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

# With another alignment of Eigen's types it would crash: it does not compile.
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${EXAMPLES_DIR}/own_law -B ${WORK_DIR}/other_law -G Ninja
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_FLAGS=-DEIGEN_MAX_ALIGN_BYTES=64
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/other_law
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result OR NOT output MATCHES "civita's library aligns Eigen's types to 16 bytes")
  message(FATAL_ERROR "a law with another alignment: ${result}, ${output}")
endif()
