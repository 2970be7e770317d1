if(TARGET mog_engine)
  mog_test(test_train_engine
    SOURCES train_engine_test.cpp
    LIBRARIES mog_model mog_io mog_recording
    LABELS integration)
  add_dependencies(test_train_engine mog_engine)
  set_tests_properties(test_train_engine PROPERTIES ENVIRONMENT "MOG_ENGINE=$<TARGET_FILE:mog_engine>")
endif()
