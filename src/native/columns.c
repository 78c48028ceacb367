/* The columns of the block model: the same numbers as `features` of _features.py, which says what they mean, to the last
   bit. So every sum here runs in the order numpy takes, and nothing may be fused or reordered by the compiler. */

#include "native.h"

#include <string.h>

enum { ROWS = 115, LEVELS = 5, KEPT = 5, SHORT = 25, LONG = 25, GOOD_WORDS = 12, LIST = 3 };
static const double GOOD_LINK = 0.35, NO_TITLE = -999.0;
/* The rows of running sums. */
enum { WORDS, GOOD, LINKED, SIZE, PRICE };

/* Numbers of tags and hints, as _features.py lists them. */
enum { ABOVE = 0, NEAR = 8, INSIDE = 16, SHARE = 23, H1 = 27, H6, P, LI, TD, ARTICLE, MAIN, NUMBERS };

typedef struct {
    int64_t number[NUMBERS];
    Py_ssize_t total, count; /* blocks and boxes */
    const Reading *reading;
    int64_t title; /* the headline: a block, or -1 */
    /* per block */
    double *size, *words, *link, *links, *commas, *end, *linked, *good, *price, *copies, *path_count, *path_good;
    int64_t *box, *tag, *path; /* path: its number */
    double *running[KEPT]; /* one longer: sums of all blocks before */
    double *section[4];    /* words, good, linked, size of each section */
    /* per box */
    int64_t *parent, *box_tag, *hint, *group, *first, *last, *above, *inside, *inner, *outer;
    int64_t *look, *depth, *article, *outer_article, *articles;
    double *sums[KEPT], *box_link, *direct, *score;
    /* per look of a box, and of the box around it: blocks, words, good words */
    double *own_look[3], *frame_look[3];
    /* per group */
    double *members, *group_sums[KEPT];
    double all_words, all_good, all_size;
    double fixed[32];
    int fixed_count;
    float *row; /* the next row to write */
} Page;

/* One row, a number for each block. */
#define ROW(page, value)                                                              \
    do {                                                                              \
        for (Py_ssize_t i = 0; i < (page)->total; i++) (page)->row[i] = (float)(value); \
        (page)->row += (page)->total;                                                 \
    } while (0)

static double at_least(double value, double least) { return value > least ? value : least; }

static void add_fixed(Page *p, double value) { p->fixed[p->fixed_count++] = value; }

/* ---- reading what the walk found ---- */

/* All arrays are parts of one piece of memory, which is returned. */
static void *carve(Page *p) {
    size_t blocks = (size_t)p->total + 1, boxes = (size_t)p->count;
    double **of_blocks[] = {&p->size, &p->words, &p->link, &p->links, &p->commas, &p->end, &p->linked, &p->good, &p->price,
                            &p->copies, &p->running[0], &p->running[1], &p->running[2], &p->running[3], &p->running[4],
                            &p->section[0], &p->section[1], &p->section[2], &p->section[3], &p->path_count,
                            &p->path_good};
    double **of_boxes[] = {&p->sums[0], &p->sums[1], &p->sums[2], &p->sums[3], &p->sums[4], &p->box_link, &p->direct,
                           &p->score, &p->members, &p->group_sums[0], &p->group_sums[1], &p->group_sums[2],
                           &p->group_sums[3], &p->group_sums[4], &p->own_look[0], &p->own_look[1], &p->own_look[2],
                           &p->frame_look[0], &p->frame_look[1], &p->frame_look[2]};
    int64_t **whole[] = {&p->parent, &p->box_tag, &p->hint, &p->group, &p->first, &p->last, &p->above, &p->inside,
                         &p->inner, &p->outer, &p->look, &p->depth, &p->article, &p->outer_article, &p->articles};
    size_t needed = blocks * (sizeof of_blocks / sizeof *of_blocks + 3) +
                    boxes * (sizeof of_boxes / sizeof *of_boxes + sizeof whole / sizeof *whole);
    double *memory = PyMem_Calloc(needed, sizeof *memory), *at = memory;
    if (!memory) return PyErr_NoMemory();
    for (size_t i = 0; i < sizeof of_blocks / sizeof *of_blocks; i++, at += blocks) *of_blocks[i] = at;
    for (size_t i = 0; i < sizeof of_boxes / sizeof *of_boxes; i++, at += boxes) *of_boxes[i] = at;
    int64_t *next = (int64_t *)at;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++, next += boxes) *whole[i] = next;
    p->box = next;
    p->tag = next + blocks;
    p->path = next + 2 * blocks;
    return memory;
}

