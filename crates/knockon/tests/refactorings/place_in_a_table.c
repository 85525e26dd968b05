// function: place_of
// kind: rotated loop, loop form
// broken-by: undefined
// witness: place_of(99)
// try: { show(place_of((int)(r & 31))); }
//- old
static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

int place_of(int number)
{
    int i = 0;

    while (i < 8 && primes[i] != number)
        i++;
    return i;
}
//- new
static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

int place_of(int number)
{
    int i = 0;

    do {
        if (primes[i] == number)
            return i;
    } while (++i < 8);
    return 8;
}
//- broken
static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

int place_of(int number)
{
    int i = 0;
    int prime = primes[0];

    while (i < 8 && prime != number)
        prime = primes[++i];
    return i;
}
