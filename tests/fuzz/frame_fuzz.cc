// Any bytes: FrameReader cuts the same frames in whatever steps they arrive; every field of every
// frame can be read, its row batches, schemas and errors opened, and what they say is in bounds.
// Seeds: protocol/vectors.
#include <capnp/dynamic.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/guard.h"
#include "protocol/frame/wire_values.h"

namespace retinue {

namespace {

constexpr size_t kFrameBytesLimit = size_t{1} << 20;

// Keeps what was read from being optimised away.
volatile uint64_t sink;

void touch(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  for (uint8_t byte : bytes) {
    sum += byte;
  }
  sink = sum;
}

void touch(std::string_view text) {
  touch({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

void walk_rows(const RowBatchView& rows) {
  // More rows than bytes may be announced: a batch without columns. What is read is bounded.
  uint32_t count = rows.column_count() == 0 ? 0 : rows.row_count();
  uint64_t sum = rows.byte_size();
  for (const ColumnView& column : rows.columns()) {
    for (uint32_t row = 0; row < count; ++row) {
      switch (column.type()) {
        case ColumnType::kInt64:
        case ColumnType::kUint64:
        case ColumnType::kDouble: sum += column.uint64_at(row); break;
        case ColumnType::kBoolean: sum += column.boolean_at(row) ? 1 : 0; break;
        case ColumnType::kString:
        case ColumnType::kAny: touch(column.bytes_at(row)); break;
      }
      sum += column.is_null(row) ? 1 : 0;
    }
  }
  sink = sum;
}

void walk_numbers(capnp::Data::Reader data) {
  touch({data.begin(), data.size()});
  uint32_t count = static_cast<uint32_t>(data.size() / sizeof(uint32_t));
  if (Result<std::span<const uint32_t>> numbers = read_u32(data, count, "numbers")) {
    sink = numbers->empty() ? 0 : numbers->back();
  }
  if (Result<std::span<const int64_t>> numbers = read_i64(data, count / 2, "numbers")) {
    sink = numbers->empty() ? 0 : static_cast<uint64_t>(numbers->back());
  }
}

void open_typed(capnp::DynamicStruct::Reader in) {
  capnp::StructSchema schema = in.getSchema();
  if (schema == capnp::Schema::from<wire::RowBatch>()) {
    if (Result<RowBatchView> rows = read_rows(in.as<wire::RowBatch>())) {
      walk_rows(*rows);
    }
  } else if (schema == capnp::Schema::from<wire::InternalStates>()) {
    auto values = in.as<wire::InternalStates>().getValues();
    uint32_t rows = static_cast<uint32_t>(values.getOffsets().size() / sizeof(uint32_t));
    if (Result<RowBatchView> column = read_column(values, rows == 0 ? 0 : rows - 1)) {
      walk_rows(*column);
    }
  } else if (schema == capnp::Schema::from<wire::Schema>()) {
    if (Result<TableSchema> table = read_schema(in.as<wire::Schema>())) {
      RETINUE_CHECK(table->size() <= limits::kColumnsLimit);
    }
  } else if (schema == capnp::Schema::from<wire::ErrorInfo>()) {
    Error error = read_error(in.as<wire::ErrorInfo>());
    RETINUE_CHECK(error.message.size() < 3 * limits::kErrorTextBytesLimit);
  }
}

void walk(capnp::DynamicValue::Reader value) {
  switch (value.getType()) {
    case capnp::DynamicValue::TEXT: {
      capnp::Text::Reader text = value.as<capnp::Text>();
      touch(as_view(text));
      break;
    }
    case capnp::DynamicValue::DATA: walk_numbers(value.as<capnp::Data>()); break;
    case capnp::DynamicValue::LIST:
      for (capnp::DynamicValue::Reader element : value.as<capnp::DynamicList>()) {
        walk(element);
      }
      break;
    case capnp::DynamicValue::STRUCT: {
      auto in = value.as<capnp::DynamicStruct>();
      open_typed(in);
      KJ_IF_MAYBE (member, in.which()) {
        walk(in.get(*member));
      }
      for (capnp::StructSchema::Field field : in.getSchema().getNonUnionFields()) {
        walk(in.get(field));
      }
      break;
    }
    default: break;
  }
}

struct Outcome {
  std::vector<size_t> frames;
  bool ok = true;
  ErrorCode code = ErrorCode::kInternal;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome feed(std::span<const uint8_t> bytes, size_t step, bool walks) {
  FrameReader reader(kFrameBytesLimit);
  Outcome outcome;
  while (outcome.ok && !bytes.empty()) {
    std::span<std::byte> space = reader.prepare();
    size_t count = std::min({step, space.size(), bytes.size()});
    RETINUE_CHECK(count != 0);
    std::memcpy(space.data(), bytes.data(), count);
    bytes = bytes.subspan(count);
    if (Result<void> result = reader.commit(count); !result) {
      outcome.ok = false;
      outcome.code = result.error().code;
    }
    while (std::optional<Frame> frame = reader.next()) {
      RETINUE_CHECK(frame->byte_size() <= kFrameBytesLimit);
      outcome.frames.push_back(frame->byte_size());
      if (walks) {
        (void)decode_guarded([&]() -> Result<void> {
          walk(capnp::DynamicStruct::Reader(frame->envelope()));
          return {};
        });
      }
    }
  }
  return outcome;
}

}  // namespace

}  // namespace retinue

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  retinue::Outcome whole = retinue::feed(bytes, SIZE_MAX, true);
  for (size_t step : {size_t{1}, 2 + size % 97}) {
    retinue::Outcome stepped = retinue::feed(bytes, step, false);
    RETINUE_CHECK(whole == stepped, "the frames depend on the steps in which they arrive");
  }
  return 0;
}
