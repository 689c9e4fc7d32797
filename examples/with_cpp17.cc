/* with_cpp17.cc - Sennit from C++17: tables made by functions, handlers that are member functions.
 *
 *     g++ -std=c++17 with_cpp17.cc -o with_cpp17 $(pkg-config --cflags --libs sennit)
 *
 * C++ has designated initialisers since C++20 only, and no compound literals; constexpr functions do
 * as well, and the tables are constants all the same. What a machine keeps is zeroed before it begins
 * and never constructed or destroyed, so it is plain data. A trial may end in the middle of any call:
 * what has a destructor may live in a handler, but memory is put back, not freed.
 *
 * The system is a lamp with two switches, which toggle it. The bug of `--bug lazy` is a switch that
 * looks first and acts later. SPDX-License-Identifier: MIT
 */
#include <sennit/sennit.h>

#include <type_traits>

namespace {

constexpr sn_event event(const char *name, size_t size = 0, const sn_field *fields = nullptr)
{
    sn_event it{};
    it.name = name;
    it.size = size;
    it.fields = fields;
    return it;
}

constexpr sn_on on(const sn_event &event, sn_handler *run)
{
    sn_on it{};
    it.event = &event;
    it.run = run;
    return it;
}

constexpr sn_state state(const char *name, sn_handler *entry, const sn_on *table)
{
    sn_state it{};
    it.name = name;
    it.entry = entry;
    it.on = table;
    return it;
}

template <typename Self>
constexpr sn_machine machine(const char *name, const sn_state &start,
                             const sn_event *birth = nullptr)
{
    static_assert(std::is_trivial_v<Self>, "a machine's memory is only zeroed");
    sn_machine it{};
    it.name = name;
    it.size = sizeof(Self);
    it.start = &start;
    it.birth = birth;
    return it;
}

/* A handler out of a member function: call<&Lamp::on_set>. */
template <typename> struct arguments;
template <typename Self_, typename Payload_> struct arguments<void (Self_::*)(const Payload_ &)> {
    using Self = Self_;
    using Payload = Payload_;
};

template <auto Method> void call(void *self, const void *payload)
{
    using A = arguments<decltype(Method)>;
    (static_cast<typename A::Self *>(self)->*Method)(
        *static_cast<const typename A::Payload *>(payload));
}

/* ---- What is right: each press toggles the lamp --------------------------------------------- */

bool is_lazy; // the bug

struct Press {
    sn_id who;
};

struct Set {
    bool is_on;
    bool was_on; // what the switch believed
};

constexpr sn_field press_fields[] = {SN_FIELD(Press, who, SN_MACHINE), {}};
constexpr sn_field set_fields[] = {
    SN_FIELD(Set, is_on, SN_BOOL), SN_FIELD(Set, was_on, SN_BOOL), {}};

constexpr sn_event toggle = event("Toggle", sizeof(Press), press_fields);
constexpr sn_event look = event("Look", sizeof(Press), press_fields);
constexpr sn_event seen = event("Seen", sizeof(Set), set_fields);
constexpr sn_event set = event("Set", sizeof(Set), set_fields);

/* ---- The lamp ------------------------------------------------------------------------------- */

struct Lamp {
    bool is_on;

    void on_toggle(const Press &)
    {
        is_on = !is_on;
    }

    void on_look(const Press &press)
    {
        Set now = {is_on, is_on};
        sn_send(press.who, &seen, &now);
    }

    void on_set(const Set &wish)
    {
        sn_assertf(is_on == wish.was_on, "the lamp was %s when the switch meant to toggle it",
                   is_on ? "on" : "off");
        is_on = wish.is_on;
    }
};

constexpr sn_on lamp_table[] = {
    on(toggle, call<&Lamp::on_toggle>),
    on(look, call<&Lamp::on_look>),
    on(set, call<&Lamp::on_set>),
    {},
};
constexpr sn_state shining = state("Shining", nullptr, lamp_table);
constexpr sn_machine lamp = machine<Lamp>("Lamp", shining);

/* ---- The switches --------------------------------------------------------------------------- */

struct Switch {
    sn_id lamp;

    void begin(const Switch &birth)
    {
        *this = birth;
        Press press = {sn_self()};
        sn_send(lamp, is_lazy ? &look : &toggle, &press);
    }

    void on_seen(const Set &now)
    {
        Set wish = {!now.is_on, now.is_on};
        sn_send(lamp, &set, &wish);
    }
};

constexpr sn_field switch_fields[] = {SN_FIELD(Switch, lamp, SN_MACHINE), {}};
constexpr sn_event switch_birth = event("Birth", sizeof(Switch), switch_fields);
constexpr sn_on switch_table[] = {on(seen, call<&Switch::on_seen>), {}};
constexpr sn_state pressing = state("Pressing", call<&Switch::begin>, switch_table);
constexpr sn_machine a_switch = machine<Switch>("Switch", pressing, &switch_birth);

/* ---- The test ------------------------------------------------------------------------------- */

void press_both()
{
    Switch birth = {sn_create(&lamp, nullptr)};

    sn_create(&a_switch, &birth);
    sn_create(&a_switch, &birth);
}

constexpr sn_test test(const char *name, void (*run)())
{
    sn_test it{};
    it.name = name;
    it.run = run;
    return it;
}

constexpr sn_test tests[] = {test("press_both", press_both), {}};
constexpr sn_bug bugs[] = {
    {"lazy", "A switch looks first and acts later.", &is_lazy, nullptr},
    {},
};
constexpr sn_suite suite = {"lamp", tests, bugs, nullptr, nullptr};

} // namespace

int main(int argc, char **argv)
{
    return sn_main(argc, argv, &suite);
}
