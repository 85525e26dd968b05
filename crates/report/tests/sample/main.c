/* A parking garage: reads events from standard input, one a line,
 *     in PLATE MINUTE
 *     out PLATE MINUTE TARIFF
 * and prints what each visit cost. */
#include "garage.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

static int handle(const char *line)
{
    char event[8], plate[12], tariff_name[12];
    int minute;
    int fields = sscanf(line, "%7s %11s %d %11s", event, plate, &minute, tariff_name);
    if (fields == 3 && strcmp(event, "in") == 0)
        return park_car(plate, minute) != 0;
    if (fields == 4 && strcmp(event, "out") == 0)
        return release_car(plate, minute, tariff_name) >= 0;
    return 0;
}

int main(void)
{
    char line[128];
    int number = 0, refused = 0;
    while (fgets(line, sizeof line, stdin)) {
        number++;
        if (!handle(line)) {
            printf("line %d refused\n", number);
            refused++;
        }
    }
    print_report();
    return refused > 0;
}
