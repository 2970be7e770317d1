# Targets of MoG Workbench: one place for the language level, the warnings, the sanitizers, and the
# table of allowed arrows between libraries (docs/architecture.md). A link that the table does not
# allow stops the configuration.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(MOG_CCACHE ccache)
if(MOG_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # All clones share what is compiled; with the last word also what stands behind a precompiled header, the engine.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_NOHASHDIR=1 "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}"
    CCACHE_SLOPPINESS=pch_defines,time_macros "${MOG_CCACHE}")
endif()
find_program(MOG_MOLD mold)
if(MOG_MOLD)
  # Pages of their own for code and data: without, mold 1.10 lets the read-only part of the data begin in the
  # page before them when the code ends in the last bytes of a page, and such a program does not start.
  add_link_options(-fuse-ld=mold LINKER:-z,separate-code)
endif()

add_library(mog_warnings INTERFACE)
target_compile_options(mog_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${MOG_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
   AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # With -O2, GCC 12 raises these inside std::string and std::vector of its own library where nothing is wrong.
  target_compile_options(mog_warnings INTERFACE -Wno-restrict -Wno-stringop-overread)
endif()

if(MOG_SANITIZE)
  list(JOIN MOG_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${sanitizers})
endif()

if(MOG_COVERAGE)
  # Counters of several threads lose nothing. What is counted is written when a process ends.
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
  add_compile_definitions(MOG_COVERAGE)
endif()

# Who may link which of our libraries (nothing else of ours).
set(MOG_MAY_LINK_mog_recording "")
set(MOG_MAY_LINK_mog_io mog_recording)
set(MOG_MAY_LINK_mog_model mog_recording mog_io)
set(MOG_MAY_LINK_mog_map_kernels mog_recording)
set(MOG_MAY_LINK_mog_engine mog_recording mog_io mog_model mog_map_kernels)
set(MOG_MAY_LINK_mog_analysis mog_recording)
set(MOG_MAY_LINK_mog_workflow mog_recording mog_io mog_model mog_analysis)
set(MOG_MAY_LINK_mog_figures mog_recording mog_analysis)
set(MOG_MAY_LINK_mog-loader mog_recording mog_io)
set(MOG_MAY_LINK_mog_cli mog_recording mog_io mog_model mog_analysis mog_workflow mog_figures)
set(MOG_MAY_LINK_mog mog_cli mog_model)
set(MOG_MAY_LINK_mog_gui mog_recording mog_io mog_model mog_analysis mog_workflow mog_figures)
set(MOG_MAY_LINK_mog-workbench mog_gui)

# Which vendors each library may link.
set(MOG_VENDORS_mog_recording nlohmann_json::nlohmann_json fmt::fmt)
set(MOG_VENDORS_mog_io HDF5 nlohmann_json::nlohmann_json libzip::zip ICU::uc ICU::i18n ZLIB::ZLIB fmt::fmt
    Threads::Threads)
set(MOG_VENDORS_mog_model ICU::uc ICU::i18n nlohmann_json::nlohmann_json fmt::fmt dl)
set(MOG_VENDORS_mog_map_kernels dl)
set(MOG_VENDORS_mog_engine mog::torch_cpu dl)
set(MOG_VENDORS_mog_analysis Boost::headers EXPAT::EXPAT fmt::fmt)
set(MOG_VENDORS_mog_workflow nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus
    fmt::fmt Threads::Threads)
set(MOG_VENDORS_mog_figures Qt6::Core Qt6::Gui Qt6::Svg)
set(MOG_VENDORS_mog-loader seccomp)
set(MOG_VENDORS_mog_cli CLI11::CLI11 nlohmann_json::nlohmann_json fmt::fmt Qt6::Core Qt6::Gui)
set(MOG_VENDORS_mog "")
set(MOG_VENDORS_mog_gui Qt6::Core Qt6::Gui Qt6::Svg Qt6::Widgets nlohmann_json::nlohmann_json fmt::fmt)
set(MOG_VENDORS_mog-workbench Qt6::Widgets)

# Takes from a list of headers those that a file of the same name includes before anything else: where files are compiled
# alone, so are they. (Of 840 headers 85 are left.)
function(mog_headers_of_no_file list)
  set(left "")
  foreach(header IN LISTS ${list})
    string(REGEX REPLACE "\\.h$" ".cpp" file "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
    set(first "")
    if(EXISTS "${file}")
      file(STRINGS "${file}" first REGEX "^#include" LIMIT_COUNT 1)
    endif()
    file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
    if(NOT first STREQUAL "#include \"${path}\"")
      list(APPEND left "${header}")
    endif()
  endforeach()
  set(${list} "${left}" PARENT_SCOPE)
endfunction()

# Settings that every target of ours has. With MOG_VERIFY_HEADERS the target all_verify_interface_header_sets compiles
# every header of the target's folder alone that no file begins with.
function(mog_target target)
  if(MOG_VERIFY_HEADERS)
    set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
    list(FILTER headers EXCLUDE REGEX "^(recording|engine)/")  # folders inside that belong to another target
    list(FILTER headers EXCLUDE REGEX "^hdf5/(file/(file_image|hdf5_)|import/import_texts|recording/(shard_|recording_layout)|check/structure_)")  # private: they see HDF5
    mog_headers_of_no_file(headers)
    get_target_property(type ${target} TYPE)
    if(headers AND NOT type STREQUAL "EXECUTABLE")
      target_sources(${target} PUBLIC FILE_SET all_headers TYPE HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}" FILES ${headers})
      set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY all_headers)
    endif()
  endif()
  # With BUILD_SHARED_LIBS (the builds that only test: sixty tests that each held the whole window took 21 GB) an
  # object is the same as without, so that ccache knows it.
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
  target_link_libraries(${target} PRIVATE mog_warnings)
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}")
  set_property(GLOBAL APPEND PROPERTY MOG_TARGETS ${target})
  mog_unity(${target})
  get_target_property(links ${target} LINK_LIBRARIES)
  if("${links}" MATCHES "Qt6::")
    target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII)
  endif()
