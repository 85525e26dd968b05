#include <stdarg.h>
#include <setjmp.h>
#include <stdatomic.h>
typedef struct node { struct node *next; int value; double w; char name[12]; } node;
struct big { long a[8]; };
static int table[4] = {1, 2, 3, -4};
const char *names[] = {"alpha", "be\"ta\n", 0};
static node pool[2] = {{0, 1, 1.5, "x"}, {&pool[0], 2, -0.25, "y"}};
int (*handler)(int);
_Thread_local unsigned counter;
static jmp_buf env;
atomic_int shared;
long double ld = 1.5L;
__attribute__((constructor)) static void start(void) { counter = 1; }
__attribute__((noinline)) static int sum(int n, ...) {
  va_list ap; int s = 0; va_start(ap, n);
  for (int i = 0; i < n; i++) s += va_arg(ap, int);
  va_end(ap); return s;
}
struct big make(struct big b, int k) { b.a[k & 7] = k; return b; }
int classify(int c, node *p) {
  static int calls; calls++;
  switch (c) { case 'a': case 'b': return 1; case -3: return p ? p->value : 0; default: break; }
  while (p && p->next) { if (p->value > 10 || p->w < 0.5) break; p = p->next; }
  goto *(&&out + 0 * c);
out:
  return table[c & 3] + (int)(p ? p->w * 2.0 : 0.0);
}
typedef float v4 __attribute__((vector_size(16)));
v4 scale(v4 a, float f) { v4 r = a * f; r[1] = f; return r; }
int main(int argc, char **argv) {
  struct big b = {{0}}; __asm__ volatile("nop" ::: "memory");
  if (setjmp(env)) return 2;
  atomic_fetch_add(&shared, 1); int e = 1; atomic_compare_exchange_strong(&shared, &e, 5);
  unsigned __int128 w = (unsigned __int128)argc << 70; char vla[argc + 1]; vla[0] = (char)(w >> 64);
  b = make(b, argc); handler = argc > 1 ? 0 : (int (*)(int))sum;
  int r = handler ? handler(3) : sum(2, argc, vla[0]);
  if (r == 7) longjmp(env, 1);
  return classify(argv[0][0], &pool[1]) + (int)b.a[1] + (names[0] != 0);
}
