/* The block model: the trees of model.py and the net of sequence.py. Every sum runs in one order and nothing is fused, so
   that a page gets the same numbers on every machine; those of numpy differ from them by rounding. */

#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, LAYERS = 5, DEPTH = 5, LEAVES = 1 << DEPTH };
static const int REACH[LAYERS] = {1, 2, 4, 8, 1};
static const char MODEL[] = "veille.model";

#if defined(__GLIBC__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE_MACHINES __attribute__((target_clones("avx2", "default")))
enum { LANES = 8 };
#else
#define WIDE_MACHINES
enum { LANES = 4 };
#endif

/* A piece of a layer, as wide as the machine adds at once. Eight of them are summed at a time, of one block or of two: as many
   as stay in registers. */
typedef float Piece __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));
enum { PIECES = WIDTH / LANES, AT_ONCE = 8 / PIECES };
#define PIECE_AT(place, k) (((const Piece *)(place))[(k) % PIECES])
#define OF_EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

typedef struct {
    Py_buffer buffer[11];
    /* Questions about blocks and about the page: a column, and its threshold. */
    const int32_t *varying, *fixed, *asked; /* asked: level by level, the question of each tree */
    const float *varying_border, *fixed_border, *answers;
    Py_ssize_t of_blocks, of_page, trees;
    float bias;
    /* The net: rows of amounts and kinds; mean and scale of amounts; weights. */
    const int32_t *amount_rows, *kind_rows;
    const float *scales, *page_scales, *weights;
    Py_ssize_t amounts, kinds, page_amounts, most_kinds;
} Model;

/* Where the parts of the weights start, in floats. */
typedef struct {
    const float *amounts, *page, *kinds, *bias, *layers, *layer_bias, *first, *last, *out;
} Weights;

static Weights weights_of(const Model *m) {
    Weights w;
    const float *at = m->weights;
    w.amounts = at, at += m->amounts * WIDTH;
    w.page = at, at += m->page_amounts * WIDTH;
    w.kinds = at, at += m->kinds * m->most_kinds * WIDTH;
    w.bias = at, at += WIDTH;
    w.layers = at, at += LAYERS * 3 * WIDTH * WIDTH;
    w.layer_bias = at, at += LAYERS * WIDTH;
    w.first = at, at += WIDTH;
    w.last = at, at += WIDTH;
    w.out = at;
    return w;
}

static Py_ssize_t weights_size(const Model *m) {
    return (m->amounts + m->page_amounts + m->kinds * m->most_kinds + 1 + LAYERS * (3 * WIDTH + 1) + 2) * WIDTH + 1;
}

/* ---- the trees ---- */

/* Whether each block answers each question with yes, a row for each question. */
WIDE_MACHINES static void answer(const Model *m, const float *rows, const float *fixed, size_t count, uint8_t *yes) {
    for (Py_ssize_t q = 0; q < m->of_blocks; q++) {
        const float *row = rows + (size_t)m->varying[q] * count;
        float border = m->varying_border[q];
        for (size_t i = 0; i < count; i++) yes[i] = row[i] > border;
        yes += count;
    }
    for (Py_ssize_t q = 0; q < m->of_page; q++, yes += count) memset(yes, fixed[m->fixed[q]] > m->fixed_border[q], count);
}

/* The number of each block's answer of one tree. */
WIDE_MACHINES static void number_answers(const Model *m, const uint8_t *yes, Py_ssize_t tree, size_t count, uint8_t *found) {
    const uint8_t *level[DEPTH];
    for (int k = 0; k < DEPTH; k++) level[k] = yes + (size_t)m->asked[k * m->trees + tree] * count;
    for (size_t i = 0; i < count; i++)
        found[i] = (uint8_t)(level[0][i] | level[1][i] << 1 | level[2][i] << 2 | level[3][i] << 3 | level[4][i] << 4);
}

static int tree_odds(const Model *m, const float *rows, const float *fixed, size_t count, float *odds) {
    size_t questions = (size_t)(m->of_blocks + m->of_page);
    uint8_t *yes = PyMem_Malloc((questions + 1) * count), *number = yes + questions * count;
    if (!yes) return PyErr_NoMemory(), -1;
    answer(m, rows, fixed, count, yes);
    for (size_t i = 0; i < count; i++) odds[i] = 0;
    for (Py_ssize_t tree = 0; tree < m->trees; tree++) {
        const float *answers = m->answers + tree * LEAVES;
        number_answers(m, yes, tree, count, number);
        for (size_t i = 0; i < count; i++) odds[i] += answers[number[i]];
    }
    for (size_t i = 0; i < count; i++) odds[i] += m->bias;
    PyMem_Free(yes);
    return 0;
}

