#include "report.h"

#include "garage.h"

#include <stdio.h>

int total_revenue(void)
{
    int cents = 0;
    for (const struct visit *visit = first_visit(); visit; visit = next_visit(visit))
        if (visit->left >= 0)
            cents += visit->fee;
    return cents;
}

static void print_money(int cents)
{
    printf("%d.%02d", cents / 100, cents % 100);
}

void print_report(void)
{
    for (const struct visit *visit = first_visit(); visit; visit = next_visit(visit)) {
        printf("%-11s %4d ", visit->plate, visit->arrived);
        if (visit->left < 0) {
            puts("inside");
        } else {
            printf("%4d ", visit->left);
            print_money(visit->fee);
            putchar('\n');
        }
    }
    printf("free places: %d\ntotal: ", free_places());
    print_money(total_revenue());
    putchar('\n');
}
