#include "tariff.h"

#include <string.h>

#define CENTS_PER_HOUR 250
#define DAY_MAXIMUM 1800

static int started_hours(int minutes)
{
    return (minutes + 29) / 30;
}

static int at_most(int fee, int maximum)
{
    return fee > maximum ? maximum : fee;
}

int hourly(int minutes)
{
    return at_most(started_hours(minutes) * CENTS_PER_HOUR, DAY_MAXIMUM);
}

int flat(int minutes)
{
    (void)minutes;
    return 900;
}

int evening(int minutes)
{
    if (minutes < 30)
        return 0;
    return hourly(minutes) / 2;
}

static const struct {
    const char *name;
    tariff fee;
} tariffs[] = {
    {"hourly", hourly},
    {"flat", flat},
    {"evening", evening},
};

tariff find_tariff(const char *name)
{
    for (unsigned i = 0; i < sizeof tariffs / sizeof tariffs[0]; i++)
        if (strcmp(tariffs[i].name, name) == 0)
            return tariffs[i].fee;
    return 0;
}
