# Run with cmake -P: fills in TEMPLATE and writes OUTPUT if it would change.
set(GIT_DESCRIBE "unknown")
find_program(GIT_PROGRAM git)
if(GIT_PROGRAM AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT_PROGRAM} -C ${SOURCE_DIR} describe --always --dirty --tags
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(GIT_DESCRIBE ${described})
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
