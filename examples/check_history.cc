/* check_history.cc - a C++ program that checks a history which it has made itself.
 *
 *     g++ -std=c++17 check_history.cc -o check_history $(pkg-config --cflags --libs sennit)
 *
 * Threads share an atomic number and write down when they called what, and what came back. The object
 * is a ticket machine: a model of our own, since each ticket is given once, whoever asks. With the
 * argument `racy` a ticket is taken in two steps, and threads get the same one.
 * SPDX-License-Identifier: MIT
 */
#include <sennit/history.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace
{

constexpr int threads = 4;
constexpr int tickets_each = 200;

sn_step take(void *state, const sn_operation *op, uint32_t)
{
    auto *next = static_cast<sn_value *>(state);

    if (op->ret != SN_TIME_NEVER && op->result != *next)
        return SN_STEP_REFUSED;
    ++*next;
    return SN_STEP_TAKEN;
}

const sn_function functions[] = {{"take", false}, {nullptr, false}};

sn_model ticket_machine()
{
    sn_model model{};
    model.name = "ticket machine";
    model.functions = functions;
    model.state_size = sizeof(sn_value);
    model.step = take;
    return model;
}

std::atomic<uint64_t> clock_ticks{1};
std::atomic<sn_value> next_ticket{0};
std::atomic<int> n_looked{0};

sn_value take_ticket(bool is_racy)
{
    if (!is_racy)
        return next_ticket.fetch_add(1);
    sn_value ticket = next_ticket.load();
    /* At first everybody looks before anybody takes. */
    n_looked++;
    while (n_looked < threads)
        std::this_thread::yield();
    next_ticket.store(ticket + 1);
    return ticket;
}

void visit(uint32_t process, bool is_racy, std::vector<sn_operation> &history)
{
    for (int i = 0; i < tickets_each; i++) {
        sn_operation op{};
        op.process = process;
        op.argument[0] = op.argument[1] = SN_VALUE_NIL;
        op.call = clock_ticks++;
        op.result = take_ticket(is_racy);
        op.ret = clock_ticks++;
        history.push_back(op);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const bool is_racy = argc > 1 && std::strcmp(argv[1], "racy") == 0;
    const sn_model model = ticket_machine();
    std::vector<std::vector<sn_operation>> parts(threads);
    std::vector<std::thread> running;
    std::vector<sn_operation> history;
    sn_check_options options{};
    sn_check_result result{};

    for (uint32_t i = 0; i < threads; i++)
        running.emplace_back(visit, i, is_racy, std::ref(parts[i]));
    for (auto &thread : running)
        thread.join();
    for (const auto &part : parts)
        history.insert(history.end(), part.begin(), part.end());
    options.seconds = 60;
    if (sn_check_history(&model, history.data(), history.size(), &options, &result) < 0) {
        std::fprintf(stderr, "%s\n", result.why);
        return 2;
    }
    std::printf("%llu operations: %s\n", static_cast<unsigned long long>(result.operations),
                result.verdict == SN_LINEAR_YES ? "linearizable" : result.why);
    return result.verdict == SN_LINEAR_YES ? 0 : 1;
}
