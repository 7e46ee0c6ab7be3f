// Any bytes: validate() and parse() say the same; a node that was read survives being written in
// each format; a Reader that descends, skips and takes raw values agrees with both.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/check.h"
#include "protocol/yson/parser.h"
#include "protocol/yson/reader.h"
#include "protocol/yson/writer.h"

namespace retinue::yson {

namespace {

Result<void> walk(Reader& reader, unsigned choices);

Result<void> walk_entries(Reader& reader, unsigned choices) {
  for (;;) {
    RETINUE_ASSIGN(std::optional<std::string_view> key, reader.next_key());
    if (!key) {
      return {};
    }
    RETINUE_TRY(walk(reader, choices + static_cast<unsigned>(key->size())));
  }
}

Result<void> descend(Reader& reader, unsigned choices) {
  RETINUE_ASSIGN(NodeKind kind, reader.peek());
  if (kind == NodeKind::kMap) {
    RETINUE_TRY(reader.begin_map());
    return walk_entries(reader, choices);
  }
  if (kind != NodeKind::kList) {
    Result<void> refused = reader.begin_list();
    RETINUE_CHECK(!refused && refused.error().code == ErrorCode::kSchemaMismatch);
    return reader.skip_value();
  }
  RETINUE_TRY(reader.begin_list());
  for (;; ++choices) {
    RETINUE_ASSIGN(bool more, reader.next_item());
    if (!more) {
      return {};
    }
    RETINUE_TRY(walk(reader, choices));
  }
}

// Reads the next value in one of several ways.
Result<void> walk(Reader& reader, unsigned choices) {
  if (choices % 4 == 0) {
    RETINUE_ASSIGN(std::string_view raw, reader.read_raw());
    RETINUE_CHECK(validate(raw).ok(), "a raw value is a node of its own");
    return {};
  }
  if (choices % 4 == 1) {
    return reader.skip_value();
  }
  if (choices % 4 == 2) {
    RETINUE_ASSIGN(bool has_attributes, reader.begin_attributes());
    if (has_attributes) {
      RETINUE_TRY(walk_entries(reader, choices / 4));
    }
  }
  return descend(reader, choices / 4 + 1);
}

void check_same(const Result<void>& expected, const Result<void>& got) {
  RETINUE_CHECK(expected.ok() == got.ok(), "one accepts what the other refuses");
  RETINUE_CHECK(expected.ok() || expected.error().message == got.error().message);
}

void check_round_trip(const Node& node) {
  for (Format format : {Format::kBinary, Format::kText, Format::kPretty}) {
    Result<Node> again = parse(to_string(node, format));
    RETINUE_CHECK(again.ok(), "what was written is well-formed");
    RETINUE_CHECK(*again == node, "what was written reads back the same");
  }
}

void check(std::string_view bytes) {
  Result<void> valid = validate(bytes);
  Result<Node> node = parse(bytes);
  check_same(valid, node ? Result<void>() : node.error());
  if (node) {
    check_round_trip(*node);
  }
  for (unsigned choices = 0; choices < 6; ++choices) {
    Reader reader(bytes);
    Result<void> walked = walk(reader, choices);
    check_same(valid, walked ? reader.finish() : std::move(walked));
  }
}

}  // namespace

}  // namespace retinue::yson

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  retinue::yson::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
