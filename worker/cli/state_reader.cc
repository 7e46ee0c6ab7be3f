#include "worker/cli/state_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/values/key_codec.h"
#include "protocol/yson/parser.h"
#include "worker/engine/pipeline_record.h"
#include "worker/json/json_parser.h"
#include "worker/json/json_row_writer.h"
#include "worker/json/json_writer.h"
#include "worker/state/state_value.h"
#include "worker/stream/key_extractor.h"

namespace retinue::worker {
namespace {

struct NamedState {
  StateName name;
  StateFormat format;
};

// The computation's states by their numbers, the wanted one only if one is wanted.
Result<std::map<StateNumber, NamedState>> wanted_states(const ReadStatesOptions& options,
                                                        const RecordedComputation& computation,
                                                        const Store& store) {
  if (options.state && !computation.states.contains(StateName(*options.state))) {
    std::vector<std::string> names;
    for (const auto& [name, format] : computation.states) {
      names.push_back(name.value());
    }
    return Error{ErrorCode::kNotFound,
                 fmt::format("computation \"{}\" has no state \"{}\"; it has: {}",
                             options.computation, *options.state, fmt::join(names, ", "))};
  }
  std::map<StateNumber, NamedState> states;
  for (const auto& [name, format] : computation.states) {
    if (options.state && name.value() != *options.state) {
      continue;
    }
    RETINUE_ASSIGN(
        const std::optional<uint32_t> number,
        store.find_name(NameKind::kState, fmt::format("{}/{}", options.computation, name.value())));
    if (number) {
      states.emplace(StateNumber(*number), NamedState{name, format});
    }
  }
  return states;
}

Error bad_key(const TableSchema& schema, std::string_view text, std::string_view why) {
  std::vector<std::string> columns;
  for (const Column& column : schema.columns()) {
    columns.push_back(fmt::format("{} ({})", column.name, column_type_name(column.type)));
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--key {}: {}; give a JSON list or object of the columns {}", text, why,
                           fmt::join(columns, ", "))};
}

Result<Value> key_value(const Column& column, const yson::Node& node) {
  if (node.is_entity()) {
    return Value(Null());
  }
  switch (column.type) {
    case ColumnType::kInt64:
      if (node.is_int64()) {
        return Value(node.as_int64());
      }
      break;
    case ColumnType::kUint64:
      if (node.is_uint64()) {
        return Value(node.as_uint64());
      }
      if (node.is_int64() && node.as_int64() >= 0) {
        return Value(static_cast<uint64_t>(node.as_int64()));
      }
      break;
    case ColumnType::kDouble:
      if (node.is_double()) {
        return Value(node.as_double());
      }
      if (node.is_int64()) {
        return Value(static_cast<double>(node.as_int64()));
      }
      break;
    case ColumnType::kBoolean:
      if (node.is_boolean()) {
        return Value(node.as_boolean());
      }
      break;
    case ColumnType::kString:
      if (node.is_string()) {
        return Value(node.as_string());
      }
      break;
    case ColumnType::kAny: break;
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("column \"{}\" needs {}, found {}", column.name,
                           column_type_name(column.type), yson::node_kind_name(node.kind()))};
}

Result<Row> parse_key(const TableSchema& schema, const std::string& text) {
  auto node = parse_json(text);
  if (!node || !(node->is_list() || node->is_map())) {
    if (schema.size() != 1) {
      return bad_key(schema, text, node ? "one value is not enough" : node.error().message);
    }
    if (schema[ColumnIndex(0)].type == ColumnType::kString && !(node && node->is_string())) {
      return Row{Value(text)};
    }
    if (!node) {
      return bad_key(schema, text, node.error().message);
    }
    node = yson::Node(yson::List{*node});
  }
  Row row;
  for (uint32_t i = 0; i < schema.size(); ++i) {
    const Column& column = schema[ColumnIndex(i)];
    const yson::Node* found = node->is_map()
                                  ? node->find(column.name)
                                  : (i < node->as_list().size() ? &node->as_list()[i] : nullptr);
    if (found == nullptr) {
      return bad_key(schema, text, fmt::format("column \"{}\" is missing", column.name));
    }
    auto value = key_value(column, *found);
    if (!value) {
      return bad_key(schema, text, value.error().message);
    }
    row.push_back(std::move(*value));
  }
  if ((node->is_map() ? node->as_map().size() : node->as_list().size()) != schema.size()) {
    return bad_key(schema, text, "it has too many columns");
  }
  return row;
}

// Turns rows of the store into lines.
class RowPrinter {
 public:
  RowPrinter(const TableSchema& key_schema, bool json)
      : schema_(key_schema), key_writer_(key_schema), json_(json), key_(key_schema) {}

