#include "daemon/main.h"

int main(int argc, char** argv) { return fencepost::daemon::run(argc, argv); }
