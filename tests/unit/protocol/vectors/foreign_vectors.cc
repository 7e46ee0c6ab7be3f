// Frames that this release's writer would not make, and every reader must take: messages of newer
// versions, and other layouts of the same message.
#include <cstring>

#include "tests/unit/protocol/vectors/vector_set.h"

namespace retinue::vectors {

namespace {

std::string words(std::initializer_list<uint64_t> list) {
  std::string bytes(list.size() * sizeof(uint64_t), '\0');
  std::memcpy(bytes.data(), list.begin(), bytes.size());
  return bytes;
}

// A word of the segment table: one segment of this many words.
constexpr uint64_t one_segment(uint64_t size_words) {
  return size_words << 32;
}

// A pointer to a struct `offset` words after the pointer's end.
constexpr uint64_t struct_pointer(uint64_t offset, uint64_t data_words, uint64_t pointers) {
  return offset << 2 | data_words << 32 | pointers << 48;
}

// The same to a text, its closing 0 counted.
constexpr uint64_t text_pointer(uint64_t offset, uint64_t bytes) {
  return 1 | offset << 2 | 2ull << 32 | bytes << 35;
}

constexpr uint64_t kFutureMember = 40;

}  // namespace

void add_foreign_vectors(VectorSet& set) {
  set.add("unknown", [](wire::Envelope::Builder envelope) { envelope.setUnknown(); });
  // A member of the union that only a newer version has, in an envelope that has grown, too.
  set.add_raw("future_member", words({one_segment(6), struct_pointer(0, 2, 2), kFutureMember,
                                      0xfeedface, struct_pointer(1, 1, 0), 0, 0x1122334455667788}));
  // A Ping with a number and a text that version 1.0 does not have.
  set.add_raw("future_fields",
              words({one_segment(7), struct_pointer(0, 1, 1),
                     static_cast<uint64_t>(wire::Envelope::PING), struct_pointer(0, 2, 1), 77, 99,
                     text_pointer(0, sizeof "newer"), 0x000000726577656e}));
  // A Log whose level this version has no name for.
  set.add("future_enum", [](wire::Envelope::Builder envelope) {
    auto log = envelope.initLog();
    log.setLevel(static_cast<wire::LogLevel>(9));
    log.setMessage("more than an error");
  });
  // The member's pointer is null: every field has its default.
  set.add_raw("null_member", words({one_segment(3), struct_pointer(0, 1, 1),
                                    static_cast<uint64_t>(wire::Envelope::PING), 0}));
  // Two and three segments: with and without padding of the table, and far pointers.
  set.add_segmented("segments_two", 32, [](wire::Envelope::Builder envelope) {
    envelope.initGoodbye().setReason("joined by a far pointer");
  });
  set.add_segmented("segments_many", 8, [](wire::Envelope::Builder envelope) {
    auto load = envelope.initLoadStates();
    load.setJob(kJob);
    load.initStates(1).set(0, "settings");
    load.setKeyIndexes(data(u32s({0, 1, 2})));
  });
}

}  // namespace retinue::vectors
