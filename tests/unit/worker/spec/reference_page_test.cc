// docs/reference/spec.md has every field that the loader knows, and its examples load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "worker/spec/spec_fields.h"
#include "worker/spec/spec_loader.h"

namespace retinue::worker {
namespace {

std::string reference_page() {
  const char* const root = std::getenv("RETINUE_SOURCE_DIR");
  std::ifstream page(std::string(root == nullptr ? "." : root) + "/docs/reference/spec.md");
  EXPECT_TRUE(page.good()) << "run under ctest, or set RETINUE_SOURCE_DIR";
  return {std::istreambuf_iterator<char>(page), {}};
}

// From the heading's line to the next heading; empty if there is none.
std::string_view section(std::string_view page, std::string_view title) {
  const size_t start = page.find("\n## " + std::string(title) + "\n");
  if (start == std::string_view::npos) {
    return {};
  }
  return page.substr(start, page.find("\n## ", start + 1) - start);
}

TEST(ReferencePage, HasEveryFieldInItsSection) {
  const std::string page = reference_page();
  const std::string_view not_yet = section(page, "Not supported yet");
  EXPECT_FALSE(not_yet.empty());
  for (const ObjectFields* const fields : all_spec_fields()) {
    std::string title(fields->object);
    title[0] = static_cast<char>(std::toupper(title[0]));
    const std::string_view text = section(page, title);
    EXPECT_FALSE(text.empty()) << "no section " << title;
    for (const std::string_view name : fields->known) {
      const std::string row = "\n| `" + std::string(name) + "` | ";
      EXPECT_NE(text.find(row), std::string_view::npos) << title << ": " << name;
    }
    for (const std::string_view name : fields->not_yet) {
      const std::string item = "`" + std::string(name) + "`";
      EXPECT_NE(not_yet.find(item), std::string_view::npos) << title << ": " << name;
    }
  }
}

TEST(ReferencePage, ItsSpecsLoad) {
  const std::string page = reference_page();
  int specs = 0;
  for (const auto& [fence, format] :
       {std::pair("```json\n", SpecFormat::kJson), std::pair("```yson\n", SpecFormat::kYson)}) {
    const std::string_view opening = fence;
    for (size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at)) {
      at += opening.size();
      const auto spec =
          load_spec_text(std::string_view(page).substr(at, page.find("```", at) - at), format, ".");
      EXPECT_TRUE(spec.ok()) << (spec ? "" : spec.error().message);
      ++specs;
    }
  }
  EXPECT_EQ(specs, 2);
}

}  // namespace
}  // namespace retinue::worker
