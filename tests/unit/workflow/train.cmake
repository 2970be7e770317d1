find_package(nlohmann_json REQUIRED)
mog_test(test_workflow_train
  SOURCES piece_units_test.cpp train_config_test.cpp train_data_test.cpp train_job_test.cpp train_processes_test.cpp train_sweep_test.cpp
    train_tag_test.cpp
  LIBRARIES mog_workflow mog_test_support mog_model mog_io mog_analysis mog_recording
    nlohmann_json::nlohmann_json)
