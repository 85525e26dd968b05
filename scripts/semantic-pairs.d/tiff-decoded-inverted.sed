# tiff libtiff/tif_predict.c
# branch inversion: the failure returns first
/^static int PredictorDecodeRow/,/^}/{
  s/if \((\(\*sp->decoderow\).*)\)$/if (!\1)\n        return 0;/
  /^    else$/{
    N
    /return 0/d
  }
}
