// A bad spec: the sample with one thing spoilt, and what must be said about it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "tests/unit/worker/spec/sample_spec.h"
#include "worker/spec/problem.h"

namespace retinue::worker {

inline void PrintTo(const SpecProblem& problem, std::ostream* out) {
  *out << problem.path << ": " << problem.message;
}

struct Bad {
  std::string_view path;
  std::string_view json;
  std::string_view problem_path;
  std::string_view message;
};

inline void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.path << " = " << bad.json;
}

class BadSpec : public testing::TestWithParam<Bad> {
 protected:
  static void expect_just_that_problem(const Bad& bad) {
    yson::Node spec = sample_spec();
    put(spec, bad.path, bad.json);
    EXPECT_THAT(problems_of(spec), testing::ElementsAre(SpecProblem{std::string(bad.problem_path),
                                                                    std::string(bad.message)}));
  }
};

}  // namespace retinue::worker
