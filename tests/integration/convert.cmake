if(TARGET mog)
  add_test(NAME cli.convert
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli_convert.py $<TARGET_FILE:mog>
      ${CMAKE_SOURCE_DIR}/tests/data/model/bert-tiny)
  set_tests_properties(cli.convert PROPERTIES LABELS integration TIMEOUT 600)
endif()
