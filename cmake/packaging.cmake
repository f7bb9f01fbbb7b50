# SPDX-License-Identifier: Apache-2.0
# `cmake --build build --target uninstall`, and packages by CPack: `cpack --config build/CPackConfig.cmake -G DEB` (or TGZ).
# Two Debian packages, so that the layer can be installed for 64-bit and 32-bit programs side by side.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/shaderqa COMPONENT command)

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake
  VERBATIM)

# A development build leaves the tests' own libraries out of packages: only these two components are packed.
set(CPACK_COMPONENTS_ALL layer command)
set(CPACK_PACKAGE_NAME shaderqa)
set(CPACK_PACKAGE_VENDOR shaderqa)
set(CPACK_PACKAGE_CONTACT "shaderqa maintainers <shaderqa@users.noreply.github.com>" CACHE STRING
  "Maintainer of the packages that CPack makes: Name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_FILE_NAME shaderqa-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_LAYER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LAYER_PACKAGE_NAME shaderqa-layer)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME shaderqa)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "shaderqa-layer (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LAYER_PACKAGE_RECOMMENDS libvulkan1)
# At most 80 characters a line, as policy wants.
set(CPACK_COMPONENT_LAYER_DESCRIPTION "This package has the Vulkan layer. It rewrites a program's shaders, so that
they print, check themselves and report unsynchronised accesses to buffers.
It is off until a program is started with SHADERQA=1, or by the command of
the package shaderqa.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "This package has the command. It starts a program under the layer of the
package shaderqa-layer, and prints what the shaders print and what the checks
find: data races in buffers, wrong assumptions, NaN and infinity.")
set(CPACK_SHADERQA_TRIPLET "${CMAKE_LIBRARY_ARCHITECTURE}")
set(CPACK_DEBIAN_LAYER_PACKAGE_MULTIARCH same)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL i686)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE i386)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian_files.cmake)
include(CPack)
