#ifndef GARAGE_H
#define GARAGE_H

#define PLACES 8

struct visit {
    char plate[12];
    int arrived;
    int left; /* -1 while the car is inside */
    int fee;
};

/* Returns the visit, or 0 when the garage is full. */
struct visit *park_car(const char *plate, int now);
/* Returns the fee, or -1 when no such car is inside. */
int release_car(const char *plate, int now, const char *tariff_name);
int free_places(void);
const struct visit *first_visit(void);
const struct visit *next_visit(const struct visit *visit);

#endif
