# unzip crypt.c
# extract variable: a product gets a name
/^int decrypt_byte/,/^}/s/^( *)return \(int\)\(\(\((.*)\) >> 8\) & 0xff\);/\1temp = \2;\n\1return (int)((temp >> 8) \& 0xff);/
