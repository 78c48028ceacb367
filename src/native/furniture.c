/* Blocks that are no part of a text: the rules of furniture.py for every page, which says what they are for. */

#include "native.h"

#include <string.h>

static int32_t P, H1, H6, NOSCRIPT, ROW, NAV, PRE, TABLE, LISTS[3], CAPTION;
static int64_t APART, MENU, NAMES;
/* Words of an article, of a long text, of a part, of little code, and of a sentence. */
enum { ARTICLE = 150, LONG = 200, PART = 20, LITTLE_CODE = 25, SENTENCE = 8, MOST_PAGER = 30 };
static const double REST = 0.1, HALF = 0.5, MOST = 0.8, FEW_LINKS = 0.3;
static const float LINKED = 0.8f;

int furniture_setup(void) {
    P = tag_number("p"), H1 = tag_number("h1"), H6 = tag_number("h6"), NOSCRIPT = tag_number("noscript");
    ROW = tag_number("tr"), NAV = tag_number("nav"), PRE = tag_number("pre"), TABLE = tag_number("table");
    LISTS[0] = tag_number("ul"), LISTS[1] = tag_number("ol"), LISTS[2] = tag_number("dl");
    CAPTION = tag_number("figcaption");
    APART = hint_bit("apart"), MENU = hint_bit("menu");
    NAMES = hint_bit("related") | hint_bit("share") | hint_bit("signup");
    return 0;
}

typedef struct {
    const Box *boxes;
    const Block *blocks;
    size_t box_count, count;
    const float *link, *comment, *copies, *aside, *core; /* rows of columns */
    const double *words;
    char *keep;
    char *mark;      /* the furniture that a rule is about */
    double *running; /* one longer than there are blocks */
    double *own;     /* words, without those that do not count */
    /* Which kind of page it is. */
    int is_unknown, is_manual, is_article, is_product, is_forum, is_documentation;
} Page;

static int32_t tag_of(const Page *p, size_t block) { return p->boxes[p->blocks[block].box].tag; }

/* Drop what is marked, if enough remains. */
static void drop_marked(Page *p, double least, double share) {
    double rest = 0, all = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->keep[i]) all += p->words[i], rest += p->mark[i] ? 0 : p->words[i];
    if (rest < least || rest < share * all) return;
    for (size_t i = 0; i < p->count; i++) p->keep[i] &= !p->mark[i];
}

/* Mark the blocks in boxes with one of the names, or of that element. The names of headings do not count. */
static void mark_named(Page *p, int64_t names, int32_t element) {
    /* Boxes are nested: where they begin and end is noted first, so that no block is marked twice. */
    memset(p->running, 0, (p->count + 1) * sizeof *p->running);
    for (size_t b = 0; b < p->box_count; b++) {
        const Box *box = &p->boxes[b];
        if (box->tag != element && (!(box->hint & names) || (H1 <= box->tag && box->tag <= H6))) continue;
        p->running[box->first]++;
        p->running[box->end]--;
    }
    double open = 0;
    for (size_t i = 0; i < p->count; i++) p->mark[i] = (open += p->running[i]) > 0;
}

/* Running sums of words, or of linked words. */
static void add_up(Page *p, const double *words, const float *share) {
    p->running[0] = 0;
    for (size_t i = 0; i < p->count; i++) p->running[i + 1] = p->running[i] + (share ? words[i] * share[i] : words[i]);
}

static double sum_of(const double *values, size_t first, size_t end) {
    double sum = 0;
    while (first < end) sum += values[first++];
    return sum;
}

/* ---- what is dropped ---- */

/* Keep all lines of a code block of which some are kept. */
static int whole_code(Page *p) {
    char *begun = PyMem_Calloc(p->box_count, 1);
    if (!begun) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < p->count; i++)
        if (p->keep[i] && p->blocks[i].pre >= 0) begun[p->blocks[i].pre] = 1;
    for (size_t i = 0; i < p->count; i++)
        if (p->blocks[i].pre >= 0) p->keep[i] |= begun[p->blocks[i].pre];
    PyMem_Free(begun);
    return 0;
}

