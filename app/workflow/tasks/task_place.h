// Which task of a run this process is, read from what its launcher left in the environment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/processes.h"

namespace mog::app {

using Environment = std::map<std::string, std::string>;
// That of this process.
Environment process_environment();

struct TaskPlace {
  std::int64_t task = 1;   // from 1
  std::int64_t tasks = 1;  // of the whole run
  std::string source;      // "SLURM_ARRAY_TASK_ID, SLURM_PROCID": the variables that say so
};

// Launchers, each a rank and a count: Open MPI (OMPI_COMM_WORLD_RANK, _SIZE), PMI (PMI_RANK, PMI_SIZE),
// torchrun and plain loops (RANK, WORLD_SIZE), srun (SLURM_PROCID, SLURM_STEP_NUM_TASKS or else
// SLURM_NTASKS). An array job (SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP) multiplies with them: task a of A
// that starts P processes is tasks (a - 1) P + 1 … a P of A P. An empty variable counts as not set.
//
// Throws UsageError naming the variable: no whole number, out of range, a rank without its count, launchers
// that contradict each other, an array with gaps; srun's tasks in a script that srun did not start; and where
// nothing is set, the variables that were looked at.
TaskPlace task_place(const Environment& environment);

// A process of those that do one thing together.
struct ProcessPlace {
  model::ProcessOptions options;
  std::optional<int> local_rank = {};  // among those of this machine, which have a GPU each
  std::string source = {};             // "RANK"
};

// The same launchers but arrays, whose tasks are runs of their own. Of more than one process MASTER_ADDR and
// MASTER_PORT say where they meet, for every launcher. LOCAL_RANK, SLURM_LOCALID or
// OMPI_COMM_WORLD_LOCAL_RANK may be set. Throws UsageError as task_place() does.
ProcessPlace process_place(const Environment& environment);
// `environment` for a process that is started at this place: what other launchers said is gone.
Environment environment_at(const ProcessPlace& place, Environment environment);

}  // namespace mog::app
