# tiff libtiff/tif_swab.c
# pointer walk: the step of the pointer moves to its use
/^void TIFFSwabArrayOfShort\(/,/^}/{
  s/cp = \(unsigned char \*\)wp;/cp = (unsigned char *)wp++;/
  /^ *wp\+\+;$/d
}