static void read_boxes(Page *p) {
    for (Py_ssize_t i = 0; i < p->count; i++) {
        const Box *box = &p->reading->boxes[i];
        p->parent[i] = box->parent < 0 ? 0 : box->parent;
        p->box_tag[i] = box->tag, p->hint[i] = box->hint, p->group[i] = box->group, p->look[i] = box->look;
        p->first[i] = box->first, p->last[i] = box->end;
    }
}

static int is_sign(Py_UCS4 c) { return c == '$' || c == 0x20AC || c == 0xA3 || c == 0xA5 || c == 0x20B9; }

/* Whether a text has what every price has: a sign or the name of a currency. */
static int has_money(PyObject *text) {
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        if (is_sign(c)) return 1;
        if ((c != 'U' && c != 'E' && c != 'G') || i + 2 >= size) continue;
        Py_UCS4 second = PyUnicode_READ(kind, data, i + 1), third = PyUnicode_READ(kind, data, i + 2);
        if ((c == 'U' && second == 'S' && third == 'D') || (c == 'E' && second == 'U' && third == 'R') ||
            (c == 'G' && second == 'B' && third == 'P'))
            return 1;
    }
    return 0;
}

static int end_of(Py_UCS4 c) {
    switch (c) {
        case '.': case '!': case '?': case '"': case 0x2026: case 0x3002: case 0x201D: case 0xFF01: case 0xFF1F:
        case 0x300D: return 1;
        case ':': return 2;
        case ',': case ';': return 3;
        default: return 0;
    }
}

/* A character of Chinese or Japanese. */
static int is_wide(Py_UCS4 c) {
    return c >= 0x3040 && (c <= 0x30FF || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
                           (c >= 0x20000 && c <= 0x3FFFF));
}

/* Size, words, commas, end and price of a text. */
static int measure(Page *p, Py_ssize_t at, PyObject *text, PyObject *find_price) {
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), spaces = 0, commas = 0, wide = 0, words;
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        spaces += c == ' ';
        commas += c == ',' || c == 0x3001 || c == 0xFF0C;
        wide += is_wide(c);
    }
    words = spaces + 1 + wide / 2;
    p->size[at] = size;
    p->words[at] = words;
    p->commas[at] = commas;
    p->end[at] = end_of(PyUnicode_READ(kind, data, size - 1));
    if (words > SHORT || !has_money(text)) return 0;
    PyObject *found = PyObject_CallOneArg(find_price, text);
    p->price[at] = found && found != Py_None;
    Py_XDECREF(found);
    return found ? 0 : -1;
}

static int read_blocks(Page *p, PyObject *find_price) {
    for (Py_ssize_t i = 0; i < p->total; i++) {
        const Block *block = &p->reading->blocks[i];
        if (measure(p, i, block->text, find_price) < 0) return -1;
        p->box[i] = block->box;
        p->tag[i] = p->box_tag[block->box];
        p->links[i] = block->links;
        p->link[i] = block->linked / p->size[i] < 1.0 ? block->linked / p->size[i] : 1.0;
        p->linked[i] = p->size[i] * p->link[i];
        p->good[i] = p->words[i] >= GOOD_WORDS && p->link[i] < GOOD_LINK ? p->words[i] : 0.0;
    }
    return 0;
}

/* How often each text occurs: the first of the copies counts for all, and the others remember which it is. */
static int count_copies(Page *p) {
    Numbers hashes = {0};
    int64_t *latest = PyMem_Calloc((size_t)p->total, 2 * sizeof *latest), *before = latest + p->total, number = 0;
    if (!latest) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < p->total && number >= 0; i++) {
        PyObject *text = p->reading->blocks[i].text;
        number = number_of(&hashes, (uint64_t)PyObject_Hash(text), (uint64_t)PyUnicode_GET_LENGTH(text));
        if (number < 0) break;
        /* Places plus one: the last new text with this hash, and the one before that. */
        int64_t at = latest[number];
        while (at && PyUnicode_Compare(p->reading->blocks[at - 1].text, text) != 0) at = before[at - 1];
        if (at) {
            p->copies[at - 1]++;
            p->copies[i] = -(double)(at - 1);
            continue;
        }
        before[i] = latest[number];
        latest[number] = i + 1;
        p->copies[i] = 1;
    }
    for (Py_ssize_t i = 0; i < p->total; i++)
        if (p->copies[i] <= 0) p->copies[i] = p->copies[(Py_ssize_t)-p->copies[i]];
    PyMem_Free(latest);
    PyMem_Free(hashes.cells);
    return number < 0 ? -1 : 0;
}

