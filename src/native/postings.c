/* Segments of a full-text index, made from words and merged. What they are is said in adapters/stores/postgres/words:
   segments.py and chunks.py there are the reference, `built` and `merged` as they are stored by `chunks`. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t *items;
    size_t room, count;
} Column;

static int add(Column *column, uint32_t item) {
    if (GROW(column, items, room, column->count + 1) < 0) return -1;
    column->items[column->count++] = item;
    return 0;
}

/* Without its first numbers. */
static void shift(Column *column, size_t many) {
    column->count -= many;
    if (column->count) memmove(column->items, column->items + many, column->count * sizeof *column->items);
}

/* The bytes of each of some numbers, as few as the largest needs, and their sign: 0, 1 or 2. */
static int kind_of(const uint32_t *items, size_t many) {
    uint32_t all = 0;
    for (size_t at = 0; at < many; at++) all |= items[at];
    return all < 1u << 8 ? 0 : all < 1u << 16 ? 1 : 2;
}

static size_t packed_size(const uint32_t *items, size_t many) { return 1 + (many << kind_of(items, many)); }

static unsigned char *pack(unsigned char *to, const uint32_t *items, size_t many) {
    int kind = kind_of(items, many);
    *to++ = (unsigned char)kind;
    for (size_t at = 0; at < many; at++)
        for (int byte = 0; byte < 1 << kind; byte++) *to++ = (unsigned char)(items[at] >> 8 * byte);
    return to;
}

/* What is written: chunks, and the words of the one under way. */
typedef struct {
    size_t most_words, most_postings;
    PyObject *chunks;
    char *names; /* with a zero byte between */
    size_t names_room, names_size, first_size;
    Column counts, documents, titled, told, places;
    size_t postings_done, places_done; /* those of words that are complete */
} Writer;

static void writer_end(Writer *writer) {
    PyMem_Free(writer->names);
    PyMem_Free(writer->counts.items);
    PyMem_Free(writer->documents.items);
    PyMem_Free(writer->titled.items);
    PyMem_Free(writer->told.items);
    PyMem_Free(writer->places.items);
}

static PyObject *stored_words(const Writer *writer) {
    const Column *counts = &writer->counts;
    size_t size = 2 + packed_size(counts->items, counts->count);
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(size + writer->names_size));
    if (!made) return NULL;
    unsigned char *to = (unsigned char *)PyBytes_AS_STRING(made);
    *to++ = (unsigned char)(counts->count & 0xFF);
    *to++ = (unsigned char)(counts->count >> 8);
    to = pack(to, counts->items, counts->count);
    if (writer->names_size) memcpy(to, writer->names, writer->names_size);
    return made;
}

static PyObject *stored_columns(const Column *const *columns, int count, size_t many) {
    size_t size = 0;
    for (int i = 0; i < count; i++) size += packed_size(columns[i]->items, many);
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    unsigned char *to = made ? (unsigned char *)PyBytes_AS_STRING(made) : NULL;
    for (int i = 0; made && i < count; i++) to = pack(to, columns[i]->items, many);
    return made;
}

/* The words that are complete become a chunk: the first of them, and how they, their postings and their places are stored. */
static int flush(Writer *writer) {
    const Column *postings[] = {&writer->documents, &writer->titled, &writer->told}, *places = &writer->places;
    size_t first = PyList_GET_SIZE(writer->chunks) ? writer->first_size : 0;
    PyObject *chunk = Py_BuildValue(
        "s#NNN", writer->names ? writer->names : "", (Py_ssize_t)first, stored_words(writer),
        stored_columns(postings, 3, writer->postings_done), stored_columns(&places, 1, writer->places_done));
    if (!chunk || push(writer->chunks, chunk) < 0) return -1;
    shift(&writer->documents, writer->postings_done);
    shift(&writer->titled, writer->postings_done);
    shift(&writer->told, writer->postings_done);
    shift(&writer->places, writer->places_done);
    writer->counts.count = writer->names_size = writer->postings_done = writer->places_done = 0;
    /* It may be much, and others are waiting. */
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
    return 0;
}

