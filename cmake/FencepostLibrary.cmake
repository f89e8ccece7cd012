# One folder of src/ is one library with an include root of its own, so that an #include against the direction of the
# architecture (docs/ARCHITECTURE.md) does not compile.
#
#   fencepost_library(herder USES base protocol LINKS nlohmann_json::nlohmann_json)
#
# USES names folders whose headers this one may include; LINKS names third parties that this folder alone sees; EXPORTS those
# whose types stand in its headers.
# Tests of a folder lie in tests/unit/<folder>/*_test.cc and are found by themselves.
function(fencepost_library name)
  cmake_parse_arguments(ARG "" "" "USES;LINKS;EXPORTS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(root ${CMAKE_BINARY_DIR}/visible/${name})
  file(MAKE_DIRECTORY ${root})
  if(NOT EXISTS ${root}/${name})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)
  endif()
  list(TRANSFORM ARG_USES PREPEND fencepost::)
  if(sources)
    add_library(fencepost_${name} STATIC ${sources})
    target_include_directories(fencepost_${name} PUBLIC ${root})
    target_link_libraries(fencepost_${name} PUBLIC ${ARG_USES} ${ARG_EXPORTS} PRIVATE ${ARG_LINKS} fencepost_flags)
  else()
    add_library(fencepost_${name} INTERFACE)
    target_include_directories(fencepost_${name} INTERFACE ${root})
    target_link_libraries(fencepost_${name} INTERFACE ${ARG_USES} ${ARG_EXPORTS})
  endif()
  add_library(fencepost::${name} ALIAS fencepost_${name})

  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${name}/*_test.cc)
  if(FENCEPOST_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE fencepost::${name} ${ARG_LINKS} fencepost_flags fencepost_test_support)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit TIMEOUT 120)
  endif()
endfunction()