/* ---- the net ---- */

/* An amount of any size as a number around 0; `scale` is its mean and the reciprocal of its deviation. */
static float amount(float value, const float *scale) {
    static const float FARTHEST = 4;
    /* Most amounts are 0 or 1. */
    float size = fabsf(value), found = size == 0 ? 0 : size == 1 ? 0.69314718f : logf(size + 1);
    found = ((value < 0 ? -found : found) - scale[0]) * scale[1];
    return found > FARTHEST ? FARTHEST : found < -FARTHEST ? -FARTHEST : found;
}

/* The sums of the blocks that are computed at once; `numbers` of each are multiplied with weights and added. */
#define BEGIN(k) Piece sum##k = PIECE_AT(start, k);
#define ADD_PRODUCT(k) sum##k += PIECE_AT(row, k) * number[(k) / PIECES];
#define ADD_ROW(k) sum##k += PIECE_AT(rows[(k) / PIECES], k);
#define PUT(k) ((Piece *)(out + at[(k) / PIECES] * WIDTH))[(k) % PIECES] = sum##k;
#define ADD_PRODUCTS(numbers, many, weights)                                              \
    for (Py_ssize_t n = 0; n < (many); n++) {                                             \
        const float *row = (weights) + n * WIDTH;                                         \
        float number[AT_ONCE];                                                            \
        for (int which = 0; which < AT_ONCE; which++) number[which] = (numbers)[which][n]; \
        OF_EIGHT(ADD_PRODUCT)                                                             \
    }

/* The places of the blocks that are computed at once: the last one again where there are no more. */
static void place(size_t at[AT_ONCE], size_t first, size_t count) {
    for (size_t which = 0; which < AT_ONCE; which++) at[which] = first + which < count ? first + which : count - 1;
}

/* The first layer: what a block is by its own columns, and those of the page. */
WIDE_MACHINES static void begin(const Model *m, const Weights *w, const float *start, const float *amounts,
                                const int32_t *kinds, size_t count, float *out) {
    for (size_t i = 0; i < count; i += AT_ONCE) {
        size_t at[AT_ONCE];
        const float *seen[AT_ONCE], *rows[AT_ONCE];
        place(at, i, count);
        for (int which = 0; which < AT_ONCE; which++) seen[which] = amounts + at[which] * (size_t)m->amounts;
        OF_EIGHT(BEGIN)
        ADD_PRODUCTS(seen, m->amounts, w->amounts)
        for (Py_ssize_t n = 0; n < m->kinds; n++) {
            for (int which = 0; which < AT_ONCE; which++)
                rows[which] = w->kinds + (size_t)(n * m->most_kinds + kinds[at[which] * (size_t)m->kinds + (size_t)n]) * WIDTH;
            OF_EIGHT(ADD_ROW)
        }
        OF_EIGHT(PUT)
    }
    for (size_t i = 0; i < count * WIDTH; i++) out[i] = out[i] > 0 ? out[i] : 0;
}

/* A layer: what a block is in the light of those at a distance before and after it. Beyond the ends there is nothing. */
WIDE_MACHINES static void look_around(const float *weights, const float *start, size_t reach, size_t count, const float *in,
                                      float *out) {
    static const float NOTHING[WIDTH];
    for (size_t i = 0; i < count; i += AT_ONCE) {
        size_t at[AT_ONCE];
        const float *seen[3][AT_ONCE];
        place(at, i, count);
        for (int which = 0; which < AT_ONCE; which++) {
            seen[0][which] = at[which] >= reach ? in + (at[which] - reach) * WIDTH : NOTHING;
            seen[1][which] = in + at[which] * WIDTH;
            seen[2][which] = at[which] + reach < count ? in + (at[which] + reach) * WIDTH : NOTHING;
        }
        OF_EIGHT(BEGIN)
        for (int side = 0; side < 3; side++) ADD_PRODUCTS(seen[side], WIDTH, weights + side * WIDTH * WIDTH)
        OF_EIGHT(PUT)
    }
    for (size_t i = 0; i < count * WIDTH; i++) out[i] = in[i] + (out[i] > 0 ? out[i] : 0);
}

