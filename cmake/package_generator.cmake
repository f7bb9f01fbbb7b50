# SPDX-License-Identifier: Apache-2.0
# Read by CPack once for each generator. A Debian package belongs to /usr; an archive is unpacked anywhere.
if(CPACK_GENERATOR STREQUAL DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_SET_DESTDIR ON)
  set(CPACK_INSTALL_PREFIX /usr)
endif()