static void add_up(Page *p) {
    double *values[KEPT] = {p->words, p->good, p->linked, p->size, p->price};
    for (int k = 0; k < KEPT; k++) {
        for (Py_ssize_t i = 0; i < p->total; i++) p->running[k][i + 1] = p->running[k][i] + values[k][i];
        for (Py_ssize_t b = 0; b < p->count; b++) p->sums[k][b] = p->running[k][p->last[b]] - p->running[k][p->first[b]];
        for (Py_ssize_t b = 0; b < p->count; b++) p->group_sums[k][p->group[b]] += p->sums[k][b];
    }
    for (Py_ssize_t b = 0; b < p->count; b++) {
        p->box_link[b] = p->sums[LINKED][b] / at_least(p->sums[SIZE][b], 1);
        p->members[p->group[b]]++;
    }
    p->all_words = at_least(p->running[WORDS][p->total], 1);
    p->all_good = at_least(p->running[GOOD][p->total], 1);
    p->all_size = at_least(p->running[SIZE][p->total], 1);
}

/* ---- groups of columns ---- */

static void own(Page *p) {
    ROW(p, p->size[i]);
    ROW(p, p->words[i]);
    ROW(p, p->link[i]);
    ROW(p, p->links[i]);
    ROW(p, p->commas[i]);
    ROW(p, p->end[i]);
    ROW(p, p->tag[i]);
    ROW(p, (double)i / p->total);
    ROW(p, p->total - i);
    ROW(p, p->running[SIZE][i + 1] / p->all_size);
}

static int64_t above(const Page *p, int64_t box, int levels) {
    while (levels--) box = p->parent[box];
    return box;
}

static void boxes(Page *p) {
    const double *words = p->sums[WORDS];
    for (int up = 0; up < LEVELS; up++) ROW(p, words[above(p, p->box[i], up)]);
    for (int up = 0; up < LEVELS; up++) ROW(p, p->box_link[above(p, p->box[i], up)]);
    for (int up = 0; up < LEVELS; up++) {
        for (Py_ssize_t i = 0; i < p->total; i++) {
            int64_t box = above(p, p->box[i], up);
            p->row[i] = (float)(p->sums[GOOD][box] / at_least(words[box], 1));
            p->row[i + LEVELS * p->total] = (float)(words[box] / at_least(p->last[box] - p->first[box], 1));
            p->row[i + 2 * LEVELS * p->total] = (float)(words[box] / p->all_words);
        }
        p->row += p->total;
    }
    p->row += 2 * LEVELS * p->total;
    ROW(p, p->box_tag[above(p, p->box[i], 1)]);
    ROW(p, p->box_tag[above(p, p->box[i], 4)]);
}

/* For each box: hints and tags of all boxes around it, and the innermost and outermost list item it stands in. */
static void inherit(Page *p) {
    p->inside[0] = 1;
    p->inner[0] = p->outer[0] = -1;
    for (Py_ssize_t b = 1; b < p->count; b++) {
        int64_t parent = p->parent[b];
        int listed = p->members[p->group[b]] >= LIST;
        p->above[b] = p->above[parent] | p->hint[b];
        p->inside[b] = p->inside[parent] | (int64_t)1 << p->box_tag[b];
        p->inner[b] = listed ? b : p->inner[parent];
        p->outer[b] = listed && p->outer[parent] < 0 ? b : p->outer[parent];
    }
}

static double list_value(const Page *p, int64_t group, int column) {
    double words = p->group_sums[WORDS][group], members = p->members[group];
    switch (column) {
        case 0: return members;
        case 1: return words / members;
        case 2: return words / p->all_words;
        case 3: return p->group_sums[GOOD][group] / at_least(words, 1);
        case 4: return p->group_sums[LINKED][group] / at_least(p->group_sums[SIZE][group], 1);
        default: return p->group_sums[PRICE][group] / members;
    }
}

