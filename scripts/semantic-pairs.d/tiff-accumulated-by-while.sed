# tiff libtiff/tif_predict.c
# rotated loop: the loop tests before its body
/^static int horAcc32/,/^}/{
  s/^( *)do$/\1while (wc > 0)/
  s/\} while \(wc > 0\);/}/
}
