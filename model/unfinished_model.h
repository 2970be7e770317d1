// The mark of a model directory that is being written.
#pragma once

namespace mog::model {

// A file that lies in a directory from the beginning of write_model_directory to its end: after a kill or on
// a full disk it says that what is there is this program's own.
inline constexpr const char* kUnfinishedModel = "unfinished-model.txt";

}  // namespace mog::model