  Result<std::string> line(const StateRow& row, const NamedState& state) {
    RETINUE_ASSIGN(const Row key, decode_key(row.key, schema_));
    key_.clear();
    RETINUE_TRY(append_row(key_, schema_, key));
    std::string key_json;
    RETINUE_TRY(key_writer_.append(key_.view(), 0, key_json));
    key_json.pop_back();  // the line feed
    std::string value;
    RETINUE_TRY(append_value(value, row.value, state.format));
    if (!json_) {
      return key_json + "\t" + state.name.value() + "\t" + value;
    }
    std::string line = "{\"key\":" + key_json + ",\"state\":";
    append_json_string(line, state.name.value());
    return line + ",\"value\":" + value + "}";
  }

 private:
  Result<void> append_value(std::string& out, std::string_view stored, StateFormat format) {
    std::string buffer;
    RETINUE_ASSIGN(const std::string_view bytes, decode_state_value(stored, buffer));
    if (format == StateFormat::kYson) {
      RETINUE_ASSIGN(const yson::Node node, yson::parse(bytes));
      append_json(out, node);
      return {};
    }
    append_json_string(out, bytes);
    return {};
  }

  const TableSchema& schema_;
  JsonRowWriter key_writer_;
  const bool json_;
  RowBatchBuilder key_;
};

Result<const RecordedComputation*> find_computation(const PipelineRecord& record,
                                                    const std::string& id) {
  const auto found = record.computations.find(ComputationId(id));
  if (found != record.computations.end()) {
    return &found->second;
  }
  std::vector<std::string> names;
  for (const auto& [name, computation] : record.computations) {
    names.push_back(name.value());
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("pipeline \"{}\" has no computation \"{}\"; it has: {}", record.name, id,
                           fmt::join(names, ", "))};
}

}  // namespace

Result<ReadStatesResult> read_states(const ReadStatesOptions& options, const Store& store,
                                     const std::function<Result<void>(std::string_view)>& print) {
  RETINUE_ASSIGN(const PipelineRecord record, load_pipeline_record(store));
  RETINUE_ASSIGN(const RecordedComputation* computation,
                 find_computation(record, options.computation));
  RETINUE_ASSIGN(const auto states, wanted_states(options, *computation, store));
  RETINUE_ASSIGN(const std::optional<uint32_t> owner,
                 store.find_name(NameKind::kComputation, options.computation));
  const TableSchema key_schema = plain_key_schema(computation->key_schema);
  ReadStatesResult result;
  if (!owner || states.empty()) {
    return result;
  }
  std::string wanted_key;
  std::string from;
  if (options.key) {
    RETINUE_ASSIGN(const Row key, parse_key(key_schema, *options.key));
    RETINUE_ASSIGN(wanted_key, stored_key(computation->key_schema, key));
    append_state_row_key(from, OwnerNumber(*owner), wanted_key, StateNumber(0));
  }
  RowPrinter printer(key_schema, options.json);
  std::optional<Error> error;
  RETINUE_TRY(store.scan_states(OwnerNumber(*owner), from, [&](const StateRow& row) {
    if (options.key && row.key != std::string_view(wanted_key).substr(sizeof(uint64_t))) {
      return false;
    }
    const auto state = states.find(row.state);
    if (state == states.end()) {
      return true;
    }
    if (!options.key && options.limit > 0 && result.rows == options.limit) {
      result.has_more = true;
      return false;
    }
    auto line = printer.line(row, state->second);
    if (!line) {
      error = std::move(line).error();
      return false;
    }
    if (auto printed = print(*line); !printed) {
      error = std::move(printed).error();
      return false;
    }
    ++result.rows;
    return true;
  }));
  if (error) {
    return std::move(*error);
  }
  return result;
}

}  // namespace retinue::worker
