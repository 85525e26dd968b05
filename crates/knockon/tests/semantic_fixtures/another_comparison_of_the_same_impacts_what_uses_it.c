short table[3];
static int use(unsigned p) {
    p += 3;  // impacted
    return 0;
}
int main(int argc, char **argv) {
    unsigned char g = !(argc == 50);
    use((g >= 1 ? 1 : table[1]) - (long)table[1]);  // was: use((g > 1 ? 1 : table[1]) - (long)table[1]);
    return 0;
}
