"""What is over a limit is found, what is at it is not; functions however they are written."""

import textwrap
import unittest

import cpp
import size_checks
from tree import Tree


def heads(text):
    return [(f.head, f.first_line, f.last_line) for f in cpp.functions(textwrap.dedent(text))]


class Functions(unittest.TestCase):
    def test_in_namespaces_and_classes(self):
        self.assertEqual(heads("""\
            namespace a::b {
            namespace {
            int f(int x) {
              if (x) { return 1; }
              return 2;
            }
            }  // namespace
            class [[nodiscard]] C : public D<int(int)> {
             public:
              C() : x_{1}, y_(2) {
                g();
              }
              int get() const { return x_; }

             private:
              int x_{0};
              std::vector<int> list_ = {1, 2};
            };
            }
            """), [("int f(int x)", 3, 6), ("C() : x_", 10, 12), ("int get() const", 13, 13)])

    def test_templates_and_attributes(self):
        self.assertEqual(heads("""\
            template <class T, class U = std::vector<T>>
            [[nodiscard]] static auto
            f(T t) -> decltype(t) {
            }
            template <class T>
            struct S {
              void m() {}
            };
            """), [("template <class T, class U = std::vector<T>> [[nodiscard]] static auto "
                    "f(T t) -> decltype(t)", 1, 4), ("void m()", 7, 7)])

    def test_braces_in_strings_comments_and_literals(self):
        self.assertEqual(heads("""\
            void f() {
              // }
              /* } */
              g("}", '}', R"x(})x", 1'000);
            }
            #define M(x) \\
              void x() {
            void g() {
            }
            """), [("void f()", 1, 5), ("void g()", 8, 9)])

    def test_tables_are_no_functions(self):
        self.assertEqual(heads("""\
            constexpr std::array kTable = {
                Entry{f(1), 2},
            };
            INSTANTIATE_TEST_SUITE_P(All, Bad, testing::Values(
                Bad{1},
                Bad{2}));
            enum class E : uint8_t { kA };
            """), [])

    def test_braces_among_the_parameters(self):
        self.assertEqual(heads("""\
            void f(Options options = {}) {
              g();
            }
            """), [("void f(Options options =", 1, 3)])

    def test_lambdas_belong_to_their_function(self):
        self.assertEqual(heads("""\
            TEST(A, B) {
              const auto f = [](int x) {
                return x;
              };
            }
            """), [("TEST(A, B)", 1, 5)])


class Sizes(unittest.TestCase):
    def count(self, check, path, text):
        return len(check(Tree.of_texts({path: text})))

    def test_function_length(self):
        def function(lines):
            return "namespace n {\nvoid f() {\n" + "  g();\n" * (lines - 2) + "}\n}\n"
        tree = Tree.of_texts({"a/b.cc": function(71)})
        self.assertEqual(size_checks.check_function_length(tree),
                         ["a/b.cc:2: 71 lines, 70 are allowed: void f()"])
        self.assertEqual(self.count(size_checks.check_function_length, "a/b.cc", function(70)), 0)

    def test_file_length(self):
        for path in ("a/b.h", "a/b.cc", "tests/run.sh", "a/CMakeLists.txt", ".ci/run", "a/b.py"):
            self.assertEqual(self.count(size_checks.check_file_length, path, "x\n" * 401), 1, path)
            self.assertEqual(self.count(size_checks.check_file_length, path, "x\n" * 400), 0, path)
        self.assertEqual(self.count(size_checks.check_file_length, "docs/a.md", "x\n" * 401), 0)

    def test_line_length(self):
        over, at = "x " * 50 + "x\n", "x " * 49 + "xx\n"
        self.assertEqual(size_checks.check_line_length(Tree.of_texts({"a/b.h": "\n" + over})),
                         ["a/b.h:2: 101 characters, 100 are allowed"])
        self.assertEqual(self.count(size_checks.check_line_length, "a/b.h", at), 0)
        self.assertEqual(self.count(size_checks.check_line_length, "a/b.md", over), 0)
        self.assertEqual(self.count(size_checks.check_line_length, "a/b.h", "ä " * 49 + "\n"), 0)
        self.assertEqual(
            self.count(size_checks.check_line_length, "a/b.h", "// https://" + "x" * 100), 0)

    def test_file_size(self):
        limit = 1 << 20
        self.assertEqual(self.count(size_checks.check_file_size, "a/data", "x" * limit), 0)
        self.assertEqual(self.count(size_checks.check_file_size, "a/data", "x" * (limit + 1)), 1)


if __name__ == "__main__":
    unittest.main()
