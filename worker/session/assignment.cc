#include "worker/session/assignment.h"

#include <algorithm>

namespace retinue::worker {

std::vector<std::pair<JobSlot, ConnectionId>> assign_jobs(std::span<const JobSlot> waiting,
                                                          std::vector<SessionLoad> sessions,
                                                          size_t jobs_per_session_max) {
  std::vector<std::pair<JobSlot, ConnectionId>> assigned;
  for (const JobSlot slot : waiting) {
    const auto least = std::ranges::min_element(sessions, {}, &SessionLoad::jobs);
    if (least == sessions.end() || least->jobs >= jobs_per_session_max) {
      break;
    }
    ++least->jobs;
    assigned.emplace_back(slot, least->connection);
  }
  return assigned;
}

}  // namespace retinue::worker
