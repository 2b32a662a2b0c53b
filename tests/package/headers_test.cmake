# Run with cmake -P: compiles user_file.cc, by an older standard, too, and limits the third-party headers that core's headers include
# beyond Eigen/Core, since their text determines the compile time.
cmake_policy(VERSION 3.25)
set(flags -std=c++20 -I${BUILD_DIR}/include -I${SOURCE_DIR} -isystem ${EIGEN_DIR})
set(source ${CMAKE_CURRENT_LIST_DIR}/user_file.cc)
file(MAKE_DIRECTORY ${WORK_DIR})

# read(<file> <number> <text>): gets the number of third-party headers, and the preprocessed text.
function(read file number text)
  execute_process(COMMAND ${CXX_COMPILER} ${flags} -M ${file}
    OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  # A blank of a path has a backslash.
  string(REPLACE "\\ " "?" headers "${headers}")
  string(REGEX REPLACE "[ \\\n]+" ";" headers "${headers}")
  string(REPLACE " " "." ours "^${SOURCE_DIR}/|^${BUILD_DIR}/include/")
  list(FILTER headers EXCLUDE REGEX "${ours}")
  list(LENGTH headers count)
  execute_process(COMMAND ${CXX_COMPILER} ${flags} -E -P ${file}
    OUTPUT_VARIABLE preprocessed COMMAND_ERROR_IS_FATAL ANY)
  string(LENGTH "${preprocessed}" length)
  set(${number} ${count} PARENT_SCOPE)
  set(${text} ${length} PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${CXX_COMPILER} ${flags} -O2 -c ${source} -o ${WORK_DIR}/user_file.o
  COMMAND_ERROR_IS_FATAL ANY)
# With an older standard the first error says which it needs.
list(TRANSFORM flags REPLACE "^-std=.*" -std=c++17 OUTPUT_VARIABLE old_flags)
execute_process(COMMAND ${CXX_COMPILER} ${old_flags} -fsyntax-only ${source}
  RESULT_VARIABLE result ERROR_VARIABLE errors)
string(REGEX MATCH "error: [^\n]*" first "${errors}")
if(result EQUAL 0 OR NOT first MATCHES "civita needs C[+][+]20: compile with -std=c[+][+]20")
  message(FATAL_ERROR "by C++17: ${errors}")
endif()
file(WRITE ${WORK_DIR}/eigen.cc "#include <Eigen/Core>\nint main() {}\n")
read(${WORK_DIR}/eigen.cc eigen_headers eigen_text)
read(${source} user_headers user_text)
message(STATUS "headers: ${user_headers} of others', Eigen/Core alone ${eigen_headers}; "
               "text: ${user_text}, Eigen/Core alone ${eigen_text}")
math(EXPR most_headers "${eigen_headers} + 25")
math(EXPR most_text "${eigen_text} * 11 / 10")
if(user_headers GREATER most_headers OR user_text GREATER most_text)
  message(FATAL_ERROR "core's headers include more than they should: at most ${most_headers} headers "
                      "and ${most_text} bytes")
endif()
