/* addresses.c - addresses of sockets: which node they lead to, and how they are written.
 *
 * Node number n is 10.0.0.n (and 10.0.1.0 comes after 10.0.0.255), unless the test says otherwise.
 * All addresses of 127.0.0.0/8 are the node itself, and so is any address. IPv6 is understood where
 * it stands for one of these. SPDX-License-Identifier: MIT
 */
#include "substrate/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sennit/wrap.h>
#include <stddef.h>
#include <stdio.h>

#define NODES_IP UINT32_C(0x0a000000)   /* 10.0.0.0 */
#define NOWHERE_IP UINT32_C(0x0afffffe) /* 10.255.255.254: where processes are that are on none */

uint32_t address_of_node(const struct trial *t, sn_node node)
{
    const struct host *host = &t->processes->sockets->hosts[node];

    if (node < t->now.n_own[OWN_HOSTS] && host->ip != 0)
        return host->ip;
    return node != 0 ? NODES_IP + node : NOWHERE_IP;
}

/* ---- Which node it is ----------------------------------------------------------------------- */

static bool is_loopback(uint32_t ip)
{
    return ip >> 24 == 127 || ip == INADDR_ANY;
}

/* False: no node has this address. */
static bool find_node(const struct trial *t, uint32_t ip, sn_node *node)
{
    uint32_t n = environment_is_used(t) ? t->now.n_own[OWN_NODES] : 1;

    for (*node = 0; *node < n; ++*node) {
        if (address_of_node(t, *node) == ip)
            return true;
    }
    return false;
}

/* What an address of IPv6 stands for. False: for nothing that there is. */
static bool read_in6(const struct in6_addr *from, uint32_t *ip)
{
    if (IN6_IS_ADDR_UNSPECIFIED(from) || IN6_IS_ADDR_LOOPBACK(from)) {
        *ip = IN6_IS_ADDR_LOOPBACK(from) ? INADDR_LOOPBACK : INADDR_ANY;
        return true;
    }
    if (!IN6_IS_ADDR_V4MAPPED(from))
        return false;
    memcpy(ip, from->s6_addr + 12, sizeof(*ip));
    *ip = ntohl(*ip);
    return true;
}

static int read_local(const struct socket *s, const struct sockaddr *from, socklen_t size,
                      struct address *to)
{
    const struct sockaddr_un *local = (const struct sockaddr_un *)from;
    size_t n = size - offsetof(struct sockaddr_un, sun_path);

    if (size <= offsetof(struct sockaddr_un, sun_path) || n > sizeof(to->path))
        return EINVAL;
    if (local->sun_path[0] != '\0')
        n = strnlen(local->sun_path, n);
    to->node = s->local.node;
    to->path_size = (uint16_t)n;
    memcpy(to->path, local->sun_path, n);
    return 0;
}

int address_read(struct trial *t, const struct socket *s, const struct sockaddr *from,
                 socklen_t size, struct address *to)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)from;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;

    memset(to, 0, sizeof(*to));
    if (from == NULL || size < sizeof(from->sa_family))
        return EINVAL;
    if (from->sa_family != s->family)
        return s->family == AF_UNIX ? EINVAL : EAFNOSUPPORT;
    if (s->family == AF_UNIX)
        return read_local(s, from, size, to);
    if (size < (s->family == AF_INET ? sizeof(*in) : sizeof(*in6)))
        return EINVAL;
    to->port = ntohs(s->family == AF_INET ? in->sin_port : in6->sin6_port);
    if (s->family == AF_INET)
        to->ip = ntohl(in->sin_addr.s_addr);
    else if (!read_in6(&in6->sin6_addr, &to->ip))
        return ENETUNREACH;
    if (is_loopback(to->ip))
        to->node = s->local.node;
    else if (!find_node(t, to->ip, &to->node))
        return ENETUNREACH;
    return 0;
}

/* ---- How it is written ---------------------------------------------------------------------- */

