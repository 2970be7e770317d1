# Training with the engine.
if(TARGET mog_engine)
  mog_test(test_train_engine
    SOURCES training_case.cpp train_engine_test.cpp train_graph_engine_test.cpp distill_engine_test.cpp fit_engine_test.cpp processes_engine_test.cpp state_parser_engine_test.cpp
    LIBRARIES mog_model mog_io mog_recording
    LABELS integration)
  add_dependencies(test_train_engine mog_engine)
  set_tests_properties(test_train_engine PROPERTIES ENVIRONMENT "MOG_ENGINE=$<TARGET_FILE:mog_engine>")
endif()
if(TARGET mog_engine AND TARGET mog)
  add_test(NAME cli.train
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine> ${CMAKE_SOURCE_DIR}/resources/experiments/tagger-en-graph.toml)
  set_tests_properties(cli.train PROPERTIES LABELS integration TIMEOUT 900)
  add_test(NAME cli.train_watch
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train_watch.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine> ${CMAKE_SOURCE_DIR}/resources/experiments/tagger-en-graph.toml)
  set_tests_properties(cli.train_watch PROPERTIES LABELS integration TIMEOUT 900)
  add_test(NAME cli.train_gru
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine> ${CMAKE_SOURCE_DIR}/resources/experiments/tagger-en-gru.toml)
  set_tests_properties(cli.train_gru PROPERTIES LABELS integration TIMEOUT 900)
  add_test(NAME cli.train_bilstm
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine> ${CMAKE_SOURCE_DIR}/resources/experiments/tagger-en-bilstm.toml)
  set_tests_properties(cli.train_bilstm PROPERTIES LABELS integration TIMEOUT 900)
  add_test(NAME cli.train_processes
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train_processes.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.train_processes PROPERTIES LABELS integration TIMEOUT 900)
  add_test(NAME cli.train_distill
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train_distill.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.train_distill PROPERTIES LABELS integration TIMEOUT 900)
  add_test(NAME cli.train_disk
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train_disk.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.train_disk PROPERTIES LABELS integration TIMEOUT 300)
  add_test(NAME cli.train_sweep
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train_sweep.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.train_sweep PROPERTIES LABELS integration TIMEOUT 600)
  add_test(NAME cli.parse
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_parse.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.parse PROPERTIES LABELS integration TIMEOUT 600)
  add_test(NAME cli.parse_transitions
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_parse_transitions.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.parse_transitions PROPERTIES LABELS integration TIMEOUT 600)
  add_test(NAME cli.parse_states
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_parse_states.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.parse_states PROPERTIES LABELS integration TIMEOUT 600)
  add_test(NAME cli.coref_model
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_coref_model.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.coref_model PROPERTIES LABELS integration TIMEOUT 600)
  add_test(NAME cli.train_translator
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_train_translator.py $<TARGET_FILE:mog>
      $<TARGET_FILE:mog_engine>)
  set_tests_properties(cli.train_translator PROPERTIES LABELS integration TIMEOUT 600)
endif()
