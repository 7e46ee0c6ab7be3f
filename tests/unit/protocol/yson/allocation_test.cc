// Small binary maps are read and written without touching the heap.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "protocol/yson/parser.h"
#include "protocol/yson/reader.h"
#include "protocol/yson/writer.h"

namespace {

size_t allocations = 0;

}  // namespace

// Not inlined: GCC would take the pair for a mismatch of new and free.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace retinue::yson {
namespace {

// Deep enough, and with keys enough, for a state of a user's.
void write_sample(Writer& writer) {
  constexpr const char* kKeys[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  writer.begin_map();
  for (const char* key : kKeys) {
    writer.key(key);
    writer.begin_map();
    for (const char* inner : kKeys) {
      writer.key(inner);
      writer.begin_list();
      writer.int64(1);
      writer.real(0.5);
      writer.string("a string that is too long for a small buffer");
      writer.end_list();
    }
    writer.end_map();
  }
  writer.end_map();
}

std::string sample() {
  std::string out;
  Writer writer(out);
  write_sample(writer);
  return out;
}

TEST(AllocationTest, TheCounterCounts) {
  size_t before = allocations;
  std::string text(1000, 'x');
  EXPECT_GT(allocations, before) << text;
}

TEST(AllocationTest, WritingBinary) {
  std::string out;
  out.reserve(sample().size());
  size_t before = allocations;
  Writer writer(out);
  write_sample(writer);
  EXPECT_EQ(allocations, before);
}

TEST(AllocationTest, SkippingBinary) {
  std::string bytes = sample();
  size_t before = allocations;
  bool valid = validate(bytes).ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(valid);
}

TEST(AllocationTest, ReadingBinary) {
  std::string bytes = sample();
  size_t before = allocations;
  size_t string_bytes = 0;
  Reader reader(bytes);
  ASSERT_TRUE(reader.begin_map());
  while (*reader.next_key()) {
    ASSERT_TRUE(reader.begin_map());
    while (*reader.next_key()) {
      ASSERT_TRUE(reader.begin_list());
      ASSERT_TRUE(*reader.next_item());
      ASSERT_EQ(*reader.read_int64(), 1);
      ASSERT_TRUE(*reader.next_item());
      ASSERT_EQ(*reader.read_double(), 0.5);
      ASSERT_TRUE(*reader.next_item());
      string_bytes += reader.read_string()->size();
      ASSERT_FALSE(*reader.next_item());
    }
  }
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(string_bytes, 64 * 44u);
}

}  // namespace
}  // namespace retinue::yson
