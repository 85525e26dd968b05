// function: days_in_month
// kind: lookup table, switch
// witness: days_in_month(2, 2000)
// try: { show(days_in_month(r % 14, 1890 + r / 16 % 220)); show(days_in_month(2, 100 * (r % 8) + 1600)); }
//- old
int days_in_month(int month, int year)
{
    switch (month) {
    case 2:
        if (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
            return 29;
        return 28;
    case 4: case 6: case 9: case 11:
        return 30;
    case 1: case 3: case 5: case 7: case 8: case 10: case 12:
        return 31;
    default:
        return 0;
    }
}
//- new
static const signed char lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int days_in_month(int month, int year)
{
    if (month < 1 || month > 12)
        return 0;
    if (month == 2 && year % 4 == 0 && (year % 100 || year % 400 == 0))
        return 29;
    return lengths[month - 1];
}
//- broken
static const signed char lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int days_in_month(int month, int year)
{
    if (month < 1 || month > 12)
        return 0;
    if (month == 2 && year % 4 == 0 && year % 100)
        return 29;
    return lengths[month - 1];
}
