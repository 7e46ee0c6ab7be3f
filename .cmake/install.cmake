# `cmake --install`: the worker, and the C++ SDK as the package Retinue, with the target
# Retinue::companion_sdk, for companions that are built elsewhere.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Retinue)
set_target_properties(retinue_companion_sdk_cpp PROPERTIES EXPORT_NAME companion_sdk)
target_compile_features(retinue_options INTERFACE cxx_std_20)

install(TARGETS retinue RUNTIME COMPONENT worker)
install(
  TARGETS retinue_options retinue_protocol_base retinue_protocol_values retinue_protocol_yson
          retinue_protocol_schema retinue_protocol_frame retinue_companion_sdk_core
          retinue_companion_sdk_cpp
  EXPORT RetinueTargets
  ARCHIVE COMPONENT sdk)
install(EXPORT RetinueTargets NAMESPACE Retinue:: DESTINATION ${package_folder} COMPONENT sdk)
install(
  DIRECTORY protocol companion_sdk ${CMAKE_BINARY_DIR}/generated/protocol
  DESTINATION include/retinue
  COMPONENT sdk
  FILES_MATCHING PATTERN "*.h")
configure_package_config_file(
  .cmake/RetinueConfig.cmake.in ${CMAKE_BINARY_DIR}/RetinueConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/RetinueConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/RetinueConfig.cmake
              ${CMAKE_BINARY_DIR}/RetinueConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT sdk)
