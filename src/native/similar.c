/* The signature of a text: `plain_sample` of core/language/similar.py, which says what it is for. */

#include "native.h"

#include <string.h>

enum { BINS = 256, PLACES = 256, SHINGLE = 3, APART = 1 };

static const uint64_t FACTORS[] = {0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93};
static const uint64_t PLACE_MASK = 0xFFFFFF, RANK_MASK = 0xFFFFFFFF;

typedef struct {
    uint64_t *hashes;
    size_t room, count;
} Words;

typedef struct {
    Py_buffer kinds; /* of every character that there is a table for */
    PyObject *text;
} Given;

static int kind_of(const Given *given, Py_UCS4 c) {
    Py_ssize_t last = given->kinds.len - 1;
    return ((const unsigned char *)given->kinds.buf)[(Py_ssize_t)c < last ? (Py_ssize_t)c : last];
}

static int is_given(const Given *given) {
    if (given->kinds.len > 0) return 1;
    PyErr_SetString(PyExc_ValueError, "the table of kinds is empty");
    return 0;
}

/* has_kind(text, kinds, kind) -> whether a character of this kind is in the text */
PyObject *has_kind(PyObject *module, PyObject *args) {
    Given given;
    int wanted, found = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "Uy*i", &given.text, &given.kinds, &wanted)) return NULL;
    int kind = PyUnicode_KIND(given.text);
    const void *data = PyUnicode_DATA(given.text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(given.text);
    if (is_given(&given))
        for (Py_ssize_t at = 0; at < size && !found; at++) found = kind_of(&given, PyUnicode_READ(kind, data, at)) == wanted;
    PyBuffer_Release(&given.kinds);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(found);
}

/* A number for each word. */
static int read_words(const Given *given, Words *words) {
    int kind = PyUnicode_KIND(given->text), inside = 0;
    const void *data = PyUnicode_DATA(given->text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(given->text);
    uint64_t power = 1;
    for (Py_ssize_t at = 0; at < size; at++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, at);
        if (kind_of(given, c) == APART) {
            inside = 0;
            continue;
        }
        if (!inside) {
            if (GROW(words, hashes, room, words->count + 1) < 0) return -1;
            words->hashes[words->count++] = 0;
            power = inside = 1;
        }
        words->hashes[words->count - 1] += c * power;
        power *= FACTORS[0];
    }
    return 0;
}

static uint64_t mixed(const uint64_t *words) {
    uint64_t mix = words[0] * FACTORS[0] + words[1] * FACTORS[1] + words[2] * FACTORS[2];
    mix = (mix ^ mix >> 31) * FACTORS[2];
    mix = (mix ^ mix >> 29) * FACTORS[3];
    return mix ^ mix >> 31;
}

/* The least of every bin, as four bytes of rank each and then a byte of place each. */
static PyObject *packed(const Words *words) {
    uint64_t least[BINS], count = words->count - SHINGLE + 1;
    unsigned char row[BINS * 5];
    memset(least, 0xFF, sizeof least);
    memset(row, 0, sizeof row);
    for (uint64_t at = 0; at < count; at++) {
        uint64_t mix = (mixed(words->hashes + at) & ~PLACE_MASK) | (at & PLACE_MASK);
        if (mix < least[mix >> 56]) least[mix >> 56] = mix;
    }
    for (size_t bin = 0; bin < BINS; bin++) {
        uint64_t rank = least[bin] >> 24 & RANK_MASK;
        /* No shingle: the last bin only looks filled when all bits of a hash are set, which is as good as none. */
        if (least[bin] == UINT64_MAX) continue;
        if (!rank) rank = 1;
        for (size_t i = 0; i < 4; i++) row[bin * 4 + i] = (unsigned char)(rank >> 8 * i);
        row[BINS * 4 + bin] = (unsigned char)((least[bin] & PLACE_MASK) * PLACES / count);
    }
    return PyBytes_FromStringAndSize((const char *)row, sizeof row);
}

/* sample(text, kinds, fewest) -> the signature as bytes, None of fewer words */
PyObject *sample(PyObject *module, PyObject *args) {
    Given given;
    Words words = {NULL, 0, 0};
    Py_ssize_t fewest;
    PyObject *found = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "Uy*n", &given.text, &given.kinds, &fewest)) return NULL;
    if (is_given(&given) && read_words(&given, &words) == 0)
        found = words.count < (size_t)fewest || words.count < SHINGLE ? Py_NewRef(Py_None) : packed(&words);
    PyBuffer_Release(&given.kinds);
    PyMem_Free(words.hashes);
    return found;
}