/* Keep or drop a table row with all of its cells. */
static void whole_rows(Page *p) {
    for (size_t b = 0; b < p->box_count; b++) {
        const Box *box = &p->boxes[b];
        if (box->tag != ROW) continue;
        double all = 0, kept = 0;
        int32_t count = 0;
        for (int32_t i = box->first; i < box->end; i++) {
            all += p->words[i];
            if (p->keep[i]) count++, kept += p->words[i];
        }
        if (count && count < box->end - box->first && kept >= HALF * all)
            memset(p->keep + box->first, 1, (size_t)(box->end - box->first));
    }
}

/* Drop blocks of `noscript` that hold markup as text. */
static void drop_escaped(Page *p) {
    for (size_t i = 0; i < p->count; i++) {
        PyObject *text = p->blocks[i].text;
        if (p->keep[i] && tag_of(p, i) == NOSCRIPT && PyUnicode_READ_CHAR(text, 0) == '<' &&
            PyUnicode_READ_CHAR(text, PyUnicode_GET_LENGTH(text) - 1) == '>')
            p->keep[i] = 0;
    }
}

/* Mark blocks in a box named after menus, unless it is a text. */
static void mark_menus(Page *p) {
    add_up(p, p->words, p->link);
    memset(p->mark, 0, p->count);
    for (size_t b = 0; b < p->box_count; b++) {
        const Box *box = &p->boxes[b];
        if (!(box->hint & MENU) || (H1 <= box->tag && box->tag <= H6)) continue;
        double linked = p->running[box->end] - p->running[box->first];
        if (linked > FEW_LINKS * sum_of(p->words, (size_t)box->first, (size_t)box->end))
            memset(p->mark + box->first, 1, (size_t)(box->end - box->first));
    }
}

/* Drop the headline of a long text. */
static void drop_headline(Page *p) {
    size_t head = 0;
    while (head < p->count && tag_of(p, head) != H1) head++;
    if (head == p->count || !p->keep[head]) return;
    double kept = 0;
    for (size_t i = head; i < p->count; i++) kept += p->keep[i] ? p->words[i] : 0;
    if (kept >= LONG) p->keep[head] = 0;
}

static void mark_captions(Page *p) {
    for (size_t i = 0; i < p->count; i++) {
        const Box *box = &p->boxes[p->blocks[i].box];
        p->mark[i] = box->tag == CAPTION || p->boxes[box->parent < 0 ? 0 : box->parent].tag == CAPTION;
    }
}

/* Keep each text once; code may repeat. */
static int keep_once(Page *p) {
    PyObject *seen = NULL;
    int failed = 0;
    for (size_t i = 0; !failed && i < p->count; i++) {
        const Block *block = &p->blocks[i];
        if (!p->keep[i] || !(p->copies[i] > 1) || p->words[i] < SENTENCE || block->pre >= 0) continue;
        PyObject *around = PyLong_FromLong(p->boxes[block->box].parent), *first = NULL;
        if (!seen) seen = PyDict_New();
        if (seen && around) first = PyDict_SetDefault(seen, block->text, around);
        failed = !first;
        if (first && PyLong_AsLong(first) != p->boxes[block->box].parent) p->keep[i] = 0;
        Py_XDECREF(around);
    }
    Py_XDECREF(seen);
    return failed ? -1 : 0;
}

static int drop_furniture(Page *p) {
    if (whole_code(p) < 0) return -1;
    whole_rows(p);
    drop_escaped(p);
    mark_named(p, APART, -1);
    drop_marked(p, 0, REST);
    if (p->is_manual) {
        mark_menus(p);
        drop_marked(p, 0, REST);
    }
    if (p->is_documentation) return 0;
    if (!p->is_forum) {
        for (size_t i = 0; i < p->count; i++) p->mark[i] = p->comment[i] > 0;
        drop_marked(p, ARTICLE, REST);
    }
    if (!p->is_product) drop_headline(p);
    mark_captions(p);
    drop_marked(p, 0, HALF);
    for (size_t i = 0; i < p->count; i++) p->mark[i] = p->aside[i] > 0;
    drop_marked(p, LONG, REST);
    if (p->is_article) {
        for (size_t i = 0; i < p->count; i++) p->mark[i] = p->link[i] > LINKED && (p->core[i] == 0 || tag_of(p, i) == P);
        drop_marked(p, ARTICLE, HALF);
    }
    return keep_once(p);
}