/* The postings that were added last are those of this word; one without any is left out. */
static int end_word(Writer *writer, const char *name, size_t size) {
    size_t many = writer->documents.count - writer->postings_done;
    if (!many) return 0;
    int is_full = writer->counts.count == writer->most_words || writer->documents.count > writer->most_postings;
    if (writer->counts.count && is_full && flush(writer) < 0) return -1;
    if (GROW(writer, names, names_room, writer->names_size + size + 1) < 0) return -1;
    if (writer->counts.count)
        writer->names[writer->names_size++] = 0;
    else
        writer->first_size = size;
    memcpy(writer->names + writer->names_size, name, size);
    writer->names_size += size;
    writer->postings_done = writer->documents.count;
    writer->places_done = writer->places.count;
    return add(&writer->counts, (uint32_t)many);
}

/* The chunks, of which there is always one. */
static PyObject *finished(Writer *writer, int failed) {
    if (!failed && (writer->counts.count || !PyList_GET_SIZE(writer->chunks))) failed = flush(writer) < 0;
    writer_end(writer);
    if (failed) Py_CLEAR(writer->chunks);
    return writer->chunks;
}

static int compare(const char *first, size_t first_size, const char *second, size_t second_size) {
    int order = memcmp(first, second, first_size < second_size ? first_size : second_size);
    return order ? order : (first_size > second_size) - (first_size < second_size);
}

/* A word that was met, and how often. */
typedef struct {
    PyObject *text; /* of the caller */
    Py_hash_t hash;
    const char *name;
    size_t size, count, start;
    uint64_t head; /* its first bytes, the first highest */
} Word;

typedef struct {
    Word *words;
    size_t room, count;
    uint32_t *slots; /* numbers of words, plus one */
    size_t mask;
} Met;

static int is_same(PyObject *one, PyObject *other) {
    return one == other || (PyUnicode_KIND(one) == PyUnicode_KIND(other) &&
                            PyUnicode_GET_LENGTH(one) == PyUnicode_GET_LENGTH(other) &&
                            memcmp(PyUnicode_DATA(one), PyUnicode_DATA(other),
                                   (size_t)PyUnicode_GET_LENGTH(one) * (size_t)PyUnicode_KIND(one)) == 0);
}

static uint32_t *slot_of(const Met *met, PyObject *text, Py_hash_t hash) {
    size_t at = (size_t)hash & met->mask;
    for (; met->slots[at]; at = (at + 1) & met->mask) {
        const Word *word = &met->words[met->slots[at] - 1];
        if (word->hash == hash && is_same(word->text, text)) break;
    }
    return &met->slots[at];
}

static int make_slots(Met *met) {
    size_t many = met->slots ? (met->mask + 1) * 4 : 1024;
    PyMem_Free(met->slots);
    met->slots = PyMem_Calloc(many, sizeof *met->slots);
    met->mask = many - 1;
    if (!met->slots) return PyErr_NoMemory(), -1;
    for (size_t number = 0; number < met->count; number++) {
        const Word *word = &met->words[number];
        *slot_of(met, word->text, word->hash) = (uint32_t)number + 1;
    }
    return 0;
}

/* The number of a word; -1 for an error. */
static int64_t met_again(Met *met, PyObject *text) {
    if (!PyUnicode_Check(text)) return PyErr_Format(PyExc_TypeError, "a word is a text"), -1;
    Py_hash_t hash = PyObject_Hash(text);
    if ((!met->slots || met->count * 2 > met->mask) && make_slots(met) < 0) return -1;
    uint32_t *slot = slot_of(met, text, hash);
    if (!*slot) {
        Py_ssize_t size;
        const char *name = PyUnicode_AsUTF8AndSize(text, &size);
        if (!name || GROW(met, words, room, met->count + 1) < 0) return -1;
        uint64_t head = 0;
        for (Py_ssize_t at = 0; at < 8; at++) head = head << 8 | (at < size ? (unsigned char)name[at] : 0);
        met->words[met->count] = (Word){text, hash, name, (size_t)size, 0, 0, head};
        *slot = (uint32_t)++met->count;
    }
    met->words[*slot - 1].count++;
    return *slot - 1;
}

