#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union { float f; uint32_t u; } bits;
struct flags { unsigned a : 3, b : 7; int c : 5; signed char tail[]; };
struct nested { struct { int x, y; } p[3]; void (*call)(struct nested *, int); const char *text; };
enum colour { RED = -1, GREEN = 5, BLUE };

static void visit(struct nested *n, int k) { n->p[k].x ^= n->p[(k + 1) % 3].y; }
static struct nested things[] = {
    [0] = {.p = {{1, 2}, {3}}, .call = visit, .text = "first\t\"quoted\""},
    [2] = {.call = visit, .text = "third" + 2},
};
static const double coefficients[] = {0.1, -1e300, 1.0 / 0.0, -0.0, 0x1p-1074};
static char buffer[1 << 16];
extern int missing __attribute__((weak));
static int forwarded(int) __attribute__((alias("target_of_alias")));
int target_of_alias(int x) { return x - 1; }
long double wide = 3.25L;
_Complex float unit = 1.0f + 2.0if;

uint64_t hash(const char *text, size_t length) {
  uint64_t h = 14695981039346656037ull;
  for (size_t i = 0; i < length; i++) { h ^= (unsigned char)text[i]; h *= 1099511628211ull; h = h << 13 | h >> 51; }
  return h;
}

int compare(const void *a, const void *b) {
  const struct nested *x = a, *y = b;
  return x->p[0].x < y->p[0].x ? -1 : x->p[0].x > y->p[0].x;
}

double mix(double a, float b, long double c, int i, unsigned u) {
  bits v = {.f = b};
  v.u &= 0x7fffffffu;
  double r = -a + v.f * (double)c - (double)u / (i ? i : 1);
  if (r != r || r >= 1e9) return (double)(int64_t)a;
  return r < 0 ? __builtin_fabs(r) : (double)(uint64_t)r + (float)i + creal(unit * unit);
}

__int128 huge(int64_t a, uint64_t b) { return (__int128)a * b % 1000003 - (a >> 3) + (b >> 5); }

struct flags *pack(int n, enum colour c) {
  struct flags *f = malloc(sizeof *f + (size_t)n);
  if (!f) abort();
  memset(f, 0, sizeof *f + (size_t)n);
  f->a = (unsigned)n; f->b += 3; f->c = c;
  for (int i = 0; i < n; i++) f->tail[i] = (signed char)(i % 7 ? i : ~i);
  return f;
}

int main(void) {
  volatile int sink = &missing ? missing : 0;
  struct nested copy = things[0];
  copy.call(&copy, sink & 1);
  qsort(things, 3, sizeof things[0], compare);
  struct flags *f = pack(9, GREEN);
  snprintf(buffer, sizeof buffer, "%g %Lf %llu", mix(coefficients[0], 2.5f, wide, 3, 4u), wide,
           (unsigned long long)hash("text", 4));
  int result = f->tail[3] + (int)huge(-5, 7) + forwarded(sink) + !strcmp(buffer, "x");
  free(f);
  return result;
}
