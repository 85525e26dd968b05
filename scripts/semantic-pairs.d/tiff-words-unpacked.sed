# tiff libtiff/tif_swab.c
# local layout: both bytes are held while they are swapped
/^void TIFFSwabShort\(/,/^}/{
  s/unsigned char t;/unsigned char t, u;/
  s/^( *)t = cp\[1\];/\1t = cp[1];\n\1u = cp[0];/
  s/cp\[1\] = cp\[0\];/cp[1] = u;/
}
