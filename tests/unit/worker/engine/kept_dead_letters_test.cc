#include "worker/engine/kept_dead_letters.h"

#include <set>

#include "tests/unit/worker/engine/poison.h"
#include "worker/stream/message_block.h"

namespace retinue::worker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const ComputationId kCount("count");

DeadLetterSelection all() {
  return {.computation = {}, .ids = {}};
}

// A pipeline that has run to its end but for the poison, which lies aside three times.
class KeptDeadLetters : public ::testing::Test {
 protected:
  KeptDeadLetters() : world_({"a poison b", "poison", "c poison"}) {
    poisoned_.limits(kCount).max_attempts = 1;
    world_.start();
    world_.run_to_end();
    world_.expect_complete("poison");
    world_.crash();
  }

  PipelineRecord record() const { return load_pipeline_record(world_.store).value(); }

  std::vector<DeadLetterId> ids(const DeadLetterSelection& selection = all()) const {
    std::vector<DeadLetterId> found;
    const auto visited =
        visit_dead_letters(world_.store, record(), selection,
                           [&](const DeadLetterId& id, const DeadLetter&) -> Result<void> {
                             found.push_back(id);
                             return {};
                           });
    EXPECT_TRUE(visited.ok()) << visited.error().to_string();
    return found;
  }
  Result<uint64_t> settle(const DeadLetterSelection& selection, DeadLetterSettling settling) {
    return settle_dead_letters(world_.store, record(), selection, settling);
  }
  std::set<std::string> message_ids() const {
    std::set<std::string> all;
    for (const DeadLetter& letter : dead_letters(world_)) {
      all.insert(message_id_text(MessageBlock::open(letter.block).value()->header().first_id));
    }
    return all;
  }

  World world_;
  Poisoned poisoned_{world_, Poisoned::Names::kTruly};
};

TEST_F(KeptDeadLetters, AreFoundByComputationAndId) {
  const std::vector<DeadLetterId> found = ids();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_THAT(ids({.computation = ComputationId("sizes"), .ids = {}}), IsEmpty());
  EXPECT_THAT(ids({.computation = kCount, .ids = {found[1]}}), SizeIs(1));
  const auto again = DeadLetterId::parse(found[0].to_string());
  EXPECT_EQ(again->to_string(), found[0].to_string());
}

TEST_F(KeptDeadLetters, ThatAreNotThereAreErrors) {
  const auto error = [&](const DeadLetterSelection& selection) {
    return settle(selection, DeadLetterSettling::kDrop).error().to_string();
  };
  EXPECT_THAT(error({.computation = ComputationId("cuont"), .ids = {}}),
              HasSubstr("not-found: pipeline \"pipeline\" has no computation \"cuont\"; it has: "));
  EXPECT_THAT(error({.computation = {}, .ids = {DeadLetterId::parse("count/0/999").value()}}),
              HasSubstr("not-found: there is no dead letter count/0/999"));
  EXPECT_THAT(error({.computation = ComputationId("sizes"), .ids = {ids()[0]}}),
              HasSubstr("is not of computation \"sizes\""));
  EXPECT_THAT(ids(), SizeIs(3));
}

TEST_F(KeptDeadLetters, IdsAreCheckedAsText) {
  for (const char* text : {"", "count", "count/0", "/0/1", "count/x/1", "count/0/", "count//1",
                           "count/0/-1", "count/4294967296/1", "//", "count/0/1 "}) {
    EXPECT_FALSE(DeadLetterId::parse(text).ok()) << text;
  }
}

TEST_F(KeptDeadLetters, AreTriedAgainWithTheirIds) {
  const std::set<std::string> before = message_ids();
  ASSERT_EQ(settle(all(), DeadLetterSettling::kRetry).value(), 3u);
  EXPECT_THAT(ids(), IsEmpty());
  world_.start();
  world_.run_to_end();
  EXPECT_EQ(message_ids(), before) << "they fail again";
  world_.expect_complete("poison");
  world_.crash();

  // Mended: the words count, though last.
  ASSERT_EQ(settle(all(), DeadLetterSettling::kRetry).value(), 3u);
  world_.on_batch = nullptr;
  world_.start();
  world_.run_to_end();
  world_.expect_complete();
  EXPECT_EQ(world_.store.dead_letter_count(), 0u);
}

TEST_F(KeptDeadLetters, AreDropped) {
  const std::vector<DeadLetterId> found = ids();
  ASSERT_EQ(
      settle({.computation = {}, .ids = {found[0], found[2]}}, DeadLetterSettling::kDrop).value(),
      2u);
  ASSERT_THAT(ids(), SizeIs(1));
  EXPECT_EQ(ids()[0].number, found[1].number);
  world_.start();
  world_.run_to_end();
  world_.expect_complete("poison");
}

TEST_F(KeptDeadLetters, SettlingThemMakesRoom) {
  const auto owner = world_.store.find_name(NameKind::kComputation, "count").value();
  const PartitionRef partition{OwnerNumber(*owner), PartitionIndex(0)};
  EXPECT_EQ(load_progress(world_.store, partition)->dead_letters_kept, 3u);
  EXPECT_GT(load_progress(world_.store, partition)->dead_letter_bytes_kept, 300u);
  ASSERT_TRUE(settle(all(), DeadLetterSettling::kDrop).ok());
  EXPECT_EQ(load_progress(world_.store, partition)->dead_letters_kept, 0u);
  EXPECT_EQ(load_progress(world_.store, partition)->dead_letter_bytes_kept, 0u);
}

TEST_F(KeptDeadLetters, OfOtherColumnsCannotBeTriedAgain) {
  PipelineRecord changed = record();
  changed.streams.at(StreamId("words")) =
      TableSchema::create(
          {{.name = "word", .type = ColumnType::kInt64, .required = false, .expression = ""}})
          .value();
  const auto retried =
      settle_dead_letters(world_.store, changed, all(), DeadLetterSettling::kRetry);
  ASSERT_FALSE(retried.ok());
  EXPECT_EQ(retried.error().code, ErrorCode::kSchemaMismatch);
  changed.computations.at(kCount).is_gone = true;
  EXPECT_EQ(
      settle_dead_letters(world_.store, changed, all(), DeadLetterSettling::kRetry).error().code,
      ErrorCode::kNotFound);
  EXPECT_THAT(ids(), SizeIs(3)) << "nothing is changed";
}

TEST(KeptDeadLettersOfASource, CannotBeTriedAgainButDropped) {
  World world({"poison"});
  DynamicComputationSpec& read = world.spec.dynamic_spec.computations.at(ComputationId("read"));
  read.max_attempts = 1;
  read.on_failure = FailureAction::kDeadLetter;
  world.on_batch = [&](const std::string&, ConnectionId from, wire::Batch::Reader batch) {
    world.fail_batch(from, batch, "no");
    return true;
  };
  world.start();
  world.run_to_end();
  world.crash();
  const PipelineRecord record = load_pipeline_record(world.store).value();
  const auto retried = settle_dead_letters(world.store, record, all(), DeadLetterSettling::kRetry);
  ASSERT_FALSE(retried.ok());
  EXPECT_EQ(retried.error().code, ErrorCode::kNotSupported);
  EXPECT_EQ(settle_dead_letters(world.store, record, all(), DeadLetterSettling::kDrop).value(), 1u);
}

}  // namespace
}  // namespace retinue::worker::testing
