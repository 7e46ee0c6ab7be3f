#include "worker/source/record_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/json/json_row_parser.h"

namespace retinue::worker {
namespace {

class JsonRecordParser final : public RecordParser {
 public:
  explicit JsonRecordParser(const TableSchema& schema) : parser_(schema) {}

  std::optional<BadLine> parse(const std::string&, const Line& line,
                               RowBatchBuilder& rows) override {
    if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) {
      return std::nullopt;
    }
    const Result<void> parsed = parser_.parse(line.text, line.readable_bytes, rows);
    return parsed ? std::nullopt : std::optional(bad_line(parsed.error().message));
  }

 private:
  // The parser's message is "column N: what is wrong".
  static BadLine bad_line(std::string_view message) {
    static constexpr std::string_view kPrefix = "column ";
    BadLine bad;
    if (message.starts_with(kPrefix)) {
      const char* const end = message.data() + message.size();
      const auto [rest, error] = std::from_chars(message.data() + kPrefix.size(), end, bad.column);
      const std::string_view after(rest, end);
      if (error == std::errc() && after.starts_with(": ")) {
        message = after.substr(2);
      }
    }
    bad.error = message;
    return bad;
  }

  JsonRowParser parser_;
};

class TextRecordParser final : public RecordParser {
 public:
  struct Columns {
    ColumnIndex line;
    std::optional<ColumnIndex> file;
    std::optional<ColumnIndex> number;
    bool number_is_signed = false;
  };

  explicit TextRecordParser(const Columns& columns) : columns_(columns) {}

  std::optional<BadLine> parse(const std::string& path, const Line& line,
                               RowBatchBuilder& rows) override {
    rows.set_bytes(columns_.line, line.text);
    if (columns_.file) {
      rows.set_bytes(*columns_.file, path);
    }
    if (columns_.number && columns_.number_is_signed) {
      rows.set_int64(*columns_.number, static_cast<int64_t>(line.end.lines));
    } else if (columns_.number) {
      rows.set_uint64(*columns_.number, line.end.lines);
    }
    rows.finish_row();
    return std::nullopt;
  }

 private:
  const Columns columns_;
};

// The line number may be of either integer type.
Result<ColumnIndex> resolve_number(const TableSchema& schema, const std::string& name) {
  const std::optional<ColumnIndex> found = schema.find(name);
  const bool is_signed = found && schema[*found].type == ColumnType::kInt64;
  return schema.resolve(name, is_signed ? ColumnType::kInt64 : ColumnType::kUint64);
}

Result<TextRecordParser::Columns> resolve_columns(const SourceSpec& spec,
                                                  const TableSchema& schema) {
  TextRecordParser::Columns columns;
  std::vector<ColumnIndex> filled;
  RETINUE_ASSIGN(columns.line, schema.resolve(spec.line_column, ColumnType::kString));
  filled.push_back(columns.line);
  if (spec.file_column) {
    RETINUE_ASSIGN(columns.file, schema.resolve(*spec.file_column, ColumnType::kString));
    filled.push_back(*columns.file);
  }
  if (spec.line_number_column) {
    RETINUE_ASSIGN(columns.number, resolve_number(schema, *spec.line_number_column));
    columns.number_is_signed = schema[*columns.number].type == ColumnType::kInt64;
    filled.push_back(*columns.number);
  }
  for (uint32_t i = 0; i < schema.size(); ++i) {
    const Column& column = schema[ColumnIndex(i)];
    const auto times = std::count(filled.begin(), filled.end(), ColumnIndex(i));
    if (times > 1) {
      return Error{ErrorCode::kSchemaMismatch,
                   fmt::format("column \"{}\" cannot take two of the line, the file and the line "
                               "number",
                               column.name)};
    }
    if (times == 0 && column.required) {
      return Error{ErrorCode::kSchemaMismatch,
                   fmt::format("column \"{}\" is required, but a text_lines source does not fill "
                               "it; drop \"required\", or name it as the line, file or line "
                               "number column",
                               column.name)};
    }
  }
  return columns;
}

}  // namespace

Result<std::unique_ptr<RecordParser>> make_record_parser(const SourceSpec& spec,
                                                         const TableSchema& schema) {
  std::unique_ptr<RecordParser> parser;
  if (spec.type == SourceType::kJsonLines) {
    parser = std::make_unique<JsonRecordParser>(schema);
  } else {
    RETINUE_ASSIGN(const TextRecordParser::Columns columns, resolve_columns(spec, schema));
    parser = std::make_unique<TextRecordParser>(columns);
  }
  return parser;
}

}  // namespace retinue::worker
