# tiff libtiff/tif_packbits.c
# conditional expression: the smaller size is chosen by an operator
/^static int PackBitsEncodeChunk/,/^}/{
  s/tmsize_t chunk = rowsize;/tmsize_t chunk = cc < rowsize ? cc : rowsize;/
  /if \(cc < chunk\)/{
    N
    d
  }
}
