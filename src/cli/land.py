# land.py - makes gdb, wherever it stops at sn_debug_break, go on to the code under test.
#
# At a step: into the function of the test that is called first. At a failure: to the frame of the
# test that did it. At a signal gdb is there already. The last breakpoint is the one at
# sn_debug_break; without this script one stands in that function. SPDX-License-Identifier: MIT
import gdb


def registers(frame):
    """The arguments of sn_debug_break: why, handler. Those of the library may not be known to gdb
    by name."""
    names = ("x1", "x2") if "aarch64" in frame.architecture().name() else ("rsi", "rdx")
    return [int(frame.read_register(name)) & 0xFFFFFFFFFFFFFFFF for name in names]


def go_to(handler):
    """Stops behind the prologue, where arguments can be read, if gdb knows where that is."""
    block = gdb.block_for_pc(handler)
    function = block.function if block is not None else None
    place = "*%d" % handler
    if function is not None:
        place = "-source \"%s\" -function \"%s\"" % (function.symtab.fullname(), function.name)
    try:
        gdb.execute("tbreak " + place, to_string=True)
    except gdb.error:
        gdb.execute("tbreak *%d" % handler, to_string=True)
    gdb.execute("continue")


def file_of(frame):
    symtab = frame.find_sal().symtab
    return symtab.fullname() if symtab is not None else None


def select_caller(frame):
    """The first frame that is not the library's, which has a file of its own or its sources in
    one folder. Above trial_guard there is only the runner."""
    library = gdb.solib_name(frame.pc())
    file = file_of(frame)
    folder = file[:-len("engine/debug.c")] if file is not None else None
    while frame is not None and frame.name() != "trial_guard":
        file = file_of(frame)
        is_own = file is None if folder is None else file is None or file.startswith(folder)
        if library is not None:
            is_own = gdb.solib_name(frame.pc()) == library
        if not is_own or (folder and file and file.startswith(folder + "model/")):
            frame.select()
            gdb.execute("frame")
            return
        frame = frame.older()


def sennit_land():
    frame = gdb.newest_frame()
    why, handler = registers(frame)
    if why == 0:
        if handler != 0:
            go_to(handler)
        else:
            print("sennit: this step calls nothing of the test")
        return
    text = gdb.Value(why).cast(gdb.lookup_type("char").pointer()).string(errors="replace")
    print("sennit: " + text)
    select_caller(frame)


gdb.breakpoints()[-1].commands = "silent\npython sennit_land()"