/* ---- what is added ---- */

static int goes_on(const Page *p, const Box *box) {
    int is_list = box->tag == LISTS[0] || box->tag == LISTS[1] || box->tag == LISTS[2];
    if (box->first <= 0 || box->first >= box->end) return 0;
    if (box->tag == PRE)
        return p->is_unknown || sum_of(p->words, (size_t)box->first, (size_t)box->end) <= LITTLE_CODE;
    return (is_list && !p->is_article) || (box->tag == TABLE && p->is_manual);
}

/* The blocks of the smallest box around `number` that also holds `block` and enough words; never the whole page. */
static void part_around(const Page *p, int32_t number, int32_t block, int32_t *start, int32_t *stop) {
    double least = p->is_unknown ? PART : 0;
    for (; number > 0; number = p->boxes[number].parent) {
        *start = p->boxes[number].first, *stop = p->boxes[number].end;
        if (*start <= block && p->running[*stop] - p->running[*start] > least) return;
    }
    *start = block, *stop = block + 1;
}

static int is_any(const char *found, int32_t first, int32_t end) { return memchr(found + first, 1, (size_t)(end - first)) != NULL; }

/* Whether a box continues a kept block, in a part that is kept. */
static int is_wanted(const Page *p, const Box *box) {
    int32_t near = p->is_unknown && (box->tag == TABLE || box->tag == PRE) ? 2 : 1, start, stop;
    double all = 0, kept = 0;
    if (!is_any(p->keep, box->first < near ? 0 : box->first - near, box->first)) return 0;
    if (!memchr(p->keep + box->first, 0, (size_t)(box->end - box->first)) || is_any(p->mark, box->first, box->end)) return 0;
    part_around(p, box->parent, box->first - 1, &start, &stop);
    for (int32_t i = start; i < stop; i++) {
        if (i >= box->first && i < box->end) continue;
        all += p->own[i];
        kept += p->keep[i] ? p->own[i] : 0;
    }
    return all > PART && kept >= MOST * all;
}

/* Add the code and lists, in manuals also the tables, that continue a kept block in a part that is kept. */
static void fill_gaps(Page *p) {
    memcpy(p->own, p->words, p->count * sizeof *p->own);
    mark_named(p, APART | NAMES, NAV);
    for (size_t b = 0; p->is_unknown && b < p->box_count; b++)
        if (goes_on(p, &p->boxes[b])) /* A part is judged by its sentences. */
            for (int32_t i = p->boxes[b].first; i < p->boxes[b].end; i++) p->own[i] = 0;
    add_up(p, p->own, NULL);
    for (size_t b = 0; b < p->box_count; b++) {
        const Box *box = &p->boxes[b];
        if (goes_on(p, box) && is_wanted(p, box)) memset(p->keep + box->first, 1, (size_t)(box->end - box->first));
    }
}

/* ---- for Python ---- */

static void name_kind(Page *p, PyObject *kind) {
    p->is_unknown = !PyUnicode_GET_LENGTH(kind);
    p->is_documentation = PyUnicode_CompareWithASCIIString(kind, "documentation") == 0;
    p->is_article = PyUnicode_CompareWithASCIIString(kind, "article") == 0;
    p->is_product = PyUnicode_CompareWithASCIIString(kind, "product") == 0;
    p->is_forum = PyUnicode_CompareWithASCIIString(kind, "forum") == 0;
    p->is_manual = p->is_unknown || p->is_documentation;
}

/* furniture(reading, float32 rows, (link, comment, copies, aside, core), float64 words, kind, keep as bytes): takes what is
   no part of the text out of what is kept, and adds what continues it */
PyObject *drop_all_furniture(PyObject *module, PyObject *args) {
    const Reading *reading;
    Py_buffer rows, words, keep;
    int link, comment, copies, aside, core;
    PyObject *kind, *done = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*(iiiii)y*Uw*", &ReadingType, &reading, &rows, &link, &comment, &copies, &aside, &core,
                          &words, &kind, &keep))
        return NULL;
    size_t count = reading->block_count, height = count ? (size_t)rows.len / (count * sizeof(float)) : 0;
    const float *first = rows.buf;
    Page p = {.boxes = reading->boxes, .blocks = reading->blocks, .box_count = reading->box_count, .count = count};
    char *memory = NULL;
