/* Fixed sets of names: element names and hint words are looked up once or more for every element of a page. */

#include "native.h"

#include <string.h>

static size_t hash_of(const char *name, size_t size) {
    size_t hash = 5381;
    for (size_t i = 0; i < size; i++) hash = hash * 33 ^ (unsigned char)name[i];
    return hash ^ hash >> 15;
}

/* The slot that holds the name, or the free one where it would be. */
static Entry *slot_of(const Table *table, const char *name, size_t size) {
    size_t at = hash_of(name, size) & table->mask;
    for (; table->slots[at].name; at = (at + 1) & table->mask) {
        PyObject *known = table->slots[at].name;
        if ((size_t)PyUnicode_GET_LENGTH(known) == size && memcmp(PyUnicode_1BYTE_DATA(known), name, size) == 0) break;
    }
    return &table->slots[at];
}

int table_make(Table *table, PyObject *dict) {
    PyObject *key, *value;
    Py_ssize_t place = 0;
    size_t room = 16;
    while (room < (size_t)PyDict_Size(dict) * 4) room *= 2;
    table->mask = room - 1;
    table->slots = PyMem_Calloc(room, sizeof(Entry));
    if (!table->slots) return PyErr_NoMemory(), -1;
    while (PyDict_Next(dict, &place, &key, &value)) {
        if (!PyUnicode_Check(key) || !PyUnicode_IS_ASCII(key)) continue; /* cannot be found by its bytes */
        Entry *slot = slot_of(table, (const char *)PyUnicode_1BYTE_DATA(key), PyUnicode_GET_LENGTH(key));
        slot->name = Py_NewRef(key);
        slot->number = PyLong_AsLong(value);
        if (slot->number == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}

const Entry *table_find(const Table *table, const char *name, size_t size) {
    const Entry *slot = slot_of(table, name, size);
    return slot->name ? slot : NULL;
}

/* The entry of an element by its name; NULL without one. */
const Entry *table_element(Table *table, Node *node) {
    uintptr_t tag = lexbor.tag(node);
    size_t size = 0;
    if (tag < TAGS_KNOWN && table->by_tag[tag]) return table->by_tag[tag];
    const char *name = lexbor.name(node, &size);
    const Entry *found = name ? table_find(table, name, size) : NULL;
    if (tag < TAGS_KNOWN) table->by_tag[tag] = found;
    return found;
}
