# SPDX-License-Identifier: Apache-2.0
# Run by CPack between installation into its own folder and packing: what Debian's policy wants of each package.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
find_program(GZIP gzip REQUIRED)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(pair layer=shaderqa-layer command=shaderqa)
  string(REGEX MATCH "^([^=]+)=(.+)$" _ ${pair})
  set(package ${CMAKE_MATCH_2})
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${CMAKE_MATCH_1}/usr)
  if(NOT IS_DIRECTORY ${usr})
    continue()
  endif()
  set(doc ${usr}/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  file(REMOVE ${doc}/LICENSE)  # which is in /usr/share/common-licenses
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: shaderqa
Comment: The binaries contain parts of SPIRV-Tools (Apache-2.0), nlohmann_json, spdlog, fmt (MIT), xxHash (BSD-2-Clause)
 and CLI11 (BSD-3-Clause).

Files: *
Copyright: 2026 the shaderqa authors
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0.
")
  file(WRITE ${doc}/changelog "shaderqa (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  # Each architecture has its folder, whatever the build's prefix has. The manifest names no folder.
  file(GLOB libraries ${usr}/lib/*.so)
  foreach(library ${libraries})
    get_filename_component(name ${library} NAME)
    file(MAKE_DIRECTORY ${usr}/lib/${CPACK_SHADERQA_TRIPLET})
    file(RENAME ${library} ${usr}/lib/${CPACK_SHADERQA_TRIPLET}/${name})
    file(WRITE ${usr}/share/lintian/overrides/${package}
      "# CPack calls it wherever a package has a library.\n${package}: maintscript-calls-ldconfig [post*]\n"
      "# Nothing links against a layer: the Vulkan loader opens it by its file name.\n"
      "${package}: sharedobject-in-library-directory-missing-soname [usr/lib/${CPACK_SHADERQA_TRIPLET}/${name}]\n")
  endforeach()
  file(GLOB pages ${usr}/share/man/man*/*.[0-9])
  execute_process(COMMAND ${GZIP} -9nf ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
