#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/json/error_text.h"
#include "worker/spec/part_check.h"

namespace retinue::worker {
namespace {

std::vector<std::string_view> column_names(const TableSchema& schema) {
  std::vector<std::string_view> names;
  for (const Column& column : schema.columns()) {
    names.push_back(column.name);
  }
  return names;
}

std::string no_column(const StreamId& stream, const TableSchema& schema, std::string_view name) {
  return fmt::format("the stream {} has no column {}{}", quote_text(stream.value()),
                     quote_text(name), did_you_mean(name, column_names(schema)));
}

// nullptr for a stream that does not exist or has problems of its own.
const TableSchema* find_schema(const PipelineSpec& spec, const StreamId& id) {
  const auto stream = spec.streams.find(id);
  return stream == spec.streams.end() || stream->second.schema.size() == 0 ? nullptr
                                                                           : &stream->second.schema;
}

void check_group_by(const PipelineSpec& spec, const std::string& id,
                    const ComputationSpec& computation, Problems& problems) {
  const auto key_columns = computation.group_by_schema.columns();
  for (const StreamId& input : computation.input_stream_ids) {
    const TableSchema* const schema = find_schema(spec, input);
    for (size_t i = 0; schema != nullptr && i < key_columns.size(); ++i) {
      const Column& key = key_columns[i];
      if (!key.expression.empty() || problems.count() >= Problems::kLimit) {
        continue;
      }
      const std::string path = child_path(part_path("computations", id, "group_by_schema"), i);
      const auto column = schema->find(key.name);
      if (!column) {
        problems.add(child_path(path, "name"), no_column(input, *schema, key.name));
      } else if ((*schema)[*column].type != key.type) {
        problems.add(
            child_path(path, "type"),
            fmt::format("expected {}, the type of {} in the stream {}, found {}",
                        quote_text(column_type_name((*schema)[*column].type)), quote_text(key.name),
                        quote_text(input.value()), quote_text(column_type_name(key.type))));
      }
    }
  }
}

// A text_lines source: the columns it fills exist, and there are no others.
class LineColumnsCheck {
 public:
  LineColumnsCheck(const std::string& id, const StreamId& stream, const TableSchema& schema,
                   Problems& problems)
      : source_path_(part_path("computations", id, "source")),
        stream_(stream),
        schema_(schema),
        problems_(problems),
        filled_by_(schema.size()) {}

  void check(std::string_view field, std::string_view name, std::vector<ColumnType> types) {
    const std::string path = child_path(source_path_, field);
    const auto column = schema_.find(name);
    if (!column) {
      problems_.add(path, no_column(stream_, schema_, name));
      return;
    }
    std::string_view& filled_by = filled_by_[column->value()];
    if (!filled_by.empty()) {
      problems_.add(path, fmt::format("expected another column than {}, found {}", filled_by,
                                      quote_text(name)));
      return;
    }
    filled_by = field;
    const ColumnType type = schema_[*column].type;
    std::string wanted;
    for (const ColumnType candidate : types) {
      if (candidate == type) {
        return;
      }
      wanted += wanted.empty() ? "" : " or ";
      wanted += column_type_name(candidate);
    }
    problems_.add(path, fmt::format("expected a column of type {}, found {} of type {}", wanted,
                                    quote_text(name), column_type_name(type)));
  }

  void check_rest() {
    for (size_t i = 0; i < filled_by_.size(); ++i) {
      if (filled_by_[i].empty()) {
        problems_.add(child_path(child_path(child_path("/streams", stream_.value()), "schema"), i),
                      "expected only columns that the text_lines source fills: its line_column, "
                      "file_column and line_number_column");
      }
    }
  }

 private:
  const std::string source_path_;
  const StreamId& stream_;
  const TableSchema& schema_;
  Problems& problems_;
  std::vector<std::string_view> filled_by_;  // per column, the source's field that names it
};

void check_source(const PipelineSpec& spec, const std::string& id,
                  const ComputationSpec& computation, Problems& problems) {
  if (!computation.source || !computation.source_stream_id ||
      computation.source->type != SourceType::kTextLines) {
    return;
  }
  const TableSchema* const schema = find_schema(spec, *computation.source_stream_id);
  if (schema == nullptr) {
    return;
  }
  const size_t problems_before = problems.count();
  LineColumnsCheck columns(id, *computation.source_stream_id, *schema, problems);
  const SourceSpec& source = *computation.source;
  columns.check("line_column", source.line_column, {ColumnType::kString});
  if (source.file_column) {
    columns.check("file_column", *source.file_column, {ColumnType::kString});
  }
  if (source.line_number_column) {
    columns.check("line_number_column", *source.line_number_column,
                  {ColumnType::kInt64, ColumnType::kUint64});
  }
  // A misspelt column would be told twice.
  if (problems.count() == problems_before) {
    columns.check_rest();
  }
}

}  // namespace

void check_schemas(const PipelineSpec& spec, Problems& problems) {
  for (const auto& [id, computation] : spec.computations) {
    check_group_by(spec, id.value(), computation, problems);
    check_source(spec, id.value(), computation, problems);
  }
}

}  // namespace retinue::worker
