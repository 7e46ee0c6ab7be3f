# The build vocabulary: every folder is one library, named after its path.
#
#   retinue_library(DEPS protocol/base EXTERNAL fmt::fmt)  in protocol/yson: retinue_protocol_yson
#   retinue_executable(NAME retinue DEPS worker/cli)       one program from the folder's sources
#   retinue_test(DEPS protocol/values)                     in tests/unit/protocol/values
#
# DEPS are folders of this repository, EXTERNAL are imported targets of third-party libraries.

add_library(retinue_options INTERFACE)
target_include_directories(retinue_options INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
                                                     $<INSTALL_INTERFACE:include/retinue>)
target_compile_options(
  retinue_options
  INTERFACE "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Werror;-fno-omit-frame-pointer>")
target_compile_definitions(retinue_options INTERFACE RETINUE_VERSION="${PROJECT_VERSION}")
if(RETINUE_SANITIZE)
  # Instrumented, GCC 12 takes members of a moved-from optional or variant for uninitialised.
  add_compile_options(-fsanitize=${RETINUE_SANITIZE} -fno-sanitize-recover=all
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${RETINUE_SANITIZE})
endif()
if(RETINUE_BUILD_FUZZERS)
  # Coverage instrumentation everywhere; only the fuzz targets link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Sets OUT to the target name of a repository folder: protocol/base -> retinue_protocol_base.
function(retinue_target_name FOLDER OUT)
  string(REPLACE "/" "_" name ${FOLDER})
  set(${OUT} retinue_${name} PARENT_SCOPE)
endfunction()

function(retinue_link TARGET VISIBILITY DEPS EXTERNAL)
  foreach(dep IN LISTS DEPS)
    retinue_target_name(${dep} name)
    target_link_libraries(${TARGET} ${VISIBILITY} ${name})
  endforeach()
  target_link_libraries(${TARGET} ${VISIBILITY} ${EXTERNAL} retinue_options)
endfunction()

function(retinue_library)
  cmake_parse_arguments(ARG "" "" "DEPS;EXTERNAL" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  retinue_target_name(${folder} target)
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  if(sources)
    add_library(${target} STATIC ${sources})
    retinue_link(${target} PUBLIC "${ARG_DEPS}" "${ARG_EXTERNAL}")
  else()
    add_library(${target} INTERFACE)
    retinue_link(${target} INTERFACE "${ARG_DEPS}" "${ARG_EXTERNAL}")
  endif()
endfunction()

function(retinue_executable)
  cmake_parse_arguments(ARG "" "NAME" "DEPS;EXTERNAL;SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *.cc)
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  retinue_link(${ARG_NAME} PRIVATE "${ARG_DEPS}" "${ARG_EXTERNAL}")
endfunction()

# Every *_test.cc of the folder becomes part of one GoogleTest program, named after the folder.
function(retinue_test)
  cmake_parse_arguments(ARG "" "LABEL" "DEPS;EXTERNAL" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${folder})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  add_executable(${name}_test ${sources})
  retinue_link(${name}_test PRIVATE "${ARG_DEPS}" "${ARG_EXTERNAL};GTest::gmock_main")
  string(REGEX REPLACE "/.*" "" kind ${folder})
  add_test(NAME ${folder} COMMAND ${name}_test)
  set_tests_properties(${folder} PROPERTIES LABELS ${kind} ENVIRONMENT
    "RETINUE_SOURCE_DIR=${CMAKE_SOURCE_DIR};RETINUE_BINARY_DIR=${CMAKE_BINARY_DIR}")
endfunction()

# One libFuzzer program a *_fuzz.cc file.
function(retinue_fuzzer)
  cmake_parse_arguments(ARG "" "NAME" "DEPS;EXTERNAL" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_NAME}.cc)
  retinue_link(${ARG_NAME} PRIVATE "${ARG_DEPS}" "${ARG_EXTERNAL}")
  target_link_options(${ARG_NAME} PRIVATE -fsanitize=fuzzer)
endfunction()

# Adds every listed folder that has a CMakeLists.txt.
function(retinue_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()