static int by_name(const void *one, const void *other) {
    const Word *first = *(const Word *const *)one, *second = *(const Word *const *)other;
    if (first->head != second->head) return first->head < second->head ? -1 : 1;
    return compare(first->name, first->size, second->name, second->size);
}

/* Where a word is: in which title or text, and at which place. */
typedef struct {
    uint32_t cell, place;
} Spot;

/* The postings of a word, whose spots are in the order of documents, titles before texts. */
static int write_spots(Writer *writer, const Spot *spots, size_t count) {
    for (size_t at = 0, next; at < count; at = next) {
        uint32_t often[2] = {0, 0}, document = spots[at].cell / 2;
        for (next = at; next < count && spots[next].cell / 2 == document; next++) {
            often[spots[next].cell % 2]++;
            if (add(&writer->places, spots[next].place) < 0) return -1;
        }
        if (add(&writer->documents, document) < 0 || add(&writer->titled, often[0]) < 0 || add(&writer->told, often[1]) < 0)
            return -1;
    }
    return 0;
}

/* All words in their order, with their spots; `numbers` are those of the words of all cells, one after the other. */
static int write_words(Writer *writer, Met *met, PyObject *cells, const Column *numbers) {
    const Word **order = PyMem_Malloc((met->count + 1) * sizeof *order);
    Spot *spots = PyMem_Malloc((numbers->count + 1) * sizeof *spots);
    size_t start = 0, at = 0;
    int failed = !order || !spots;
    if (failed) PyErr_NoMemory();
    for (size_t number = 0; !failed && number < met->count; number++) {
        met->words[number].start = start;
        start += met->words[number].count;
        order[number] = &met->words[number];
    }
    for (Py_ssize_t cell = 0; !failed && cell < PyList_GET_SIZE(cells); cell++)
        for (Py_ssize_t place = 0; place < PyList_GET_SIZE(PyList_GET_ITEM(cells, cell)); place++)
            spots[met->words[numbers->items[at++]].start++] = (Spot){(uint32_t)cell, (uint32_t)place};
    if (!failed) qsort(order, met->count, sizeof *order, by_name);
    for (size_t rank = 0; !failed && rank < met->count; rank++) {
        const Word *word = order[rank];
        failed = write_spots(writer, spots + word->start - word->count, word->count) < 0 ||
                 end_word(writer, word->name, word->size) < 0;
    }
    PyMem_Free(order);
    PyMem_Free(spots);
    return failed ? -1 : 0;
}

static int read_cells(PyObject *cells, Met *met, Column *numbers) {
    for (Py_ssize_t cell = 0; cell < PyList_GET_SIZE(cells); cell++) {
        PyObject *words = PyList_GET_ITEM(cells, cell);
        if (!PyList_Check(words)) return PyErr_Format(PyExc_TypeError, "a list of words is needed"), -1;
        for (Py_ssize_t place = 0; place < PyList_GET_SIZE(words); place++) {
            int64_t number = met_again(met, PyList_GET_ITEM(words, place));
            if (number < 0 || add(numbers, (uint32_t)number) < 0) return -1;
        }
    }
    return 0;
}

