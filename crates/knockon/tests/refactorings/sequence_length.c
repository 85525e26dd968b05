// function: sequence_length
// kind: De Morgan, lookup table
// witness: sequence_length(0xf8)
// try: { show(sequence_length((unsigned char)r)); }
//- old
int sequence_length(unsigned char lead)
{
    if (!(lead & 0x80))
        return 1;
    if (!(lead >= 0xc2 && lead <= 0xf4))
        return 0;
    if (lead < 0xe0)
        return 2;
    return lead < 0xf0 ? 3 : 4;
}
//- new
static const unsigned char lengths[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};

int sequence_length(unsigned char lead)
{
    if (lead > 0x7f && (lead < 0xc2 || lead > 0xf4))
        return 0;
    return lengths[lead >> 4];
}
//- broken
static const unsigned char lengths[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};

int sequence_length(unsigned char lead)
{
    if (lead > 0x7f && lead < 0xc2)
        return 0;
    return lengths[lead >> 4];
}
