// function: day_number
// kind: local layout, inline constant
// witness: day_number(20240301u)
// try: { show(day_number((unsigned)(20000000 + r % 300000))); }
//- old
static const unsigned days_a_year = 365;

unsigned day_number(unsigned date)
{
    unsigned parts[3];

    for (int i = 0; i < 2; i++) {
        parts[i] = date % 100;
        date /= 100;
    }
    parts[2] = date;
    return parts[2] * days_a_year + parts[1] * 31 + parts[0];
}
//- new
unsigned day_number(unsigned date)
{
    unsigned day = date % 100;
    unsigned month = date / 100 % 100;
    unsigned year = date / 10000;

    return year * 365 + month * 31 + day;
}
//- broken
unsigned day_number(unsigned date)
{
    unsigned day = date % 100;
    unsigned month = date / 100 % 10;
    unsigned year = date / 1000;

    return year * 365 + month * 31 + day;
}
