# Sources of train, tag and evaluate.
target_sources(mog_workflow PRIVATE
  evaluate_job.cpp
  piece_units.cpp
  tag_job.cpp
  tag_lexicon.cpp
  teacher_agreement.cpp
  teacher_job.cpp
  train_batches.cpp
  train_card.cpp
  train_checkpoint.cpp
  train_config.cpp
  train_config_start.cpp
  train_data.cpp
  train_finish.cpp
  train_run.cpp
  train_setup.cpp
  train_tokenizer.cpp
  train_teacher.cpp
  train_validation.cpp)
target_sources(mog_workflow PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES
  evaluate_job.h
  piece_units.h
  tag_job.h
  tag_lexicon.h
  teacher_agreement.h
  teacher_job.h
  train_config.h
  train_data.h
  train_job.h)
