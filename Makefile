# Sennit's front door. Meson and Ninja do the work; what is missing on the machine is installed (as
# root, on Debian) or named first. B is where builds go: $(B), $(B)-asan, $(B)-clang, ...
B ?= build
PREFIX ?= /usr/local
# Meson wants a path from the root, and not every shell replaces the ~ of PREFIX=~/.local.
override PREFIX := $(abspath $(patsubst ~/%,$(HOME)/%,$(PREFIX)))
# Below the prefix. Not Meson's choice, which depends on what else is installed: on a bare Debian it
# is lib64, where nothing looks.
LIBDIR ?= lib
PLACES = --prefix=$(PREFIX) --libdir=$(LIBDIR)
MINUTES ?= 10
MAKEFLAGS += --no-print-directory
export B PREFIX LIBDIR

.PHONY: all demo test bench soak asan cover lint format install uninstall clean

all:
	@tools/deps.sh build
	@tools/compile.sh $(B) $(PLACES)

demo: all
	@tools/demo.sh $(B)

test:
	@tools/deps.sh build test
	@tools/test.sh

bench: all
	@tools/bench.sh $(B)

# Everything again and again for MINUTES, stopping at the first failure: finds what fails sometimes.
# Once takes more than an hour on two processors, whatever MINUTES says.
soak: all
	@tools/compile.sh $(B)-asan $$(tools/flags.sh asan)
	@tools/run_tests --repeat-for $(MINUTES) $(B):-tools $(B)-asan:-tools:3

asan:
	@tools/deps.sh build
	@tools/compile.sh $(B)-asan $$(tools/flags.sh asan)
	@tools/run_tests $(B)-asan:-tools,-soak:3

cover:
	@tools/deps.sh build
	@tools/compile.sh $(B)-cover -Db_coverage=true
	@tools/cover $(B)-cover

lint: all
	@tools/deps.sh test
	@tools/tidy --build $(B)

format:
	@tools/format.sh

# Builds what is installed and no more. Into a DESTDIR nothing is made known to the system.
install:
	@tools/deps.sh install
	@DESTDIR=$(abspath $(DESTDIR)) tools/install.sh $(B) $(PREFIX) $(LIBDIR)

uninstall:
	@ninja -C $(B) --quiet uninstall >/dev/null

clean:
	@rm -rf $(B) $(B)-*
