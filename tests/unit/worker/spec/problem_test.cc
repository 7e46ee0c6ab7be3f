// How many problems are told, and in what order.
#include "worker/spec/problem.h"

#include <string>
#include <vector>

#include "tests/unit/worker/spec/bad_spec.h"

namespace retinue::worker {
namespace {

using testing::ElementsAre;

TEST(Problems, AllProblemsAreTold) {
  yson::Node spec = sample_spec();
  put(spec, "/streams/counts/schema/1/type", "\"int46\"");
  put(spec, "/companions/counter/processes", "1000");
  put(spec, "/computations/count/timer_streams", "[]");
  put(spec, "/computations/watch/companion", "\"nobody\"");
  put(spec, "/sinks/file/path", "");
  put(spec, "/dynamic_spec/computations/count/max_attempts", "1.5");
  std::vector<std::string> paths;
  for (const SpecProblem& problem : problems_of(spec)) {
    paths.push_back(problem.path);
  }
  EXPECT_THAT(paths, ElementsAre("/streams/counts/schema/1/type", "/companions/counter/processes",
                                 "/computations/count/timer_streams", "/sinks/file",
                                 "/dynamic_spec/computations/count/max_attempts",
                                 "/computations/watch/companion"));
}

TEST(Problems, PastTheLimitProblemsAreOnlyCounted) {
  yson::Node spec = sample_spec();
  for (int i = 0; i < 1000; ++i) {
    put(spec, "/unknown" + std::to_string(i), "1");
  }
  const std::vector<SpecProblem> problems = problems_of(spec);
  ASSERT_EQ(problems.size(), Problems::kLimit + 1);
  EXPECT_EQ(problems.back(), (SpecProblem{"", "and 900 more problems"}));
}

TEST(Problems, SectionsHaveALimit) {
  yson::Node spec = sample_spec();
  for (int i = 0; i < 1024; ++i) {
    put(spec, "/companions/c" + std::to_string(i), "{}");
  }
  EXPECT_THAT(problems_of(spec), testing::Contains(SpecProblem{
                                     "/companions", "expected at most 1024 entries, found 1026"}));
}

}  // namespace
}  // namespace retinue::worker
