// Which session takes which of the jobs that wait for one.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "worker/session/companions.h"

namespace retinue::worker {

struct SessionLoad {
  ConnectionId connection;
  size_t jobs = 0;
};

// Deals the waiting jobs out one by one, each to the session with the fewest (the first of those),
// as long as that has fewer than `jobs_per_session_max`. Consecutive jobs, which are partitions of
// one computation, thus land on different sessions. Jobs that already have a session do not move.
std::vector<std::pair<JobSlot, ConnectionId>> assign_jobs(std::span<const JobSlot> waiting,
                                                          std::vector<SessionLoad> sessions,
                                                          size_t jobs_per_session_max);

}  // namespace retinue::worker
