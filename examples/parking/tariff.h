#ifndef TARIFF_H
#define TARIFF_H

/* Fees are in cents, times in minutes. */
typedef int (*tariff)(int minutes);

tariff find_tariff(const char *name);
int hourly(int minutes);
int flat(int minutes);
int evening(int minutes);

#endif
