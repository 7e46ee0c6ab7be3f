#include "worker/spec/expression.h"

#include <fmt/format.h>

#include "worker/json/error_text.h"
#include "worker/spec/names.h"

namespace retinue::worker {
namespace {

constexpr std::string_view kFunction = "farm_hash";

// Takes tokens off the front of the text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::string_view name() {
    skip_blanks();
    size_t size = 0;
    while (size < rest_.size() && is_name_character(rest_[size])) {
      ++size;
    }
    const std::string_view name = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return name;
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    const size_t blanks = rest_.find_first_not_of(" \t\n\r");
    rest_.remove_prefix(blanks == std::string_view::npos ? rest_.size() : blanks);
  }

  std::string_view rest_;
};

}  // namespace

Result<HashExpression> parse_hash_expression(std::string_view text) {
  const auto bad = [&] {
    return Error{ErrorCode::kInvalidSpec,
                 fmt::format("expected farm_hash(column, …), found {}", quote_text(text))};
  };
  Scanner scanner(text);
  if (scanner.name() != kFunction || !scanner.take('(')) {
    return bad();
  }
  HashExpression expression;
  do {
    const std::string_view column = scanner.name();
    if (column.empty()) {
      return bad();
    }
    expression.columns.emplace_back(column);
  } while (scanner.take(','));
  if (!scanner.take(')') || !scanner.at_end()) {
    return bad();
  }
  return expression;
}

}  // namespace retinue::worker