/* index_words(cells, most_words, most_postings) -> the chunks of the words of titles and texts, in turns */
PyObject *index_words(PyObject *module, PyObject *args) {
    PyObject *cells;
    Py_ssize_t most_words, most_postings;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!nn", &PyList_Type, &cells, &most_words, &most_postings)) return NULL;
    Writer writer = {.most_words = (size_t)most_words, .most_postings = (size_t)most_postings, .chunks = PyList_New(0)};
    Met met = {0};
    Column numbers = {0};
    int failed = !writer.chunks || read_cells(cells, &met, &numbers) < 0 ||
                 write_words(&writer, &met, cells, &numbers) < 0;
    PyMem_Free(met.words);
    PyMem_Free(met.slots);
    PyMem_Free(numbers.items);
    return finished(&writer, failed);
}

/* Numbers as they are stored, of which the next is to be read. */
typedef struct {
    const unsigned char *at;
    int width;
} Packed;

/* A segment that is merged, and the word of it that is next. */
typedef struct {
    PyObject *chunks;
    Py_ssize_t chunk;
    Py_buffer numbers; /* the new number of each document; less than 0 if it is gone */
    const char *name, *names_end;
    size_t size, left; /* bytes of the word; words of the chunk behind it */
    Packed counts, documents, titled, told, places;
} Part;

static uint32_t next_of(Packed *packed) {
    uint32_t item = 0;
    for (int byte = 0; byte < packed->width; byte++) item |= (uint32_t)*packed->at++ << 8 * byte;
    return item;
}

static int spoilt(void) { return PyErr_Format(PyExc_ValueError, "a chunk of the index is damaged"), -1; }

/* So many numbers begin at a place; it goes on behind them. */
static int unpack(Packed *packed, const unsigned char **at, const unsigned char *end, uint64_t many) {
    if (*at >= end || **at > 2) return spoilt();
    packed->width = 1 << **at;
    packed->at = ++*at;
    if (many > (uint64_t)(end - *at) / (uint64_t)packed->width) return spoilt();
    *at += many * (uint64_t)packed->width;
    return 0;
}

static uint64_t sum_of(Packed packed, uint64_t many) {
    uint64_t sum = 0;
    while (many--) sum += next_of(&packed);
    return sum;
}

static int open_chunk(Part *part) {
    PyObject *stored[3];
    PyObject *chunk = PyList_GET_ITEM(part->chunks, part->chunk++);
    if (!PyTuple_Check(chunk)) return PyErr_Format(PyExc_TypeError, "a chunk is a tuple"), -1;
    if (!PyArg_ParseTuple(chunk, "SSS", &stored[0], &stored[1], &stored[2])) return -1;
    const unsigned char *at[3], *end[3];
    for (int i = 0; i < 3; i++) {
        at[i] = (const unsigned char *)PyBytes_AS_STRING(stored[i]);
        end[i] = at[i] + PyBytes_GET_SIZE(stored[i]);
    }
    if (end[0] - at[0] < 2) return spoilt();
    size_t words = (size_t)at[0][0] | (size_t)at[0][1] << 8;
    at[0] += 2;
    if (unpack(&part->counts, &at[0], end[0], words) < 0) return -1;
    uint64_t postings = sum_of(part->counts, words);
    Packed *columns[] = {&part->documents, &part->titled, &part->told};
    for (int i = 0; i < 3; i++)
        if (unpack(columns[i], &at[1], end[1], postings) < 0) return -1;
    if (unpack(&part->places, &at[2], end[2], sum_of(part->titled, postings) + sum_of(part->told, postings)) < 0) return -1;
    part->left = words;
    part->name = (const char *)at[0] - 1;
    part->names_end = (const char *)end[0];
    part->size = 0;
    return 0;
}

/* 1 with its next word, 0 at its end, -1 for an error */
static int next_word(Part *part) {
    while (!part->left) {
        if (part->chunk == PyList_GET_SIZE(part->chunks)) return 0;
        if (open_chunk(part) < 0) return -1;
    }
    part->left--;
    /* Behind the zero byte after the last one. */
    part->name += part->size + 1;
    if (part->name > part->names_end) return spoilt();
    const char *end = memchr(part->name, 0, (size_t)(part->names_end - part->name));
    part->size = (size_t)((end ? end : part->names_end) - part->name);
    return 1;
}

