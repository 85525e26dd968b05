# tiff libtiff/tif_aux.c
# nested conditions: one condition becomes two
/^uint32_t _TIFFMultiply32/,/^}/s/if \(second && (.*)\)$/if (second != 0)\n    if (\1)/
