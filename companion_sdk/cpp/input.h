// The inputs of a function: Message, Timer and Visit.
//
// They are views of the batch: cheap to make and copy, and valid, like every string_view they give,
// until the handler of the batch returns. Take columns by ColumnIndex, resolved once in init;
// taking them by name looks the name up every time. Threads: any, while the batch is processed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "companion_sdk/core/batch_view.h"
#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"
#include "protocol/values/value.h"
#include "protocol/yson/node.h"

namespace retinue::companion {

// One typed cell of a row. The type T asked for: int64_t, uint64_t, double and bool for those
// columns; std::string_view and std::string for string and any (its YSON); yson::Node for any;
// std::optional of these where the value may be null.
// Throws SchemaError naming `table` and column: another type, null without optional, no such
// column.
class Cell {
 public:
  // `table` is for errors: stream "words".
  Cell(const TableSchema& schema, const RowBatchView& rows, uint32_t row, std::string_view table,
       ColumnIndex column)
      : schema_(schema), rows_(rows), row_(row), table_(table), column_(column) {}

  bool is_null() const;
  template <typename T>
  T as() const {
    T value{};
    read(value);
    return value;
  }

 private:
  const ColumnView& open(ColumnType type) const;
  void read(int64_t& value) const { value = open(ColumnType::kInt64).int64_at(row_); }
  void read(uint64_t& value) const { value = open(ColumnType::kUint64).uint64_at(row_); }
  void read(double& value) const { value = open(ColumnType::kDouble).double_at(row_); }
  void read(bool& value) const { value = open(ColumnType::kBoolean).boolean_at(row_); }
  void read(std::string_view& value) const;
  void read(std::string& value) const;
  void read(yson::Node& value) const;
  template <typename T>
  void read(std::optional<T>& value) const {
    if (!is_null()) {
      read(value.emplace());
    }
  }

  const TableSchema& schema_;
  const RowBatchView& rows_;
  uint32_t row_;
  std::string_view table_;
  ColumnIndex column_;
};

// Throws SchemaError naming the columns there are.
ColumnIndex find_column(const TableSchema& schema, std::string_view table, std::string_view name);

// What every input has: a key, a place in the batch's order, an event time.
class Input {
 public:
  Input(const BatchView& batch, OrderPosition order) : batch_(&batch), order_(order) {}

  const std::string& stream() const { return stream_spec().name; }
  OrderPosition order() const { return order_; }
  Timestamp event_timestamp() const { return batch_->event_timestamp(order_); }

  // The key's place among the keys of the batch: equal for inputs of the same key.
  KeyIndex key_index() const { return batch_->key_index(order_); }
  template <typename T>
  T key(ColumnIndex column) const {
    return key_cell(column).as<T>();
  }
  template <typename T>
  T key(std::string_view column) const {
    return key<T>(find_column(batch_->job().key_schema, "key", column));
  }
  // The whole key, copied.
  Row key_row() const { return row_at(batch_->keys(), key_index().value()); }

 protected:
  const StreamSpec& stream_spec() const { return batch_->job().stream(batch_->stream(order_)); }
  const InputRef& ref() const { return batch_->inputs()[order_.value()]; }
  Cell key_cell(ColumnIndex column) const {
    return Cell(batch_->job().key_schema, batch_->keys(), key_index().value(), "key", column);
  }

  const BatchView* batch_;
  OrderPosition order_;
};

class Message : public Input {
 public:
  // Precondition: the input at `order` is a message.
  Message(const BatchView& batch, OrderPosition order)
      : Input(batch, order), group_(&batch.messages()[ref().group]), row_(ref().row) {}

  template <typename T>
  T get(ColumnIndex column) const {
    return cell(column).as<T>();
  }
  template <typename T>
  T get(std::string_view column) const {
    return get<T>(find_column(schema(), stream(), column));
  }
  bool is_null(ColumnIndex column) const { return cell(column).is_null(); }

  MessageId id() const { return group_->id(row_); }
  // When the message was emitted, or read from its source.
  Timestamp system_timestamp() const { return group_->system_timestamp(row_); }
  // Behind the watermark when it arrived.
  bool is_late() const { return group_->is_late(row_); }
  const TableSchema& schema() const { return batch_->job().stream(group_->stream).schema; }
  // The whole payload, copied.
  Row row() const { return row_at(group_->rows, row_); }

 private:
  Cell cell(ColumnIndex column) const {
    const StreamSpec& spec = batch_->job().stream(group_->stream);
    return Cell(spec.schema, group_->rows, row_, spec.name, column);
  }

  const MessageGroupView* group_;
  uint32_t row_;
};

class Timer : public Input {
 public:
  // Precondition: the input at `order` is a timer.
  using Input::Input;

  Timestamp trigger() const { return Timestamp(batch_->timers()[ref().group].triggers[ref().row]); }
};

class Visit : public Input {
 public:
  // Precondition: the input at `order` is a visit.
  using Input::Input;

  // Which pass over all keys this visit belongs to.
  uint64_t pass() const { return batch_->visits()[ref().group].pass; }
};

}  // namespace retinue::companion