static void read_amounts(const Model *m, const float *rows, size_t count, float *amounts, int32_t *kinds) {
    for (Py_ssize_t k = 0; k < m->amounts; k++) {
        const float *row = rows + (size_t)m->amount_rows[k] * count;
        for (size_t i = 0; i < count; i++) amounts[i * (size_t)m->amounts + (size_t)k] = amount(row[i], m->scales + 2 * k);
    }
    for (Py_ssize_t k = 0; k < m->kinds; k++) {
        const float *row = rows + (size_t)m->kind_rows[k] * count;
        for (size_t i = 0; i < count; i++) {
            int32_t kind = (int32_t)row[i];
            kinds[i * (size_t)m->kinds + (size_t)k] = kind < 0 || kind >= m->most_kinds ? 0 : kind;
        }
    }
}

static void about_page(const Model *m, const Weights *w, const float *fixed, float *page) {
    memcpy(page, w->bias, WIDTH * sizeof *page);
    for (Py_ssize_t k = 0; k < m->page_amounts; k++) {
        float value = amount(fixed[k], m->page_scales + 2 * k);
        for (int j = 0; j < WIDTH; j++) page[j] += value * w->page[k * WIDTH + j];
    }
}

static float dot(const float *left, const float *right) {
    float sum = 0;
    for (int j = 0; j < WIDTH; j++) sum += left[j] * right[j];
    return sum;
}

/* Add what the net says to the odds of the trees. */
static int add_net_odds(const Model *m, const float *rows, const float *fixed, size_t count, float *odds) {
    Weights w = weights_of(m);
    size_t each = (size_t)m->amounts + 3 * WIDTH;
    float *memory = PyMem_Malloc(count * (each * sizeof(float) + (size_t)m->kinds * sizeof(int32_t))), page[WIDTH];
    if (!memory) return PyErr_NoMemory(), -1;
    float *first = memory, *now = first + count * WIDTH, *next = now + count * WIDTH, *amounts = next + count * WIDTH;
    int32_t *kinds = (int32_t *)(amounts + count * (size_t)m->amounts);
    about_page(m, &w, fixed, page);
    read_amounts(m, rows, count, amounts, kinds);
    begin(m, &w, page, amounts, kinds, count, first);
    memcpy(now, first, count * WIDTH * sizeof *now);
    for (int layer = 0; layer < LAYERS; layer++) {
        look_around(w.layers + (size_t)layer * 3 * WIDTH * WIDTH, w.layer_bias + (size_t)layer * WIDTH, (size_t)REACH[layer],
                    count, now, next);
        float *done = now;
        now = next, next = done;
    }
    for (size_t i = 0; i < count; i++) odds[i] += dot(first + i * WIDTH, w.first) + dot(now + i * WIDTH, w.last) + *w.out;
    PyMem_Free(memory);
    return 0;
}

/* ---- for Python ---- */

static void let_go(PyObject *capsule) {
    Model *m = PyCapsule_GetPointer(capsule, MODEL);
    if (!m) return;
    for (size_t i = 0; i < sizeof m->buffer / sizeof *m->buffer; i++) PyBuffer_Release(&m->buffer[i]);
    PyMem_Free(m);
}

static int is_model(const Model *m, Py_ssize_t rows, Py_ssize_t fixed) {
    const Py_buffer *b = m->buffer;
    if (b[1].len != b[0].len || b[3].len != b[2].len || b[4].len != m->trees * DEPTH * 4 ||
        b[5].len != m->trees * LEAVES * 4 || b[8].len != 2 * b[6].len || b[9].len != m->page_amounts * 8 ||
        b[10].len != weights_size(m) * 4 || m->page_amounts > fixed)
        return 0;
    for (Py_ssize_t k = 0; k < m->of_blocks; k++)
        if (m->varying[k] < 0 || m->varying[k] >= rows) return 0;
    for (Py_ssize_t k = 0; k < m->of_page; k++)
        if (m->fixed[k] < 0 || m->fixed[k] >= fixed) return 0;
    for (Py_ssize_t k = 0; k < m->trees * DEPTH; k++)
        if (m->asked[k] < 0 || m->asked[k] >= m->of_blocks + m->of_page) return 0;
    for (Py_ssize_t k = 0; k < m->amounts; k++)
        if (m->amount_rows[k] < 0 || m->amount_rows[k] >= rows) return 0;
    for (Py_ssize_t k = 0; k < m->kinds; k++)
        if (m->kind_rows[k] < 0 || m->kind_rows[k] >= rows) return 0;
    return 1;
}

/* model((questions about blocks, borders, questions about the page, borders, asked, answers, rows of amounts, rows of kinds,
   scales, scales of the page, weights), bias, most kinds, rows, columns of the page) -> the model; arrays of int32 and
   float32 */
