# Sources of train, tag and evaluate.
target_sources(mog_workflow PRIVATE
  evaluate_job.cpp
  tag_job.cpp
  tag_lexicon.cpp
  train_batches.cpp
  train_card.cpp
  train_checkpoint.cpp
  train_config.cpp
  train_data.cpp
  train_finish.cpp
  train_run.cpp
  train_setup.cpp
  train_tokenizer.cpp
  train_validation.cpp)
target_sources(mog_workflow PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES
  evaluate_job.h
  tag_job.h
  tag_lexicon.h
  train_config.h
  train_data.h
  train_job.h)
