# What `cmake --install` puts where (docs/install.md). Programs find everything else by their own place, so the folder
# can be moved; LibTorch is looked for beside the engine, then where it was when this was built.

set(MOG_PRIVATE lib/mog-workbench)  # libraries and programs that nobody calls by name
set(MOG_SHARE share/mog-workbench)
option(MOG_INSTALL_LIBTORCH "Install the libraries of LibTorch for processors, too (some 500 MB)" OFF)
set(MOG_INSTALL_TORCH_LIB "${MOG_TORCH_LIB}" CACHE STRING "Folder where an installed engine looks for LibTorch last; empty: none")
set(mog_torch_places "$ORIGIN" "$ORIGIN/libtorch" ${MOG_INSTALL_TORCH_LIB})
set(MOG_HOMEPAGE "" CACHE STRING "Address of the project for the AppStream metainfo; empty: none is named")
set(MOG_SCREENSHOTS "" CACHE STRING "Address of the folder of the pictures docs/images; empty: none is named")
set(MOG_RELEASE_DATE "2026-11-26" CACHE STRING "Date of this version in the metainfo")

install(TARGETS mog RUNTIME DESTINATION bin)
install(TARGETS mog-loader RUNTIME DESTINATION ${MOG_PRIVATE})
install(TARGETS mog_recording LIBRARY DESTINATION ${MOG_PRIVATE})
set_target_properties(mog PROPERTIES INSTALL_RPATH "$ORIGIN/../${MOG_PRIVATE}")
set_target_properties(mog-loader mog_recording PROPERTIES INSTALL_RPATH "$ORIGIN")
if(BUILD_SHARED_LIBS)
  foreach(library mog_io mog_model mog_analysis mog_workflow mog_figures mog_cli mog_gui)
    if(TARGET ${library})
      install(TARGETS ${library} LIBRARY DESTINATION ${MOG_PRIVATE})
      set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
  endforeach()
endif()
if(TARGET mog_engine)
  install(TARGETS mog_engine LIBRARY DESTINATION ${MOG_PRIVATE})
  set_target_properties(mog_engine PROPERTIES INSTALL_RPATH "${mog_torch_places}")
  if(MOG_INSTALL_LIBTORCH)
    file(GLOB mog_torch_files "${MOG_TORCH_LIB}/*.so*")
    list(FILTER mog_torch_files EXCLUDE REGEX "cuda\\.|cuda_|nvshmem|python|_cu\\.")
    install(FILES ${mog_torch_files} DESTINATION ${MOG_PRIVATE}/libtorch)
  endif()
endif()
if(TARGET mog_cuda)
  install(TARGETS mog_cuda LIBRARY DESTINATION ${MOG_PRIVATE})
  set_target_properties(mog_cuda PROPERTIES INSTALL_RPATH "${mog_torch_places}")
endif()

install(DIRECTORY resources/models resources/corpora resources/experiments resources/icons DESTINATION ${MOG_SHARE})
install(DIRECTORY python/mog_workbench DESTINATION ${MOG_SHARE}/python  # what `mog export` runs
  FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(mog_documents "${CMAKE_BINARY_DIR}/documents")
file(GLOB_RECURSE mog_pages CONFIGURE_DEPENDS docs/*)
set(mog_installed_docs "${CMAKE_SOURCE_DIR}/resources/packaging/installed_docs.py")
add_custom_command(OUTPUT "${mog_documents}.made"
  COMMAND ${Python3_EXECUTABLE} "${mog_installed_docs}" "${CMAKE_SOURCE_DIR}" "${mog_documents}"
  COMMAND ${CMAKE_COMMAND} -E touch "${mog_documents}.made"
  DEPENDS "${mog_installed_docs}" README.md CHANGELOG.md LICENSE NOTICE ${mog_pages} VERBATIM)
add_custom_target(mog_documents ALL DEPENDS "${mog_documents}.made")
install(DIRECTORY "${mog_documents}/" DESTINATION share/doc/mog-workbench)

# Pages and completions are made by the program itself, from the texts of its help.
set(mog_manual "${CMAKE_BINARY_DIR}/manual")
add_custom_command(OUTPUT "${mog_manual}/made"
  COMMAND mog man -q "${mog_manual}"
  COMMAND mog completion bash > "${mog_manual}/mog.bash"
  COMMAND mog completion zsh > "${mog_manual}/_mog"
  COMMAND mog completion fish > "${mog_manual}/mog.fish"
  COMMAND ${CMAKE_COMMAND} -E touch "${mog_manual}/made"
  DEPENDS mog VERBATIM)
add_custom_target(mog_manual_pages ALL DEPENDS "${mog_manual}/made")
install(DIRECTORY "${mog_manual}/" DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
install(FILES "${mog_manual}/mog.bash" DESTINATION share/bash-completion/completions RENAME mog)
install(FILES "${mog_manual}/_mog" DESTINATION share/zsh/site-functions)
install(FILES "${mog_manual}/mog.fish" DESTINATION share/fish/vendor_completions.d)

if(TARGET mog-workbench)
  set(packaging "${CMAKE_SOURCE_DIR}/resources/packaging")
  install(TARGETS mog-workbench RUNTIME DESTINATION bin)
  set_target_properties(mog-workbench PROPERTIES INSTALL_RPATH "$ORIGIN/../${MOG_PRIVATE}")
  install(FILES "${packaging}/mog-workbench.1" DESTINATION share/man/man1)
  install(FILES "${packaging}/mog-workbench.desktop" DESTINATION share/applications)
  install(FILES "${packaging}/mog-workbench-mime.xml" DESTINATION share/mime/packages RENAME mog-workbench.xml)
  install(DIRECTORY "${packaging}/hicolor" DESTINATION share/icons)
  install(FILES resources/icons/mog-workbench.svg DESTINATION share/icons/hicolor/scalable/apps)
  set(MOG_METAINFO_LINKS "")
  if(MOG_HOMEPAGE)
    string(APPEND MOG_METAINFO_LINKS "  <url type=\"homepage\">${MOG_HOMEPAGE}</url>\n")
  endif()
  if(MOG_SCREENSHOTS)
    string(APPEND MOG_METAINFO_LINKS "  <screenshots>\n    <screenshot type=\"default\">\n"
      "      <image>${MOG_SCREENSHOTS}/desktop-light.png</image>\n    </screenshot>\n    <screenshot>\n"
      "      <image>${MOG_SCREENSHOTS}/desktop-attention.png</image>\n    </screenshot>\n  </screenshots>\n")
  endif()
  configure_file("${packaging}/mog-workbench.metainfo.xml.in" mog-workbench.metainfo.xml @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/mog-workbench.metainfo.xml" DESTINATION share/metainfo
    RENAME org.mog_workbench.mog_workbench.metainfo.xml)
endif()