#define AT(row) ((size_t)(row) < height ? first + (size_t)(row) * count : NULL)
    p.link = AT(link), p.comment = AT(comment), p.copies = AT(copies), p.aside = AT(aside), p.core = AT(core);
#undef AT
    if (!p.link || !p.comment || !p.copies || !p.aside || !p.core || (size_t)keep.len != count ||
        (size_t)words.len != count * sizeof(double))
        PyErr_SetString(PyExc_ValueError, "these sizes are of no page");
    else if (!(memory = PyMem_Malloc((2 * count + 1) * sizeof(double) + count)))
        PyErr_NoMemory();
    if (memory) {
        p.running = (double *)memory;
        p.own = p.running + count + 1;
        p.mark = (char *)(p.own + count);
        p.words = words.buf;
        p.keep = keep.buf;
        name_kind(&p, kind);
        if (drop_furniture(&p) == 0) {
            fill_gaps(&p);
            done = Py_NewRef(Py_None);
        }
    }
    PyMem_Free(memory);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&words);
    PyBuffer_Release(&keep);
    return done;
}

/* Whether a text may begin as a link to the previous or the next page does: the rule of Python is asked then. */
static int may_be_pager(PyObject *text) {
    static const char BEGINNINGS[][4] = {"pre", "nex", "zur", "wei", "vor", "sui", "ant", "sig", "seg", "suc", "vol", "pop", "nas"};
    Py_UCS4 c[3] = {0, 0, 0};
    for (Py_ssize_t i = 0; i < 3 && i < PyUnicode_GET_LENGTH(text); i++) {
        c[i] = PyUnicode_READ_CHAR(text, i);
        /* Other alphabets, letters with accents, and signs before the word. */
        if (c[i] > '~' || (i == 0 && !Py_ISALPHA(c[i]))) return 1;
    }
    for (size_t k = 0; k < sizeof BEGINNINGS / sizeof *BEGINNINGS; k++)
        if (Py_TOLOWER(c[0]) == BEGINNINGS[k][0] && Py_TOLOWER(c[1]) == BEGINNINGS[k][1] && Py_TOLOWER(c[2]) == BEGINNINGS[k][2])
            return 1;
    return 0;
}

/* Whether a block is links, but for what separates them. */
static int is_linked(const Block *block) {
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(block->text); i++)
        count += Py_UNICODE_ISALNUM(PyUnicode_READ_CHAR(block->text, i)) != 0;
    return (double)block->linked > MOST * (double)count;
}

/* pager(reading, float32 link, float64 words, begins, found as bytes) -> how many blocks link to the previous and the next
   page; fills in which */
PyObject *find_pager(PyObject *module, PyObject *args) {
    const Reading *reading;
    Py_buffer links, words, found;
    PyObject *begins;
    Py_ssize_t many = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*y*Ow*", &ReadingType, &reading, &links, &words, &begins, &found)) return NULL;
    size_t count = reading->block_count;
    if ((size_t)links.len != count * sizeof(float) || (size_t)words.len != count * sizeof(double) ||
        (size_t)found.len != count) {
        PyErr_SetString(PyExc_ValueError, "these sizes are of no page");
        many = -1;
    }
    for (size_t i = 0; many >= 0 && i < count; i++) {
        const Block *block = &reading->blocks[i];
        ((char *)found.buf)[i] = 0;
        if (!(((float *)links.buf)[i] > (float)HALF) || ((double *)words.buf)[i] > MOST_PAGER || !may_be_pager(block->text))
            continue;
        PyObject *match = PyObject_CallOneArg(begins, block->text);
        if (!match) many = -1;
        else if (match != Py_None && is_linked(block)) many++, ((char *)found.buf)[i] = 1;
        Py_XDECREF(match);
    }
    PyBuffer_Release(&links);
    PyBuffer_Release(&words);
    PyBuffer_Release(&found);
    return many < 0 ? NULL : PyLong_FromSsize_t(many);
}
