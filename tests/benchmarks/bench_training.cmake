# Our side of bench_training.py.
if(TARGET mog_engine)
  find_package(nlohmann_json REQUIRED)
  add_executable(bench_training_steps bench_training_steps.cpp)
  target_link_libraries(bench_training_steps
    PRIVATE mog_workflow mog_model mog_io mog_recording nlohmann_json::nlohmann_json mog_warnings)
  target_include_directories(bench_training_steps PRIVATE "${CMAKE_SOURCE_DIR}")
endif()
