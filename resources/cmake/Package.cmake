# The Debian package: `cpack -G DEB` in a build folder, or resources/packaging/release. For the release of Debian that it
# is built on, with Debian's own libraries; LibTorch is not in it (docs/install.md).
set(CPACK_PACKAGE_NAME mog-workbench)
set(CPACK_PACKAGE_VERSION "${MOG_VERSION}")
set(CPACK_PACKAGE_CONTACT "MoG Workbench developers <developers@mog-workbench.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "look into trained Transformers: attention, gates, multi-order graphs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "MoG Workbench records attention, gates and contributions of trained Transformers, rebuilds
the multi-order graphs behind a word, and shows and exports them: mog on the command line,
mog-workbench as a window. Models run on LibTorch 2.11, which is found where
/usr/share/doc/mog-workbench/docs/install.md says; everything else works without it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}/lib" ${MOG_TORCH_LIB})
include(CPack)
