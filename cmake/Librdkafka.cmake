# librdkafka 2.15.1, static: from scripts/librdkafka's cache (the default), or the system's >= 2.12.
option(FENCEPOST_SYSTEM_RDKAFKA "Use the system's librdkafka (>= 2.12, found by pkg-config)" OFF)
set(FENCEPOST_RDKAFKA_TARBALL "" CACHE FILEPATH "A local copy of the pinned source package, instead of the registry's")

add_library(fencepost_rdkafka INTERFACE)
find_package(PkgConfig REQUIRED)
if(FENCEPOST_SYSTEM_RDKAFKA)
  pkg_check_modules(RDKAFKA REQUIRED IMPORTED_TARGET rdkafka>=2.12)
  target_link_libraries(fencepost_rdkafka INTERFACE PkgConfig::RDKAFKA)
else()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env FENCEPOST_RDKAFKA_TARBALL=${FENCEPOST_RDKAFKA_TARBALL} ${CMAKE_SOURCE_DIR}/scripts/librdkafka
    OUTPUT_VARIABLE rdkafka_prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "scripts/librdkafka failed; its last line above names the cure")
  endif()
  find_package(OpenSSL REQUIRED)
  find_package(ZLIB REQUIRED)
  pkg_check_modules(RDKAFKA_DEPS REQUIRED IMPORTED_TARGET libzstd liblz4 libsasl2)
  target_include_directories(fencepost_rdkafka SYSTEM INTERFACE ${rdkafka_prefix}/include)
  target_link_libraries(fencepost_rdkafka INTERFACE ${rdkafka_prefix}/lib/librdkafka.a PkgConfig::RDKAFKA_DEPS OpenSSL::SSL
    OpenSSL::Crypto ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
