#include "worker/epoch/assemble.h"

#include <cmath>

#include "protocol/values/key_codec.h"
#include "tests/unit/worker/epoch/fixture.h"

namespace retinue::worker::testing {
namespace {

using ::testing::ElementsAre;

TEST_F(EpochFixture, GroupsByKeyInTheOrderOfFirstSight) {
  const auto batch = assemble({whole(words({"b", "a", "b", "c", "a"}))});
  EXPECT_EQ(batch->row_count, 5u);
  EXPECT_THAT(batch->key_indexes, ElementsAre(0, 1, 0, 2, 1));
  ASSERT_EQ(batch->keys.size(), 3u);
  const RowBatchView keys = batch->key_rows.view();
  for (uint32_t i = 0; i < 3; ++i) {
    const std::string word = std::string(1, "bac"[i]);
    FarmHasher hasher;
    hasher.add_string(word);
    EXPECT_EQ(row_at(keys, i), (Row{hasher.finish().value(), word}));
    EXPECT_EQ(batch->keys[i]->key(), stored_key(plan.key_schema, {word}).value());
    EXPECT_EQ(batch->keys[i]->hash(), hasher.finish());
  }
}

TEST_F(EpochFixture, OneKeyOfSeveralStreamsIsOneKey) {
  const auto marks =
      block("marks", kMarks, {{int64_t{1}, std::string("a")}, {int64_t{2}, Null()}}, 2);
  const auto batch = assemble({whole(words({"a", "b"})), whole(marks), whole(words({"b"}, 3))});
  EXPECT_THAT(batch->key_indexes, ElementsAre(0, 1, 0, 2, 1));
  ASSERT_EQ(batch->runs.size(), 3u);
  EXPECT_EQ(batch->runs[0].input, 0u);
  EXPECT_EQ(batch->runs[1].input, 1u);
  EXPECT_EQ(batch->runs[2].input, 0u);
  EXPECT_EQ(row_at(batch->key_rows.view(), 2)[1], Value(Null()));
}

TEST_F(EpochFixture, PartsOfBlocksKeepTheirIdsAndTimes) {
  const auto both =
      block("words", kWords,
            {{std::string("a"), Null()}, {std::string("b"), Null()}, {std::string("c"), Null()}},
            77, 1000, {5, 6, 7});
  InboxRun tail = whole(both);
  tail.begin = 1;
  const auto batch = assemble({tail});
  EXPECT_EQ(batch->runs[0].first_id, (MessageId{77, 11}));
  EXPECT_THAT(batch->event_timestamps(), ElementsAre(6, 7));
  const auto [run, row] = batch->find(OrderPosition(1));
  EXPECT_EQ(run, &batch->runs[0]);
  EXPECT_EQ(row, 2u);
  EXPECT_THAT(describe_input(plan, *batch, OrderPosition(1)),
              ::testing::StartsWith("message 4d:12 of stream \"words\" with key ("));
  EXPECT_THAT(describe_input(plan, *batch, OrderPosition(1)),
              ::testing::EndsWith(", \"c\"): {\"word\":\"c\",\"n\":null}"));
}

TEST_F(EpochFixture, ALongInputIsDescribedByItsBeginning) {
  std::string word;
  for (int i = 0; i < 500; ++i) {
    word += "\u00e9";
  }
  const auto batch = assemble({whole(words({word}))});
  const std::string text = describe_input(plan, *batch, OrderPosition(0));
  EXPECT_THAT(text, ::testing::HasSubstr("): {\"word\":\"\u00e9\u00e9"));
  EXPECT_THAT(text, ::testing::EndsWith("\u00e9\u2026"));
  EXPECT_LT(text.size(), 700u);
}

TEST_F(EpochFixture, TwoBatchesAliveHaveTheirOwnKeyIndexes) {
  auto first = assemble({whole(words({"a", "b"}))});
  auto second = assemble({whole(words({"b", "c", "a", "b"}, 2))});
  EXPECT_THAT(second->key_indexes, ElementsAre(0, 1, 2, 0));
  EXPECT_EQ(first->keys[1], second->keys[0]);
  EXPECT_EQ(first->keys[0], second->keys[2]);
  // The buffers of a batch that is over hold nothing of it.
  assembler.drop(std::move(first));
  const auto third = assemble({whole(words({"b"}, 3))});
  EXPECT_THAT(third->key_indexes, ElementsAre(0));
  EXPECT_EQ(third->key_rows.row_count(), 1u);
  EXPECT_EQ(third->runs.size(), 1u);
}

TEST_F(EpochFixture, KeysOfABatchStayInTheCacheUntilItIsOver) {
  StateCache small(plan.states.size(), 1);
  BatchAssembler tight(plan, small, store);
  auto batch = tight.assemble({{whole(words({"a", "b"}))}});
  ASSERT_TRUE(batch.ok());
  small.evict();
  EXPECT_EQ(small.size(), 2u);
  const BatchStamp committing = (*batch)->stamp;
  tight.recycle(std::move(*batch));
  small.evict();
  EXPECT_EQ(small.size(), 2u) << "its commit is not stored yet";
  small.end_batch(committing);
  small.evict();
  EXPECT_EQ(small.size(), 0u);
}

TEST_F(EpochFixture, AThousandRowsAreGroupedAsAMapDoes) {
  std::vector<std::string> many;
  for (uint32_t i = 0; i < 1000; ++i) {
    many.push_back(std::to_string(i * i % 317));
  }
  const auto batch = assemble({whole(words(many))});
  std::map<std::string, uint32_t> index;
  for (uint32_t i = 0; i < many.size(); ++i) {
    const auto [place, is_new] = index.emplace(many[i], index.size());
    ASSERT_EQ(batch->key_indexes[i], place->second);
  }
  EXPECT_EQ(batch->keys.size(), index.size());
}

TEST_F(EpochFixture, LoadsWhatIsMissingWithOneLookUp) {
  put_state("a", 0, "17");
  put_state("b", 1, "{}");
  auto batch = assemble({whole(words({"a", "b"}))});
  EXPECT_EQ(store.load_count(), 1u);
  EXPECT_EQ(store.loaded_keys().size(), 4u);
  EXPECT_EQ(batch->keys[0]->states()[0].value, "17");
  EXPECT_EQ(batch->keys[0]->states()[1].presence, StateSlot::Presence::kAbsent);
  EXPECT_EQ(batch->keys[1]->states()[0].presence, StateSlot::Presence::kAbsent);
  EXPECT_EQ(batch->keys[1]->states()[1].value, "{}");

  const auto second = assemble({whole(words({"a", "c"}, 2))});
  EXPECT_EQ(store.load_count(), 2u);
  EXPECT_THAT(std::vector(store.loaded_keys().begin() + 4, store.loaded_keys().end()),
              ElementsAre(row_key("c", StateNumber(3)), row_key("c", StateNumber(4))));
  const auto third = assemble({whole(words({"a", "b", "c"}, 3))});
  EXPECT_EQ(store.load_count(), 2u) << "nothing was missing";
}

TEST_F(EpochFixture, ErrorsOfTheStoreAndOfStoredValuesCome) {
  auto batch = assembler.assemble({{whole(words({"a"}))}});
  ASSERT_TRUE(batch.ok());
  store.fail_next_load({ErrorCode::kIoError, "bad disk"});
  EXPECT_EQ(assembler.preload(**batch).error().message, "bad disk");
  store.put_state(row_key("a", StateNumber(3)), "\x09garbage");
  EXPECT_EQ(assembler.preload(**batch).error().code, ErrorCode::kDataCorrupted);
}

TEST_F(EpochFixture, RefusesAStreamThatIsNotReadAnyMore) {
  const auto batch = assembler.assemble({{whole(block("gone", kWords, {{Null(), Null()}}, 1))}});
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code, ErrorCode::kInvalidSpec);
  EXPECT_THAT(batch.error().message,
              ::testing::HasSubstr("computation \"count\" has queued messages of stream \"gone\""));
}

TEST_F(EpochFixture, RefusesAKeyThatCannotBeOne) {
  ComputationPlan by_rate = plan;
  by_rate.key_schema = schema({column("rate", ColumnType::kDouble)});
  by_rate.inputs = {{.stream = StreamId("counts"),
                     .schema = kCounts,
                     .key = KeyExtractor::create(by_rate.key_schema, kCounts).value()}};
  BatchAssembler other(by_rate, cache, store);
  const auto nan =
      block("counts", kCounts,
            {{std::string("a"), Null(), 1.0}, {std::string("b"), Null(), std::nan("")}}, 255);
  const auto batch = other.assemble({{whole(nan)}});
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(batch.error().message,
              ::testing::HasSubstr("key of message ff:11 of stream \"counts\""));
}

TEST_F(EpochFixture, ASourcesRowsHaveTheirPartitionAsKey) {
  ComputationPlan source = plan;
  source.key_schema = source_key_schema();
  source.inputs = {{.stream = StreamId("words"), .schema = kWords, .key = std::nullopt}};
  BatchAssembler assembles(source, cache, store);
  const RowBatchBuilder rows = rows_of(kWords, {{std::string("x"), Null()}, {Null(), Null()}});
  const RowBatchView view = rows.view();
  const auto batch = assembles.assemble(
      {.rows = view, .begin = 0, .end = 2, .partition = "/in/a.txt"}, {9, 0}, Timestamp(33));
  ASSERT_TRUE(batch.ok());
  EXPECT_THAT((*batch)->key_indexes, ElementsAre(0, 0));
  EXPECT_EQ(row_at((*batch)->key_rows.view(), 0), Row{std::string("/in/a.txt")});
  EXPECT_EQ((*batch)->keys[0]->key(),
            stored_key(source.key_schema, {std::string("/in/a.txt")}).value());
  EXPECT_THAT((*batch)->event_timestamps(), ElementsAre(33, 33));

  const auto second = assembles.assemble(
      {.rows = view, .begin = 1, .end = 2, .partition = "/in/a.txt"}, {9, 0}, Timestamp(33));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->row_count, 1u);
  EXPECT_EQ((*second)->find(OrderPosition(0)).second, 1u);

  const RowBatchView no_rows;
  const auto empty = assembles.assemble({.rows = no_rows, .begin = 0, .end = 0, .partition = ""},
                                        {9, 0}, Timestamp(33));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->row_count, 0u);
}

}  // namespace
}  // namespace retinue::worker::testing