/* The postings of its word, without those of documents that are gone. */
static int copy_word(Writer *writer, Part *part) {
    for (uint32_t many = next_of(&part->counts); many; many--) {
        uint32_t document = next_of(&part->documents), titled = next_of(&part->titled), told = next_of(&part->told);
        if (document >= (size_t)part->numbers.len / sizeof(int32_t)) return spoilt();
        int32_t number;
        memcpy(&number, (const char *)part->numbers.buf + document * sizeof number, sizeof number);
        if (number < 0) {
            part->places.at += ((uint64_t)titled + told) * (uint64_t)part->places.width;
            continue;
        }
        if (add(&writer->documents, (uint32_t)number) < 0 || add(&writer->titled, titled) < 0 || add(&writer->told, told) < 0)
            return -1;
        for (uint64_t left = (uint64_t)titled + told; left; left--)
            if (add(&writer->places, next_of(&part->places)) < 0) return -1;
    }
    return 0;
}

/* Whether one comes first: by its word, then by its place among the segments. */
static int precedes(const Part *one, const Part *other) {
    int order = compare(one->name, one->size, other->name, other->size);
    return order ? order < 0 : one < other;
}

/* The first of a heap finds its place. */
static void sink(Part **heap, size_t count, size_t at) {
    for (;;) {
        size_t next = 2 * at + 1;
        if (next >= count) return;
        if (next + 1 < count && precedes(heap[next + 1], heap[next])) next++;
        if (!precedes(heap[next], heap[at])) return;
        Part *moved = heap[at];
        heap[at] = heap[next];
        heap[next] = moved;
        at = next;
    }
}

static int merge_parts(Writer *writer, Part *parts, Part **heap, size_t many) {
    size_t count = 0;
    for (size_t i = 0; i < many; i++) {
        int more = next_word(&parts[i]);
        if (more < 0) return -1;
        if (more) heap[count++] = &parts[i];
    }
    for (size_t at = count / 2; at-- > 0;) sink(heap, count, at);
    while (count) {
        const char *name = heap[0]->name;
        size_t size = heap[0]->size;
        while (count && compare(heap[0]->name, heap[0]->size, name, size) == 0) {
            int more = copy_word(writer, heap[0]) < 0 ? -1 : next_word(heap[0]);
            if (more < 0) return -1;
            if (!more) heap[0] = heap[--count];
            sink(heap, count, 0);
        }
        if (end_word(writer, name, size) < 0) return -1;
    }
    return 0;
}

/* index_merge(segments, most_words, most_postings) -> the chunks of one segment of several: of each, its chunks without
   their first words, and the new numbers of its documents */
PyObject *index_merge(PyObject *module, PyObject *args) {
    PyObject *segments;
    Py_ssize_t most_words, most_postings, many = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!nn", &PyList_Type, &segments, &most_words, &most_postings)) return NULL;
    Writer writer = {.most_words = (size_t)most_words, .most_postings = (size_t)most_postings, .chunks = PyList_New(0)};
    size_t given = (size_t)PyList_GET_SIZE(segments);
    Part *parts = PyMem_Calloc(given + 1, sizeof *parts), **heap = PyMem_Calloc(given + 1, sizeof *heap);
    if (!parts || !heap) PyErr_NoMemory();
    int failed = !writer.chunks || !parts || !heap;
    for (; !failed && many < (Py_ssize_t)given; many++) {
        PyObject *pair = PyList_GET_ITEM(segments, many);
        failed = !PyArg_Parse(pair, "(O!y*)", &PyList_Type, &parts[many].chunks, &parts[many].numbers);
        if (failed) break;
    }
    failed = failed || merge_parts(&writer, parts, heap, given) < 0;
    for (Py_ssize_t i = 0; i < many; i++) PyBuffer_Release(&parts[i].numbers);
    PyMem_Free(parts);
    PyMem_Free(heap);
    return finished(&writer, failed);
}
