# jq src/jv.c
# switch: two kinds with one name leave the switch
/^const char\* jv_kind_name/,/^}/{
  s/^( *)switch \(k\) \{/\1if (k == JV_KIND_FALSE || k == JV_KIND_TRUE) return "boolean";\n&/
  s/^( *case JV_KIND_(FALSE|TRUE):).*/\1 break;/
}
