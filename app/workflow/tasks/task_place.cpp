// The innermost launcher knows best. Inside a Slurm job mpirun and torchrun start processes that inherit
// Slurm's variables from the shell or daemon that started them, so Slurm's rank is asked last; MPI's and
// torchrun's must agree where several are set. An array is no launcher but another axis: it multiplies.
//
// Trap: the script of `sbatch --ntasks=4` runs once, with SLURM_PROCID=0 and SLURM_NTASKS=4. Taken at their
// word it would do a quarter of the work, and nobody the rest. srun alone sets SLURM_STEP_NUM_TASKS; without
// it more than one task is believed only where the rank says that there are others.
#include "app/workflow/tasks/task_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;  // of tasks, and of every number here

struct Launcher {
  const char* rank;
  const char* count;
};
constexpr std::array kInner = {Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                               Launcher{"PMI_RANK", "PMI_SIZE"}, Launcher{"RANK", "WORLD_SIZE"}};
constexpr const char* kProcess = "SLURM_PROCID";
constexpr const char* kStepTasks = "SLURM_STEP_NUM_TASKS";
constexpr const char* kJobTasks = "SLURM_NTASKS";
constexpr const char* kArray = "SLURM_ARRAY_TASK_ID";
constexpr const char* kAddress = "MASTER_ADDR";
constexpr const char* kPort = "MASTER_PORT";
constexpr std::array kLocal = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};
// torchrun serves the store itself, and starts all processes again when one fails.
constexpr const char* kStore = "TORCHELASTIC_USE_AGENT_STORE";
constexpr const char* kAttempt = "TORCHELASTIC_RESTART_COUNT";

[[noreturn]] void refuse(const std::string& why) {
  throw UsageError(why);
}

