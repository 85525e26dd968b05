#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shapes {
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual void scale(double) {}
};
struct Named { std::string name; virtual const char *label() const { return name.c_str(); } };
struct Square final : Shape, virtual Named {
  explicit Square(double s) : side(s) { name = "square"; }
  double area() const override { return side * side; }
  void scale(double k) override { side *= k; }
  double side;
};
template <int N, typename... Ts> struct Pack { static constexpr int size = N + sizeof...(Ts); };
}  // namespace shapes

static std::map<std::string, int> counts = {{"one", 1}, {"two", 2}};
thread_local std::vector<int> scratch;

template <typename F> auto guarded(F &&f) -> decltype(f()) {
  try { return f(); }
  catch (const std::out_of_range &e) { counts[e.what()]++; throw; }
  catch (const std::exception &) { return {}; }
  catch (...) { std::terminate(); }
}

int nothrow(int x) noexcept { if (x > 3) throw x; return x; }

int main(int argc, char **argv) {
  std::vector<std::unique_ptr<shapes::Shape>> all;
  for (int i = 0; i < argc; ++i) all.push_back(std::make_unique<shapes::Square>(i));
  std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a->area() < b->area(); });
  double (shapes::Shape::*member)() const = &shapes::Shape::area;
  double total = 0;
  for (auto &shape : all) {
    total += (shape.get()->*member)();
    if (auto *named = dynamic_cast<shapes::Named *>(shape.get())) std::puts(named->label());
  }
  int result = guarded([&] { return counts.at(argv[0]) + scratch.at(static_cast<std::size_t>(argc)); });
  switch (argc) { case 1: [[fallthrough]]; case 2: result += shapes::Pack<3, int, char>::size; break; default: result = nothrow(result); }
  return result + static_cast<int>(total);
}
