# tiff libtiff/tif_aux.c
# early return: the value that fits returns first
/^tmsize_t _TIFFCastUInt64ToSSize/,/^}/s/if \(val > (\(uint64_t\)\w+)\)/if (val <= \1)\n        return (tmsize_t)val;/
