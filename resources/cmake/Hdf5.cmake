# The target HDF5 (docs/decisions/0024-hdf5-without-a-network.md). Debian's shared libhdf5 can also read from
# Amazon's servers and so brings libcurl, LDAP and Kerberos into every program that links it. The static
# library beside it gives a program only what it calls.
set(MOG_HDF5 auto CACHE STRING "How HDF5 is linked: static (no network library behind it), shared, or auto")
set_property(CACHE MOG_HDF5 PROPERTY STRINGS auto static shared)

find_package(HDF5 REQUIRED COMPONENTS C)
include(CheckCSourceCompiles)

# Sets `result` to the static library and what it calls, or to nothing where it is not there or needs more.
function(mog_static_hdf5 result)
  set(${result} "" PARENT_SCOPE)
  set(archive "${HDF5_C_LIBRARIES}")
  list(FILTER archive INCLUDE REGEX "/libhdf5[^/]*\\.so$")
  list(TRANSFORM archive REPLACE "\\.so$" ".a")
  if(NOT archive OR NOT EXISTS "${archive}")
    return()
  endif()
  set(libraries "${archive}")
  find_library(MOG_SZIP sz)
  if(MOG_SZIP)
    list(APPEND libraries "${MOG_SZIP}")
  endif()
  list(APPEND libraries z m ${CMAKE_DL_LIBS} pthread)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5_C_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${libraries})
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_compiles("
    #include <hdf5.h>
    int main(int count, char** names) {
      return count > 1 && H5Fclose(H5Fopen(names[1], H5F_ACC_RDONLY, H5P_DEFAULT)) < 0;
    }" MOG_HDF5_STATIC_LINKS)
  if(MOG_HDF5_STATIC_LINKS)
    set(${result} "${libraries}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT TARGET HDF5)
  set(libraries "")
  if(NOT MOG_HDF5 STREQUAL "shared")
    mog_static_hdf5(libraries)
  endif()
  if(libraries)
    set(MOG_HDF5_LINKED static)
  elseif(MOG_HDF5 STREQUAL "static")
    message(FATAL_ERROR "MOG_HDF5=static: there is no libhdf5.a beside ${HDF5_C_LIBRARIES}, or it needs a network library")
  else()
    set(MOG_HDF5_LINKED shared)
    set(libraries "${HDF5_C_LIBRARIES}")
  endif()
  message(STATUS "HDF5 ${HDF5_VERSION} is linked ${MOG_HDF5_LINKED}")
  # Debian's HDF5 has no target of one name in all versions: one of ours.
  add_library(HDF5 INTERFACE IMPORTED GLOBAL)
  target_include_directories(HDF5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_compile_definitions(HDF5 INTERFACE ${HDF5_C_DEFINITIONS})
  target_link_libraries(HDF5 INTERFACE ${libraries})
  set_property(GLOBAL PROPERTY MOG_HDF5_LINKED ${MOG_HDF5_LINKED})
endif()
