#include "garage.h"

#include "tariff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct visit visit;
    struct entry *next;
};

static struct entry *log_head;
static struct entry **log_tail = &log_head;
static int occupied;

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        fputs("parking: out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

int free_places(void)
{
    return PLACES - occupied;
}

struct visit *park_car(const char *plate, int now)
{
    if (free_places() == 0)
        return 0;
    struct entry *entry = allocate(sizeof *entry);
    strncpy(entry->visit.plate, plate, sizeof entry->visit.plate - 1);
    entry->visit.arrived = now;
    entry->visit.left = -1;
    *log_tail = entry;
    log_tail = &entry->next;
    occupied++;
    return &entry->visit;
}

static struct visit *find_inside(const char *plate)
{
    for (struct entry *entry = log_head; entry; entry = entry->next)
        if (entry->visit.left < 0 && strcmp(entry->visit.plate, plate) == 0)
            return &entry->visit;
    return 0;
}

int release_car(const char *plate, int now, const char *tariff_name)
{
    struct visit *visit = find_inside(plate);
    tariff fee = find_tariff(tariff_name);
    if (!visit || !fee)
        return -1;
    visit->left = now;
    visit->fee = fee(now - visit->arrived);
    occupied--;
    return visit->fee;
}

const struct visit *first_visit(void)
{
    return log_head ? &log_head->visit : 0;
}

const struct visit *next_visit(const struct visit *visit)
{
    const struct entry *entry = (const struct entry *)visit;
    return entry->next ? &entry->next->visit : 0;
}