// What `read` refuses, with the option that asked.
template <class Read>
auto asked_by(const char* option, Read read) {
  try {
    return read();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  bool has(const char* name) const { return !text(name).empty(); }

  std::string_view text(const char* name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() ? std::string_view() : std::string_view(found->second);
  }

  std::optional<std::int64_t> find(const char* name, std::int64_t least = 0,
                                   std::int64_t most = kMost) const {
    const std::string_view given = text(name);
    if (given.empty()) {
      return std::nullopt;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error != std::errc() || end != given.data() + given.size() || value < least || value > most) {
      refuse(fmt::format("{} is \"{}\"; expected a whole number from {} to {}", name, given.substr(0, 40),
                         least, most));
    }
    return value;
  }

  // `other` is set and needs it.
  std::int64_t need(const char* name, const char* other, std::int64_t least = 0) const {
    const std::optional<std::int64_t> value = find(name, least);
    if (!value) {
      refuse(fmt::format("{} is set, but {} is not; the two go together", other, name));
    }
    return *value;
  }

 private:
  const Environment& environment_;
};

// Rank from 0.
struct Rank {
  std::int64_t rank = 0;
  std::int64_t count = 1;
  std::string source;
};

Rank checked(std::int64_t rank, std::int64_t count, const char* of_rank, const char* of_count) {
  if (rank >= count) {
    refuse(fmt::format("{} is {} and {} is {}; the first counts from 0 and must be the smaller", of_rank,
                       rank, of_count, count));
  }
  return {rank, count, of_rank};
}

std::optional<Rank> of_launcher(const Variables& variables, const Launcher& launcher) {
  if (!variables.has(launcher.rank) && !variables.has(launcher.count)) {
    return std::nullopt;
  }
  const std::int64_t rank = variables.need(launcher.rank, launcher.count);
  const std::int64_t count = variables.need(launcher.count, launcher.rank, 1);
  return checked(rank, count, launcher.rank, launcher.count);
}

std::optional<Rank> of_inner(const Variables& variables) {
  std::optional<Rank> found;
  for (const Launcher& launcher : kInner) {
    std::optional<Rank> next = of_launcher(variables, launcher);
    if (found && next && (found->rank != next->rank || found->count != next->count)) {
      refuse(fmt::format("{} says {} of {}, {} says {} of {} (from 0); unset the one that is not meant",
                         found->source, found->rank, found->count, next->source, next->rank, next->count));
    }
    if (!found) {
      found = std::move(next);
    }
  }
  return found;
}

std::optional<Rank> of_srun(const Variables& variables) {
  if (!variables.has(kProcess)) {
    return std::nullopt;
  }
  const std::int64_t rank = *variables.find(kProcess);
  if (const std::optional<std::int64_t> step = variables.find(kStepTasks, 1)) {
    return checked(rank, *step, kProcess, kStepTasks);
  }
  // A script that asked for no number of tasks is one, and its rank is 0.
  const std::int64_t count =
      rank == 0 ? variables.find(kJobTasks, 1).value_or(1) : variables.need(kJobTasks, kProcess, 1);
  if (rank == 0 && count > 1) {
    refuse(
        fmt::format("{} is {}, but {} is not set: srun did not start this program, so it would be the only "
                    "task; write `srun mog …`, or ask for one task",
                    kJobTasks, count, kStepTasks));
  }
  return checked(rank, count, kProcess, kJobTasks);
}

std::optional<Rank> of_process(const Variables& variables) {
  std::optional<Rank> process = of_inner(variables);
  return process ? process : of_srun(variables);
}

std::optional<Rank> of_array(const Variables& variables) {
  const std::optional<std::int64_t> id = variables.find(kArray);
  if (!id) {
    return std::nullopt;
  }
  const std::int64_t count = variables.need("SLURM_ARRAY_TASK_COUNT", kArray, 1);
  const std::int64_t least = variables.need("SLURM_ARRAY_TASK_MIN", kArray);
  const std::int64_t step = variables.find("SLURM_ARRAY_TASK_STEP", 1).value_or(1);
  const std::int64_t rank = (*id - least) / step;
  const std::int64_t most = variables.find("SLURM_ARRAY_TASK_MAX").value_or(least + (count - 1) * step);
  if (*id < least || (*id - least) % step != 0 || rank >= count || most != least + (count - 1) * step) {
    refuse(
        fmt::format("{} is {}, in an array of {} from {} in steps of {}; the array has gaps, so its tasks do "
                    "not say which parts they are: give --shard i/n",
                    kArray, *id, count, least, step));
  }
  if (least > 1) {
    refuse(
        fmt::format("{} is {} in an array that begins at {}: such a one is a repair of some tasks of a "
                    "larger one, and these would count "
                    "from 1 again; begin arrays at 0 or 1, or give --shard i/n",
                    kArray, *id, least));
  }
  return Rank{rank, count, kArray};
}

std::string names_of_ranks() {
  std::string names = kProcess;
  for (const Launcher& launcher : kInner) {
    names += std::string(", ") + launcher.rank;
  }
  return names;
}

TaskPlace read_task_place(const Variables& variables) {
  const std::optional<Rank> array = of_array(variables);
  const std::optional<Rank> process = of_process(variables);
  if (!array && !process) {
    refuse(fmt::format(
        "nothing says which task this is; looked for {}, {} and the counts that belong to them; start it "
        "by sbatch --array, srun or mpirun, set RANK and WORLD_SIZE, or give --shard i/n",
        kArray, names_of_ranks()));
  }
  const Rank outer = array.value_or(Rank{});
  const Rank inner = process.value_or(Rank{});
  if (outer.count > kMost / inner.count) {
    refuse(fmt::format("{} tasks of an array with {} processes each are more than {}", outer.count,
                       inner.count, kMost));
  }
  std::string source = outer.source;
  if (!inner.source.empty() && (outer.source.empty() || inner.count > 1)) {
    source += (source.empty() ? "" : ", ") + inner.source;
  }
  return {outer.rank * inner.count + inner.rank + 1, outer.count * inner.count, std::move(source)};
}

void find_meeting(const Variables& variables, ProcessPlace& place) {
  constexpr std::int64_t kMostPorts = 65535;
  const std::optional<std::int64_t> port = variables.find(kPort, 1, kMostPorts);
  for (const auto& [name, set] :
       {std::pair(kAddress, variables.has(kAddress)), std::pair(kPort, port.has_value())}) {
    if (!set) {
      refuse(
          fmt::format("{} says that there are {} processes, but {} is not set: where they meet, the name of "
                      "the first one's machine and a free port there, is in {} and {}",
                      place.source, place.options.count, name, kAddress, kPort));
    }
  }
  place.options.address = variables.text(kAddress);
  place.options.port = static_cast<std::uint16_t>(*port);
  place.options.store_is_there = variables.text(kStore) == "True";
  if (variables.has(kAttempt)) {
    place.options.attempt = variables.text(kAttempt);
  }
}

ProcessPlace read_process_place(const Variables& variables) {
  constexpr std::int64_t kMostProcesses = 100'000;
  const std::optional<Rank> found = of_process(variables);
  if (!found) {
    refuse(
        fmt::format("nothing says which process this is; looked for {} and the counts that belong to them; "
                    "start it by torchrun, srun or mpirun, set RANK, WORLD_SIZE, {} and {}, or give "
                    "--processes N",
                    names_of_ranks(), kAddress, kPort));
  }
  if (found->count > kMostProcesses) {
    refuse(fmt::format("{} processes are more than {}", found->count, kMostProcesses));
  }
  ProcessPlace place;
  place.options.rank = static_cast<int>(found->rank);
  place.options.count = static_cast<int>(found->count);
  place.source = found->source;
  for (const char* const name : kLocal) {
    if (const std::optional<std::int64_t> local = variables.find(name, 0, found->count - 1)) {
      place.local_rank = static_cast<int>(*local);
      break;
    }
  }
  if (place.options.count > 1) {
    find_meeting(variables, place);
  }
  return place;
}

}  // namespace

Environment process_environment() {
  Environment environment;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

TaskPlace task_place(const Environment& environment) {
  return asked_by("--shard auto", [&] { return read_task_place(Variables(environment)); });
}

ProcessPlace process_place(const Environment& environment) {
  return asked_by("--processes auto", [&] { return read_process_place(Variables(environment)); });
}

Environment environment_at(const ProcessPlace& place, Environment environment) {
  for (const Launcher& launcher : kInner) {
    environment.erase(launcher.rank);
    environment.erase(launcher.count);
  }
  for (const char* const name : {kStore, kAttempt}) {
    environment.erase(name);
  }
  for (const char* const name : kLocal) {  // of the process that starts these
    environment.erase(name);
  }
  environment["RANK"] = std::to_string(place.options.rank);
  environment["WORLD_SIZE"] = std::to_string(place.options.count);
  environment[kLocal.front()] = std::to_string(place.local_rank.value_or(0));
  environment[kAddress] = place.options.address;
  environment[kPort] = std::to_string(place.options.port);
  return environment;
}

}  // namespace mog::app
