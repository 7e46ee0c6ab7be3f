"""Each kind of wrong name is found, and right ones are not."""

import unittest

from name_check import name_problems

GOOD = """\
#define RETINUE_CHECK(x) (x)
namespace retinue {
inline constexpr size_t kBytesLimit = size_t{1} << 20;
constexpr std::array kTable = {1, 2};
enum class Kind : uint8_t { kOne = 1, kTwo };
using Names = std::vector<std::string>;
struct Point {
  int x = 0;
  std::string name;
};
class [[nodiscard]] Counter final : public Base {
 public:
  explicit Counter(int start) : count_{start} {}
  ~Counter() override = default;
  Counter& operator=(const Counter&) = delete;
  int count() const { return count_; }
  bool operator==(const Counter& other) const { return count_ == other.count_; }

 private:
  struct Part {
    int plain;
  };
  static constexpr int kStart = 1;
  void helper(int value);
  Result<void> other() const;

  int count_ = 0;
  std::map<std::string, int> by_name_{{"a", 1}};
  const Names& names_;
  char buffer_[kSize];
};
struct Counter::Impl {
  Impl(int x) {}
};
Counter::Counter(Names n) {}
static int snake_case_1(int BadIsUnseen) { return 0; }
TEST_F(CounterTest, CountsUp) { EXPECT_EQ(1, 1); }
}  // namespace retinue
template <>
struct std::hash<retinue::Counter> {};
"""


class Names(unittest.TestCase):
    def problems(self, text, is_test=False):
        return [problem for _, problem in sorted(name_problems(text, is_test))]

    def test_good(self):
        self.assertEqual(self.problems(GOOD), [])

    def test_types(self):
        for text in ("struct bad_type {};", "class bad : public A {};", "enum class bad {};",
                     "using bad_type = int;"):
            with self.subTest(text):
                self.assertEqual(len(self.problems(text)), 1)

    def test_functions(self):
        self.assertEqual(self.problems("int badName() { return 0; }\nint C::BadName(int) {}\n"),
                         ["badName is a function: snake_case", "BadName is a function: snake_case"])

    def test_constants(self):
        self.assertEqual(self.problems("constexpr int LIMIT = 1;"),
                         ["LIMIT is a constant: kCamelCase"])
        self.assertEqual(self.problems("inline constexpr std::string_view limit{};"),
                         ["limit is a constant: kCamelCase"])
        self.assertEqual(self.problems("enum class E { kGood, BAD = 2 };"),
                         ["BAD is a constant: kCamelCase"])

    def test_macros(self):
        self.assertEqual(self.problems("#define bad 1\n"), ["bad is a macro: UPPER_CASE"])

    def test_members(self):
        text = "class A {\n  int f() { return 1; }\n  int bad = 0;\n protected:\n  B* worse{};\n};"
        self.assertEqual(self.problems(text), ["bad is a private member: it ends in _",
                                               "worse is a protected member: it ends in _"])
        self.assertEqual(self.problems(text, is_test=True),
                         ["bad is a private member: it ends in _"])


if __name__ == "__main__":
    unittest.main()