static void lists(Page *p) {
    const int64_t *number = p->number, *item[2] = {p->inner, p->outer};
    for (int k = ABOVE; k < NEAR; k++) ROW(p, p->above[p->box[i]] >> number[k] & 1);
    for (int k = NEAR; k < INSIDE; k++) ROW(p, (p->hint[p->box[i]] | p->hint[p->parent[p->box[i]]]) >> number[k] & 1);
    for (int k = INSIDE; k < SHARE; k++) ROW(p, p->inside[p->box[i]] >> number[k] & 1);
    for (int column = 0; column < 6; column++)
        for (int k = 0; k < 2; k++)
            ROW(p, item[k][p->box[i]] < 0 ? 0.0 : list_value(p, p->group[item[k][p->box[i]]], column));
    for (int k = 0; k < 2; k++) ROW(p, item[k][p->box[i]] < 0 ? 0.0 : p->sums[WORDS][item[k][p->box[i]]]);
    double most = 0, most_good = 0;
    for (Py_ssize_t g = 0; g < p->count; g++) {
        if (p->members[g] < LIST) continue;
        most = at_least(p->group_sums[WORDS][g], most);
        most_good = at_least(p->group_sums[GOOD][g], most_good);
    }
    add_fixed(p, most / p->all_words);
    add_fixed(p, most_good / p->all_good);
}

/* The box that is the best parent of paragraphs. */
static int64_t best_parent(Page *p) {
    int64_t best = 0;
    for (Py_ssize_t i = 0; i < p->total; i++) {
        p->direct[p->parent[p->box[i]]] += p->good[i];
        p->direct[p->box[i]] += p->good[i];
    }
    for (Py_ssize_t b = 0; b < p->count; b++) p->score[p->parent[b]] += 0.5 * p->direct[b];
    for (Py_ssize_t b = 0; b < p->count; b++)
        if (p->direct[b] + p->score[b] > p->direct[best] + p->score[best]) best = b;
    return best;
}

/* The smallest boxes that hold most of the good text, and the best parent of paragraphs. */
static void centre(Page *p) {
    int64_t place[4] = {0, 0, 0, 0};
    for (int k = 0; k < 2; k++) {
        for (Py_ssize_t b = p->count - 1; b > 0 && !place[k]; b--)
            if (p->sums[GOOD][b] >= (k ? 0.9 : 0.6) * p->all_good) place[k] = b;
        add_fixed(p, p->sums[WORDS][place[k]] / p->all_words);
        add_fixed(p, p->box_link[place[k]]);
        add_fixed(p, p->last[place[k]] - p->first[place[k]]);
    }
    place[2] = best_parent(p);
    place[3] = p->parent[place[2]];
    for (int k = 0; k < 3; k++) ROW(p, (double)(p->first[place[k]] - i) / p->total);
    for (int k = 0; k < 3; k++) ROW(p, (double)(i - p->last[place[k]]) / p->total);
    for (int k = 0; k < 4; k++) ROW(p, i >= p->first[place[k]] && i < p->last[place[k]]);
    add_fixed(p, p->sums[GOOD][place[2]] / p->all_good);
}

static int is_head(const Page *p, Py_ssize_t i) { return p->tag[i] >= p->number[H1] && p->tag[i] <= p->number[H6]; }

/* Columns of the section a block stands in. A section is numbered by its heading's place plus one. */
static void headings(Page *p) {
    Py_ssize_t first = -1, count = 0;
    double *values[4] = {p->words, p->good, p->linked, p->size};
    for (Py_ssize_t i = 0, at = 0; i < p->total; i++) {
        if (is_head(p, i)) at = i + 1;
        for (int k = 0; k < 4; k++) p->section[k][at] += values[k][i];
        if (p->tag[i] != p->number[H1]) continue;
        if (first < 0) first = i;
        count++;
    }
    ROW(p, (double)(i - (first < 0 ? 0 : first)) / p->total);
    for (Py_ssize_t i = 0, at = 0; i < p->total; i++) {
        if (is_head(p, i)) at = i + 1;
        p->row[i] = (float)(i + 1 - at);
        p->row[i + p->total] = (float)(at ? p->tag[at - 1] : 0);
        p->row[i + 2 * p->total] = (float)p->section[0][at];
        p->row[i + 3 * p->total] = (float)p->section[1][at];
        p->row[i + 4 * p->total] = (float)(p->section[2][at] / at_least(p->section[3][at], 1));
    }
    p->row += 5 * p->total;
    add_fixed(p, count);
}

