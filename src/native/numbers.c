/* Numbers for keys. A site that knew where its keys land could make every search a long one, so the hash has a secret:
   that of Python's own hashes. */

#include "native.h"

#include <string.h>

static uint64_t secret[2] = {0x9E3779B97F4A7C15u, 0xD1B54A32D192ED03u};

/* Once, before anything is hashed. */
int hash_setup(void) {
    static const char *const WORDS[2] = {"boxes", "blocks"};
    for (int i = 0; i < 2; i++) {
        PyObject *word = PyUnicode_FromString(WORDS[i]);
        Py_hash_t hash = word ? PyObject_Hash(word) : -1;
        Py_XDECREF(word);
        if (hash == -1) return -1;
        secret[i] ^= (uint64_t)hash;
    }
    return 0;
}

/* All bits of the product count, so that none of what goes in is lost. */
static uint64_t mixed(uint64_t first, uint64_t second) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 Wide;
    Wide product = (Wide)first * second;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (first & 0xFFFFFFFFu) * second, high = (first >> 32) * (second ^ first);
    return low ^ high ^ high >> 29 ^ low >> 31;
#endif
}

static uint64_t hash_of(uint64_t first, uint64_t second) {
    return mixed(mixed(first ^ secret[0], second ^ secret[1]) ^ secret[1], secret[0]);
}

uint64_t hash_of_bytes(const char *data, size_t size) {
    uint64_t hash = secret[1] ^ size, last = 0;
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t next;
        memcpy(&next, data, 8);
        hash = mixed(hash ^ next, secret[0]);
    }
    memcpy(&last, data, size);
    return mixed(hash ^ last, secret[0]);
}

/* The cell of a key, or the free one where it would be. */
static Cell *cell_of(Cell *cells, size_t room, uint64_t first, uint64_t second) {
    size_t at = hash_of(first, second) & (room - 1);
    while (cells[at].number && (cells[at].key[0] != first || cells[at].key[1] != second)) at = (at + 1) & (room - 1);
    return &cells[at];
}

static int make_room(Numbers *known) {
    size_t room = known->room ? known->room * 4 : 64;
    Cell *cells = PyMem_Calloc(room, sizeof *cells);
    if (!cells) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < known->room; i++)
        if (known->cells[i].number) *cell_of(cells, room, known->cells[i].key[0], known->cells[i].key[1]) = known->cells[i];
    PyMem_Free(known->cells);
    known->cells = cells;
    known->room = room;
    return 0;
}

/* The number of a key, a new one if it is not known; -1 for an error. */
int64_t number_of(Numbers *known, uint64_t first, uint64_t second) {
    if (known->count * 2 >= known->room && make_room(known) < 0) return -1;
    Cell *cell = cell_of(known->cells, known->room, first, second);
    if (!cell->number) *cell = (Cell){{first, second}, (int32_t)++known->count};
    return cell->number - 1;
}
