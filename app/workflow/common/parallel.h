// Work over many sentences on several threads: the one way of every job.
//
// Engine runs use one thread each, so a job is fast when it has as many runs under way as there are cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace mog::app {

// Threads for what was asked for; 0: one a core.
std::int64_t thread_count(std::int64_t wanted);
// Runs of a model at a time for what was asked for; 0: one a core, on a GPU two (one computes while the other
// copies). device: as Model::device() says it.
std::int64_t stream_count(std::int64_t wanted, std::string_view device);

// Takes pieces of work and does them on `threads` threads, of which the caller's is one; returns when all
// have ended. `take` gives the next piece, or an empty function when there is none (any more, or because the
// job is to stop); it is called by one thread at a time, so pieces have an order. The pieces run at once.
//
// When `take` or a piece throws, no further one is taken. What the earliest of those that failed threw is
// thrown then: the same error whatever the number of threads, as every earlier piece was done.
void share_out(std::int64_t threads, const std::function<std::function<void()>()>& take);

// The same for work(0), work(1), … work(count - 1).
void share_out(std::int64_t threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace mog::app
