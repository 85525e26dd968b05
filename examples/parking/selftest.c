#include "tariff.h"

#include <assert.h>
#include <stdio.h>

int main(void)
{
    assert(hourly(0) == 0);
    assert(hourly(1) == 250);
    assert(hourly(61) == 500);
    assert(hourly(24 * 60) == 1800);
    assert(flat(10) == 900);
    assert(evening(30) == 0);
    assert(evening(61) == 250);
    assert(find_tariff("flat") == flat);
    assert(!find_tariff("weekly"));
    puts("ok");
    return 0;
}