endfunction()

# With MOG_UNITY: the target's files in groups that are compiled as one (unity_groups.py). Called when all are known, with
# the properties that they have: a file that is compiled in a way of its own stays alone. The groups are files of ours, not
# CMake's (UNITY_BUILD): those name every file by its place on this machine, so that ccache knew none in another clone.
# A file that two targets of a folder have must stay alone: a second argument says by a pattern which files are asked for.
function(mog_unity target)
  if(NOT MOG_UNITY)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_target_property(files ${target} SOURCES)
  set(asked "\\.cpp$")
  if(ARGC GREATER 1)
    set(asked "${ARGV1}")
  endif()
  list(FILTER files INCLUDE REGEX "${asked}")
  list(TRANSFORM files PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  set(written "")
  foreach(file IN LISTS files)
    string(FIND "${file}" "${CMAKE_BINARY_DIR}/" made)
    set(own_way "")
    foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES)
      get_property(value SOURCE "${file}" TARGET_DIRECTORY ${target} PROPERTY ${property})
      string(APPEND own_way "${value}")
    endforeach()
    if(NOT made EQUAL 0 AND own_way STREQUAL "")
      list(APPEND written "${file}")
    endif()
  endforeach()
  execute_process(COMMAND ${Python3_EXECUTABLE} -B "${CMAKE_SOURCE_DIR}/resources/cmake/unity_groups.py" "${CMAKE_SOURCE_DIR}" ${written}
    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "@" lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  set(groups "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([0-9]+)@(.+)$")
      list(APPEND groups ${CMAKE_MATCH_1})
      set_property(SOURCE "${CMAKE_MATCH_2}" TARGET_DIRECTORY ${target} PROPERTY HEADER_FILE_ONLY ON)
      file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}" "${CMAKE_MATCH_2}")
      string(APPEND text_of_${CMAKE_MATCH_1} "#include \"${path}\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/groups/${target}_${group}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text_of_${group}}" @ONLY)
    target_sources(${target} PRIVATE "${file}")
  endforeach()
  # What is private to one file of a group is so to the compiler's eyes only where it is the file that is compiled.
  # What might be used before it is set GCC suspects where it sees several files at once; alone it does not.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-maybe-uninitialized)