/* The part of one running sum within `width` blocks of a place. */
static double around(const Page *p, int kept, Py_ssize_t at, Py_ssize_t width) {
    Py_ssize_t low = at > width ? at - width : 0, high = at + width + 1 < p->total ? at + width + 1 : p->total;
    return kept < 0 ? high - low : p->running[kept][high] - p->running[kept][low];
}

static void neighbours(Page *p) {
    Py_ssize_t end = p->total - 1;
    ROW(p, p->tag[i ? i - 1 : 0]);
    ROW(p, p->tag[i < end ? i + 1 : end]);
    ROW(p, p->words[i < end ? i + 1 : end]);
    ROW(p, p->link[i < end ? i + 1 : end]);
    ROW(p, around(p, GOOD, i, 15) / around(p, -1, i, 15));
    ROW(p, around(p, LINKED, i, 5) / around(p, SIZE, i, 5));
    ROW(p, around(p, LINKED, i, 15) / around(p, SIZE, i, 15));
    ROW(p, p->copies[i]);
}

/* How deep each box is, and the articles around it. */
static void find_articles(Page *p) {
    p->article[0] = p->outer_article[0] = p->articles[0] = -1;
    for (Py_ssize_t b = 1; b < p->count; b++) {
        int64_t parent = p->parent[b];
        int is_article = p->box_tag[b] == p->number[ARTICLE];
        p->depth[b] = p->depth[parent] + 1;
        p->article[b] = is_article ? b : p->article[parent];
        p->outer_article[b] = is_article && p->outer_article[parent] < 0 ? b : p->outer_article[parent];
        p->articles[b] = p->articles[b - 1] + is_article;
    }
}

/* From the innermost box around the headline outwards: the first that holds the block. */
static void seen_from_title(Page *p) {
    for (Py_ssize_t i = 0; i < p->total; i++) p->row[i] = -1;
    int64_t box = p->title < 0 ? 0 : p->box[p->title], last_box = -1;
    for (int64_t up = 0; p->title >= 0 && box != last_box; up++) {
        for (Py_ssize_t i = p->first[box]; i < p->last[box]; i++)
            if (p->row[i] < 0) p->row[i] = (float)up;
        last_box = box;
        box = p->parent[box];
    }
    p->row += p->total;
}

/* Columns of where a block is: seen from the headline, how deep, and in which article of the page. */
static void places(Page *p) {
    double sum = 0;
    find_articles(p);
    for (Py_ssize_t i = 0; i < p->total; i++) sum += p->good[i] * p->depth[p->box[i]];
    seen_from_title(p);
    ROW(p, p->title < 0 ? NO_TITLE : (double)(i - p->title));
    ROW(p, 0);
    ROW(p, p->depth[p->box[i]] - sum / p->all_good);
    ROW(p, p->article[p->box[i]] < 0 ? -1.0 : p->articles[p->article[p->box[i]]]);
    ROW(p, p->article[p->box[i]] < 0 ? -1.0 : p->sums[WORDS][p->article[p->box[i]]] / p->all_words);
    ROW(p, p->article[p->box[i]] < 0 ? -1.0 : p->sums[GOOD][p->outer_article[p->box[i]]] / p->all_good);
}

/* For each pair of looks, of a box and of the box around it: how many blocks and good words. */
static int count_paths(Page *p) {
    Numbers known = {0};
    int64_t number = 0;
    for (Py_ssize_t i = 0; i < p->total && number >= 0; i++) {
        number = number_of(&known, (uint64_t)p->look[p->box[i]], (uint64_t)p->look[p->parent[p->box[i]]]);
        if (number < 0) break;
        p->path[i] = number;
        p->path_count[number]++;
        p->path_good[number] += p->good[i];
    }
    PyMem_Free(known.cells);
    return number < 0 ? -1 : 0;
}

