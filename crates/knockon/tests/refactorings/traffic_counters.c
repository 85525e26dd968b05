// function: account
// kind: global accumulator
// witness: { unsigned short sizes[] = {1, 0, 2}; account(sizes, 3); return bytes_seen() * 100 + packets_seen(); }
// try: { unsigned short sizes[4] = {r & 3, r >> 16, r >> 32 & 1, r >> 48}; account(sizes, r >> 2 & 3); show(bytes_seen()); show(packets_seen()); }
//- old
static unsigned long bytes, packets;

unsigned long bytes_seen(void) { return bytes; }
unsigned long packets_seen(void) { return packets; }

void account(const unsigned short *sizes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (sizes[i] == 0)
            continue;
        bytes += sizes[i];
        packets++;
    }
}
//- new
static unsigned long bytes, packets;

unsigned long bytes_seen(void) { return bytes; }
unsigned long packets_seen(void) { return packets; }

void account(const unsigned short *sizes, unsigned count)
{
    unsigned long sum = bytes, seen = packets;

    for (unsigned i = 0; i < count; i++) {
        if (sizes[i] != 0) {
            sum += sizes[i];
            seen++;
        }
    }
    bytes = sum;
    packets = seen;
}
//- broken
static unsigned long bytes, packets;

unsigned long bytes_seen(void) { return bytes; }
unsigned long packets_seen(void) { return packets; }

void account(const unsigned short *sizes, unsigned count)
{
    unsigned long sum = bytes;

    for (unsigned i = 0; i < count; i++)
        sum += sizes[i];
    bytes = sum;
    packets += count;
}