endfunction()

# MOG_VERSION for the files that name it: with another version only these are compiled again.
function(mog_version_in target)
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_DEFINITIONS "MOG_VERSION=\"${MOG_VERSION}\"")
endfunction()

# A table of objects that are each defined in a file of their own, so that a further one is a further file and no list
# is edited. FILES: a glob; each file NAME.cpp defines `std::span<const TYPE> NAME_SUFFIX()`. The function FUNCTION,
# declared by the target, returns all of them by the names of their files: `std::span<const TYPE* const> FUNCTION()`.
# (Objects that register themselves would be left out of a static library that nobody names them in.)
function(mog_registry target)
  cmake_parse_arguments(TABLE "" "TYPE;NAMESPACE;HEADER;SUFFIX;FUNCTION;FILES" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${TABLE_FILES}")
  list(SORT files COMPARE FILE_BASENAME)
  set(declared "")
  set(called "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM stem)
    string(APPEND declared "std::span<const ${TABLE_TYPE}> ${stem}_${TABLE_SUFFIX}();\n")
    string(APPEND called "    add(${stem}_${TABLE_SUFFIX}());\n")
  endforeach()
  file(CONFIGURE OUTPUT "${TABLE_FUNCTION}.cpp" @ONLY CONTENT [[
// Made by mog_registry (resources/cmake/MogTargets.cmake).
#include <span>
#include <vector>

#include "@TABLE_HEADER@"

namespace @TABLE_NAMESPACE@ {

@declared@
std::span<const @TABLE_TYPE@* const> @TABLE_FUNCTION@() {
  static const std::vector<const @TABLE_TYPE@*> all = [] {
    std::vector<const @TABLE_TYPE@*> found;
    const auto add = [&found](std::span<const @TABLE_TYPE@> some) {
      for (const @TABLE_TYPE@& one : some) {
        found.push_back(&one);
      }
    };
@called@    return found;
  }();
  return all;
}

}  // namespace @TABLE_NAMESPACE@
]])
  target_sources(${target} PRIVATE ${files} "${CMAKE_CURRENT_BINARY_DIR}/${TABLE_FUNCTION}.cpp")
endfunction()

# Called last: compares what each target links with the two tables above.
function(mog_check_layering)
  get_property(targets GLOBAL PROPERTY MOG_TARGETS)
  foreach(target IN LISTS targets)
    if(NOT DEFINED MOG_MAY_LINK_${target})
      message(FATAL_ERROR "${target} has no row in the table of allowed links (resources/cmake/MogTargets.cmake)")
    endif()
    get_target_property(links ${target} LINK_LIBRARIES)
    get_target_property(interface ${target} INTERFACE_LINK_LIBRARIES)
    foreach(link IN LISTS links interface)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
      if(NOT link OR link STREQUAL "mog_warnings" OR link STREQUAL "links-NOTFOUND"
         OR link STREQUAL "interface-NOTFOUND" OR link MATCHES "^::@")
        continue()
      endif()
      if(NOT link IN_LIST MOG_MAY_LINK_${target} AND NOT link IN_LIST MOG_VENDORS_${target})
        message(FATAL_ERROR "${target} must not link ${link} (docs/architecture.md, Folders, libraries, arrows)")
      endif()
    endforeach()
  endforeach()
endfunction()
