# LibTorch as small imported targets of our own. The wheel's CMake package insists on a CUDA
# installation; CPU programs need only libc10, libtorch_cpu, and the cudart and cupti libraries.
#
# MOG_LIBTORCH_DIR: a directory with include/ and lib/ (`./bootstrap` unpacks the wheel there), or a
# LibTorch of the user's own found through CMAKE_PREFIX_PATH.

set(MOG_LIBTORCH_DIR "" CACHE PATH "Directory of LibTorch 2.11 (include/, lib/)")
if(NOT MOG_LIBTORCH_DIR)
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(mog_cache "$ENV{XDG_CACHE_HOME}/mog-workbench")
  else()
    set(mog_cache "$ENV{HOME}/.cache/mog-workbench")
  endif()
endif()
find_path(MOG_TORCH_INCLUDE ATen/ATen.h
  HINTS "${MOG_LIBTORCH_DIR}/include" "${mog_cache}/libtorch/include" PATH_SUFFIXES include)
find_library(MOG_TORCH_CPU torch_cpu HINTS "${MOG_LIBTORCH_DIR}/lib" "${mog_cache}/libtorch/lib")
find_library(MOG_TORCH_C10 c10 HINTS "${MOG_LIBTORCH_DIR}/lib" "${mog_cache}/libtorch/lib")
if(NOT MOG_TORCH_INCLUDE OR NOT MOG_TORCH_CPU OR NOT MOG_TORCH_C10)
  message(FATAL_ERROR
    "LibTorch was not found. Run ./bootstrap build, or give -DMOG_LIBTORCH_DIR=DIR (with include/ and lib/), "
    "or configure with -DMOG_WITH_ENGINE=OFF.")
endif()
get_filename_component(MOG_TORCH_LIB "${MOG_TORCH_CPU}" DIRECTORY)

add_library(mog_torch_cpu INTERFACE)
add_library(mog::torch_cpu ALIAS mog_torch_cpu)
# After the ordinary directories: torch/include carries its own fmt and protobuf.
target_compile_options(mog_torch_cpu INTERFACE
  "SHELL:-idirafter ${MOG_TORCH_INCLUDE}" "SHELL:-idirafter ${MOG_TORCH_INCLUDE}/torch/csrc/api/include")
target_link_libraries(mog_torch_cpu INTERFACE "${MOG_TORCH_CPU}" "${MOG_TORCH_C10}")
target_link_options(mog_torch_cpu INTERFACE "-Wl,-rpath-link,${MOG_TORCH_LIB}" "-Wl,--allow-shlib-undefined")
