// JsonLine: a JSON text of one record, parsed on demand, and errors at places in it. Private to
// this folder.
//
// Owns: the parser's buffers, reused from line to line. Borrows: the line, if it has padding.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace retinue::worker {

class JsonLine {
 public:
  // `readable` bytes may be read from line.data() on.
  Result<void> open(std::string_view line, size_t readable);

  // Values point into this line and this object's buffers until the next open().
  simdjson::ondemand::document& document() { return document_; }
  std::string_view text() const { return text_; }

  // kInvalidRecord, "column N: what". Without a place, or with one outside the line, the nearest
  // there is.
  Error error_at(const char* where, std::string_view what) const;
  // What the parser says, at `where` or else where the parser stands.
  Error syntax_error(simdjson::error_code code, const char* where = nullptr);

 private:
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::string padded_;  // a copy of a line that has no padding
  std::string_view text_;
};

// A value as an error shows it. `token` begins at the value and may run on to the next token.
std::string describe_token(std::string_view token);

// Where a field's key begins, with its quote.
inline const char* key_start(const simdjson::ondemand::field& field) {
  return reinterpret_cast<const char*>(field.key().raw()) - 1;
}

}  // namespace retinue::worker