static void write_in6(struct sockaddr_in6 *to, uint32_t ip, uint16_t port)
{
    uint32_t order = htonl(ip);

    *to = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (ip == INADDR_LOOPBACK) {
        to->sin6_addr = in6addr_loopback;
    } else if (ip != INADDR_ANY) {
        to->sin6_addr.s6_addr[10] = to->sin6_addr.s6_addr[11] = 0xff;
        memcpy(to->sin6_addr.s6_addr + 12, &order, sizeof(order));
    }
}

bool address_covers(const struct address *bound, const struct address *a)
{
    if (bound->node != a->node || bound->path_size != a->path_size)
        return false;
    if (a->path_size != 0)
        return memcmp(bound->path, a->path, a->path_size) == 0;
    return bound->port == a->port && (bound->ip == 0 || a->ip == 0 || bound->ip == a->ip);
}

void address_write(const struct socket *s, const struct address *from, struct sockaddr *to,
                   socklen_t *size)
{
    union {
        struct sockaddr_un local;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } whole;
    size_t n;

    memset(&whole, 0, sizeof(whole));
    if (to == NULL || size == NULL)
        return;
    if (s->family == AF_UNIX) {
        whole.local.sun_family = AF_UNIX;
        memcpy(whole.local.sun_path, from->path, from->path_size);
        n = offsetof(struct sockaddr_un, sun_path) + from->path_size;
        n += from->path_size != 0 && from->path[0] != '\0'; /* the end of a name of a file */
    } else if (s->family == AF_INET) {
        whole.in = (struct sockaddr_in){.sin_family = AF_INET,
                                        .sin_port = htons(from->port),
                                        .sin_addr.s_addr = htonl(from->ip)};
        n = sizeof(whole.in);
    } else {
        write_in6(&whole.in6, from->ip, from->port);
        n = sizeof(whole.in6);
    }
    memcpy(to, &whole, n < *size ? n : *size);
    *size = (socklen_t)n;
}

const char *address_text(const struct trial *t, const struct address *a, char text[SOCKET_TEXT])
{
    uint32_t ip = a->ip;

    if (a->path_size != 0)
        (void)snprintf(text, SOCKET_TEXT, "%s%.*s", a->path[0] == '\0' ? "@" : "",
                       (int)a->path_size - (a->path[0] == '\0'), a->path + (a->path[0] == '\0'));
    else if (a->node != 0)
        (void)snprintf(text, SOCKET_TEXT, "%s:%u", t->environment->nodes[a->node].name, a->port);
    else
        (void)snprintf(text, SOCKET_TEXT, "%u.%u.%u.%u:%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
                       ip & 255, a->port);
    return text;
}

/* ---- What the test says --------------------------------------------------------------------- */

static void check_node(struct trial *t, sn_node node, const char *function)
{
    if (node != SN_NO_NODE && (!environment_is_used(t) || node >= t->now.n_own[OWN_NODES]))
        trial_fail(t, "usage", NULL, "%s: there is no node %u", function, node);
}

const char *sn_node_address(sn_node node)
{
    struct trial *t = machine_trial("sn_node_address");
    char *text = trial_alloc(t, INET_ADDRSTRLEN);
    struct in_addr in;

    check_node(t, node, "sn_node_address");
    in.s_addr = htonl(address_of_node(t, node));
    (void)inet_ntop(AF_INET, &in, text, INET_ADDRSTRLEN);
    return text;
}

void sn_node_set_address(sn_node node, const char *address)
{
    struct trial *t = machine_acting_trial("sn_node_set_address");
    struct in_addr in;
    sn_node other;

    check_node(t, node, "sn_node_set_address");
    if (address == NULL || inet_pton(AF_INET, address, &in) != 1 || is_loopback(ntohl(in.s_addr)))
        trial_fail(t, "usage", NULL, "sn_node_set_address: %s is no address of a node",
                   address != NULL ? address : "NULL");
    if (find_node(t, ntohl(in.s_addr), &other) && other != node)
        trial_fail(t, "usage", NULL, "sn_node_set_address: another node has the address %s",
                   address);
    processes_use(t);
    socket_host(t, node)->ip = ntohl(in.s_addr);
}
