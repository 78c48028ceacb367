/* Signatures of texts, made and compared: core/language/plain_similar.py; similar.py says what they are for. */

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

enum { SIZE = BINS * 5, PARTS = 8 };

/* Signatures in a row, as `sample` gives them. */
typedef struct {
    const unsigned char *rows;
    Py_ssize_t count;
} Rows;

static int rows_in(const Py_buffer *buffer, Rows *rows) {
    rows->rows = buffer->buf;
    rows->count = buffer->len / SIZE;
    if (buffer->len % SIZE == 0) return 0;
    PyErr_SetString(PyExc_ValueError, "not a signature");
    return -1;
}

static int one_row(const Py_buffer *buffer, Rows *rows) {
    if (rows_in(buffer, rows) < 0) return -1;
    if (rows->count == 1) return 0;
    PyErr_SetString(PyExc_ValueError, "not one signature");
    return -1;
}

static uint32_t rank_in(const unsigned char *row, size_t bin) {
    const unsigned char *at = row + bin * 4;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* marks(signature, most) -> the bins with the smallest ranks, each with its rank as one number */
PyObject *smallest_marks(PyObject *module, PyObject *args) {
    Py_buffer given;
    Rows one;
    Py_ssize_t most, count = 0;
    uint64_t least[BINS]; /* rank and bin, in order */
    PyObject *found = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*n", &given, &most)) return NULL;
    if (one_row(&given, &one) == 0) {
        if (most > BINS) most = BINS;
        for (size_t bin = 0; bin < BINS; bin++) {
            uint64_t key = (uint64_t)rank_in(one.rows, bin) << 8 | bin;
            if (key >> 8 == 0 || most <= 0 || (count == most && key > least[count - 1])) continue;
            Py_ssize_t at = count < most ? count++ : count - 1;
            for (; at > 0 && least[at - 1] > key; at--) least[at] = least[at - 1];
            least[at] = key;
        }
        found = PyList_New(count);
        for (Py_ssize_t at = 0; found && at < count; at++) {
            PyObject *mark = PyLong_FromUnsignedLongLong((least[at] & 0xFF) << 32 | least[at] >> 8);
            if (mark)
                PyList_SET_ITEM(found, at, mark);
            else
                Py_CLEAR(found);
        }
    }
    PyBuffer_Release(&given);
    return found;
}

/* How evenly the agreeing samples are spread among all samples of a text. */
static double spread(const long *agreeing, const long *present) {
    long count = 0, whole = 0;
    double least[PARTS];
    for (size_t part = 0; part < PARTS; part++) count += agreeing[part], whole += present[part];
    if (!count) count = 1;
    if (!whole) whole = 1;
    for (size_t part = 0; part < PARTS; part++) {
        double even = (double)(count * present[part]) / (double)whole;
        least[part] = (double)agreeing[part] < even ? (double)agreeing[part] : even;
    }
    /* In pairs, as the reference adds them. */
    return (((least[0] + least[1]) + (least[2] + least[3])) + ((least[4] + least[5]) + (least[6] + least[7]))) /
           (double)count;
}

static PyObject *likeness_of(const unsigned char *one, const unsigned char *other, const unsigned char *ignored,
                             double least) {
    long same = 0, either = 0;
    long ours[PARTS] = {0}, theirs[PARTS] = {0}, same_here[PARTS] = {0}, same_there[PARTS] = {0};
    for (size_t bin = 0; bin < BINS; bin++) {
        if (ignored[bin]) continue;
        uint32_t first = rank_in(one, bin), second = rank_in(other, bin);
        size_t here = one[BINS * 4 + bin] / (PLACES / PARTS), there = other[BINS * 4 + bin] / (PLACES / PARTS);
        either += first || second;
        ours[here] += first != 0;
        theirs[there] += second != 0;
        if (!first || first != second) continue;
        same++, same_here[here]++, same_there[there]++;
    }
    double shared = (double)same / (double)(either ? either : 1);
    if (shared < least) return Py_BuildValue("(ddd)", shared, 0.0, 0.0);
    return Py_BuildValue("(ddd)", shared, spread(same_here, ours), spread(same_there, theirs));
}

/* compare(first, others, ignored, least) -> for each of the others: the share in common, its spread over both */
PyObject *compare_signatures(PyObject *module, PyObject *args) {
    Py_buffer first, others, ignored;
    Rows one, rows;
    double least;
    PyObject *found = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*y*d", &first, &others, &ignored, &least)) return NULL;
    if (ignored.len != BINS)
        PyErr_SetString(PyExc_ValueError, "not a byte for each bin");
    else if (one_row(&first, &one) == 0 && rows_in(&others, &rows) == 0)
        found = PyList_New(0);
    for (Py_ssize_t at = 0; found && at < rows.count; at++)
        if (push(found, likeness_of(one.rows, rows.rows + at * SIZE, ignored.buf, least)) < 0) Py_CLEAR(found);
    PyBuffer_Release(&first);
    PyBuffer_Release(&others);
    PyBuffer_Release(&ignored);
    return found;
}

/* Adds one to every bin in which the first agrees with one of the group. */
static int count_agreeing(const unsigned char *one, PyObject *group, long *counts) {
    Py_buffer given;
    Rows rows;
    if (PyObject_GetBuffer(group, &given, PyBUF_SIMPLE) < 0) return -1;
    int failed = rows_in(&given, &rows);
    for (size_t bin = 0; !failed && bin < BINS; bin++) {
        uint32_t rank = rank_in(one, bin);
        int agrees = 0;
        for (Py_ssize_t at = 0; rank && !agrees && at < rows.count; at++)
            agrees = rank_in(rows.rows + at * SIZE, bin) == rank;
        counts[bin] += agrees;
    }
    PyBuffer_Release(&given);
    return failed;
}

/* common(first, groups, least) -> a byte for each bin: whether the first agrees there with at least so many groups */
PyObject *common_bins(PyObject *module, PyObject *args) {
    Py_buffer first;
    PyObject *groups, *found = NULL;
    Rows one;
    long least, counts[BINS] = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*O!l", &first, &PyList_Type, &groups, &least)) return NULL;
    int failed = one_row(&first, &one);
    for (Py_ssize_t at = 0; !failed && at < PyList_GET_SIZE(groups); at++)
        failed = count_agreeing(one.rows, PyList_GET_ITEM(groups, at), counts);
    if (!failed) found = PyBytes_FromStringAndSize(NULL, BINS);
    for (size_t bin = 0; found && bin < BINS; bin++) PyBytes_AS_STRING(found)[bin] = counts[bin] >= least;
    PyBuffer_Release(&first);
    return found;
}

/* apart(first, others) -> how many bins of the first are filled, in how many one of the others differs, and one agrees */
PyObject *bins_apart(PyObject *module, PyObject *args) {
    Py_buffer first, others;
    Rows one, rows;
    long filled = 0, differing = 0, sides = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*", &first, &others)) return NULL;
    int failed = one_row(&first, &one) < 0 || rows_in(&others, &rows) < 0;
    for (size_t bin = 0; !failed && bin < BINS; bin++) {
        uint32_t rank = rank_in(one.rows, bin);
        int differs = 0, agrees = 0;
        for (Py_ssize_t at = 0; rank && at < rows.count; at++) {
            uint32_t other = rank_in(rows.rows + at * SIZE, bin);
            differs |= other > rank || !other;
            agrees |= other == rank;
        }
        filled += rank != 0;
        differing += differs;
        sides += differs && agrees;
    }
    PyBuffer_Release(&first);
    PyBuffer_Release(&others);
    return failed ? NULL : Py_BuildValue("(lll)", filled, differing, sides);
}
