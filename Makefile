# Sennit's front door. Meson and Ninja do the work; what is missing on the machine is installed (as
# root, on Debian) or named first. B is where builds go: $(B), $(B)-asan, $(B)-clang, ...
B ?= build
PREFIX ?= /usr/local
MINUTES ?= 10
MAKEFLAGS += --no-print-directory
export B PREFIX

.PHONY: all demo test bench soak asan cover lint format install clean

all:
	@tools/deps.sh build
	@tools/compile.sh $(B) --prefix=$(PREFIX)

demo: all
	@tools/demo.sh $(B)

test:
	@tools/deps.sh build test
	@tools/test.sh

bench: all
	@tools/bench.sh $(B)

# Everything again and again for MINUTES, stopping at the first failure: finds what fails sometimes.
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

install: all
	@DESTDIR=$(abspath $(DESTDIR)) meson install -C $(B) --no-rebuild --quiet

clean:
	@rm -rf $(B) $(B)-*
