/* main.c - the objects of DS2 as a test program. SPDX-License-Identifier: MIT */
#include "harness.h"

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &ds2_suite);
}