/* Columns of all blocks whose box, the box around it, or both, look the same. */
static int looks(Page *p) {
    if (count_paths(p) < 0) return -1;
    for (Py_ssize_t i = 0; i < p->total; i++) {
        int64_t own = p->look[p->box[i]], frame = p->look[p->parent[p->box[i]]];
        double values[3] = {1, p->words[i], p->good[i]};
        for (int k = 0; k < 3; k++) p->own_look[k][own] += values[k], p->frame_look[k][frame] += values[k];
    }
#define OWN(k) p->own_look[k][p->look[p->box[i]]]
#define FRAME(k) p->frame_look[k][p->look[p->parent[p->box[i]]]]
    ROW(p, OWN(0));
    ROW(p, OWN(1) / p->all_words);
    ROW(p, OWN(1) / OWN(0));
    ROW(p, OWN(2) / OWN(1));
    ROW(p, FRAME(0));
    ROW(p, FRAME(1) / p->all_words);
    ROW(p, FRAME(2) / p->all_good);
    ROW(p, FRAME(2) / FRAME(1));
#undef OWN
#undef FRAME
    ROW(p, p->path_count[p->path[i]]);
    ROW(p, p->path_good[p->path[i]] / p->all_good);
    return 0;
}

static void whole_page(Page *p) {
    double words = 0, best = 0, heads = 0, of_tag[NUMBERS] = {0}, of_hint[4] = {0};
    for (Py_ssize_t i = 0; i < p->total; i++) {
        if (p->words[i] >= LONG) words += p->words[i];
        best = at_least(p->good[i], best);
        heads += is_head(p, i);
        for (int k = P; k <= TD; k++) of_tag[k] += p->tag[i] == p->number[k];
    }
    for (Py_ssize_t b = 0; b < p->count; b++) {
        for (int k = ARTICLE; k <= MAIN; k++) of_tag[k] += p->box_tag[b] == p->number[k];
        for (int k = 0; k < 4; k++) of_hint[k] += p->hint[b] >> p->number[SHARE + k] & 1;
    }
    const double values[] = {p->total, p->all_words, p->running[LINKED][p->total] / p->all_size, p->all_good / p->all_words,
                             words / p->all_words, best, p->running[PRICE][p->total], heads,
                             (double)p->reading->hidden};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) add_fixed(p, values[k]);
    for (int k = P; k <= TD; k++) add_fixed(p, of_tag[k] / p->total);
    for (int k = ARTICLE; k <= MAIN; k++) add_fixed(p, of_tag[k]);
    for (int k = 0; k < 4; k++) add_fixed(p, of_hint[k] / p->count);
}

/* ---- for Python ---- */

static int fill(Page *p, PyObject *find_price) {
    read_boxes(p);
    if (read_blocks(p, find_price) < 0 || count_copies(p) < 0) return -1;
    add_up(p);
    inherit(p);
    own(p);
    boxes(p);
    lists(p);
    centre(p);
    headings(p);
    neighbours(p);
    places(p);
    whole_page(p);
    return looks(p);
}

static PyObject *fixed_of(const Page *p) {
    PyObject *list = PyList_New(p->fixed_count);
    for (int k = 0; list && k < p->fixed_count; k++) {
        PyObject *value = PyFloat_FromDouble(p->fixed[k]);
        if (!value) Py_CLEAR(list);
        else PyList_SET_ITEM(list, k, value);
    }
    return list;
}

/* columns(reading, title, numbers, find_price, float32 rows, float64 words) -> what is the same for all blocks */
PyObject *fill_columns(PyObject *module, PyObject *args) {
    Page p = {0};
    PyObject *numbers, *find_price, *found = NULL;
    Py_buffer rows, words;
    long long title;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!LO!Ow*w*", &ReadingType, &p.reading, &title, &PyTuple_Type, &numbers, &find_price,
                          &rows, &words))
        return NULL;
    p.total = (Py_ssize_t)p.reading->block_count;
    p.count = (Py_ssize_t)p.reading->box_count;
    p.title = title;
    p.row = rows.buf;
    void *memory = NULL;
    if (!p.total || title < -1 || title >= p.total || PyTuple_GET_SIZE(numbers) != NUMBERS ||
        rows.len != ROWS * p.total * (Py_ssize_t)sizeof(float) || words.len != p.total * (Py_ssize_t)sizeof(double))
        PyErr_SetString(PyExc_ValueError, "these sizes are of no page");
    else
        memory = carve(&p);
    if (memory) {
        for (int k = 0; k < NUMBERS; k++) p.number[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(numbers, k)) & 63;
        if (!PyErr_Occurred() && fill(&p, find_price) == 0) found = fixed_of(&p);
        if (found) memcpy(words.buf, p.words, words.len);
    }
    PyMem_Free(memory);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&words);
    return found;
}