PyObject *make_model(PyObject *module, PyObject *args) {
    PyObject *arrays;
    int most_kinds, rows, fixed;
    float bias;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!fiii", &PyTuple_Type, &arrays, &bias, &most_kinds, &rows, &fixed)) return NULL;
    Model *m = PyMem_Calloc(1, sizeof *m);
    if (!m) return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(m, MODEL, let_go);
    if (!capsule) return PyMem_Free(m), NULL;
    Py_buffer *b = m->buffer;
    for (Py_ssize_t i = 0; i < 11; i++)
        if (PyTuple_GET_SIZE(arrays) != 11 ||
            PyObject_GetBuffer(PyTuple_GET_ITEM(arrays, i), &b[i], PyBUF_C_CONTIGUOUS) < 0) {
            Py_DECREF(capsule);
            return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "eleven arrays are needed");
        }
    m->varying = b[0].buf, m->varying_border = b[1].buf, m->fixed = b[2].buf, m->fixed_border = b[3].buf;
    m->asked = b[4].buf, m->answers = b[5].buf, m->amount_rows = b[6].buf, m->kind_rows = b[7].buf;
    m->scales = b[8].buf, m->page_scales = b[9].buf, m->weights = b[10].buf;
    m->of_blocks = b[0].len / 4, m->of_page = b[2].len / 4, m->trees = b[5].len / 4 / LEAVES;
    m->amounts = b[6].len / 4, m->kinds = b[7].len / 4, m->page_amounts = b[9].len / 8, m->most_kinds = most_kinds;
    m->bias = bias;
    if (is_model(m, rows, fixed)) return capsule;
    Py_DECREF(capsule);
    return PyErr_Format(PyExc_ValueError, "these arrays are no model");
}

/* likelihood(model, float32 rows, float32 columns of the page, float32 found): fills in the share of each block */
PyObject *judge_blocks(PyObject *module, PyObject *args) {
    PyObject *capsule, *done = NULL;
    Py_buffer rows, fixed, found;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oy*y*w*", &capsule, &rows, &fixed, &found)) return NULL;
    const Model *m = PyCapsule_GetPointer(capsule, MODEL);
    size_t count = (size_t)found.len / sizeof(float);
    float *share = found.buf;
    if (m && (rows.len % (count ? found.len : 1) || fixed.len < m->page_amounts * 4)) {
        PyErr_SetString(PyExc_ValueError, "these sizes are of no page");
        m = NULL;
    }
    if (m && tree_odds(m, rows.buf, fixed.buf, count, share) == 0 && add_net_odds(m, rows.buf, fixed.buf, count, share) == 0) {
        for (size_t i = 0; i < count; i++) share[i] = 1 / (1 + expf(-share[i] / 2));
        done = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&rows);
    PyBuffer_Release(&fixed);
    PyBuffer_Release(&found);
    return done;
}

typedef struct {
    float share;
    uint32_t at;
} Ranked;

static int by_share(const void *left, const void *right) {
    const Ranked *a = left, *b = right;
    if (a->share != b->share) return a->share > b->share ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

/* choose(float32 share, float64 words, caution, keep as bytes) -> the best expected F1; fills in which blocks to keep */
PyObject *choose_blocks(PyObject *module, PyObject *args) {
    Py_buffer shares, words, keep;
    double caution, mass = 0, kept = 0, held = 0, best = 0;
    PyObject *found = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*dw*", &shares, &words, &caution, &keep)) return NULL;
    size_t count = (size_t)keep.len;
    const float *share = shares.buf;
    const double *word = words.buf;
    Ranked *order = NULL;
    if (!count || (size_t)shares.len != count * sizeof *share || (size_t)words.len != count * sizeof *word)
        PyErr_SetString(PyExc_ValueError, "not as many as there are blocks");
    else if (!(order = PyMem_Malloc(count * sizeof *order)))
        PyErr_NoMemory();
    if (order) {
        for (size_t i = 0; i < count; i++) order[i] = (Ranked){share[i], (uint32_t)i}, mass += share[i] * word[i];
        qsort(order, count, sizeof *order, by_share);
        for (size_t i = 0; i < count; i++) {
            size_t at = order[i].at;
            kept += word[at], held += share[at] * word[at];
            double score = 2 * held / (kept + mass > 1e-9 ? kept + mass : 1e-9);
            best = score > best ? score : best;
        }
        double least = best / 2 * caution, most = order[0].share;
        float border = (float)(least < most ? least : most);
        for (size_t i = 0; i < count; i++) ((char *)keep.buf)[i] = share[i] >= border;
        found = PyFloat_FromDouble(best);
    }
    PyMem_Free(order);
    PyBuffer_Release(&shares);
    PyBuffer_Release(&words);
    PyBuffer_Release(&keep);
    return found;
}
