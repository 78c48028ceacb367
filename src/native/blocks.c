/* What is asked of the blocks of a reading: announced.py, render.py and quality.py say what each answer means. */

#include "native.h"

#include <string.h>

static int32_t H1, H6, ITEM, ROW, MAIN, ARTICLE;
static int64_t ROLE;
static char stops[64]; /* per tag: whether it ends the search for the item or row that a box is in */

int blocks_setup(void) {
    static const char *const STOPS[] = {"li", "tr", "table", "ul", "ol", "article", "main", "section"};
    H1 = tag_number("h1"), H6 = tag_number("h6"), ITEM = tag_number("li"), ROW = tag_number("tr");
    MAIN = tag_number("main"), ARTICLE = tag_number("article");
    ROLE = hint_bit("main");
    for (size_t i = 0; i < sizeof STOPS / sizeof *STOPS; i++) stops[tag_number(STOPS[i]) & 63] = 1;
    return 0;
}

/* ---- what a page announces ---- */

/* Whether a block says a title: 1, 0, or -1 for an error. */
static int says(PyObject *text, PyObject *title) {
    double size = (double)PyUnicode_GET_LENGTH(text), whole = (double)PyUnicode_GET_LENGTH(title);
    if (!(0.5 * whole < size && size < 1.3 * whole)) return 0;
    int found = PyUnicode_Contains(title, text);
    return found ? found : PyUnicode_Contains(text, title);
}

/* headline(reading, titles) -> the block that says the title, or -1 */
PyObject *find_headline(PyObject *module, PyObject *args) {
    enum { LEAST = 8 };
    const Reading *reading;
    PyObject *titles;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &ReadingType, &reading, &PyTuple_Type, &titles)) return NULL;
    int best = 3;
    Py_ssize_t found = -1;
    for (size_t i = 0; i < reading->block_count; i++) {
        PyObject *text = reading->blocks[i].text;
        if (PyUnicode_GET_LENGTH(text) < LEAST) continue;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(titles); k++) {
            int is_title = says(text, PyTuple_GET_ITEM(titles, k));
            if (is_title < 0) return NULL;
            if (!is_title) continue;
            int32_t tag = reading->boxes[reading->blocks[i].box].tag;
            int rank = tag == H1 ? 0 : H1 < tag && tag <= H6 ? 1 : 2;
            if (rank < best) best = rank, found = (Py_ssize_t)i;
        }
    }
    return PyLong_FromSsize_t(found);
}

/* How alike the lengths of a block and a summary are if they begin alike, 0 to 1; 0 if not, -1 for an error. */
static double likeness(PyObject *text, PyObject *summary) {
    enum { ALIKE = 40 };
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), whole = PyUnicode_GET_LENGTH(summary);
    if (PyUnicode_READ_CHAR(text, 0) != PyUnicode_READ_CHAR(summary, 0)) return 0;
    PyObject *begin = PyUnicode_Substring(summary, 0, ALIKE);
    if (!begin) return -1;
    Py_ssize_t found = PyUnicode_Tailmatch(text, begin, 0, PY_SSIZE_T_MAX, -1);
    if (!found && size < ALIKE) found = PyUnicode_Tailmatch(begin, text, 0, PY_SSIZE_T_MAX, -1);
    Py_DECREF(begin);
    if (found <= 0) return (double)found;
    return (double)(size < whole ? size : whole) / (double)(size < whole ? whole : size);
}

/* leads(reading, summaries) -> the blocks that begin as a summary does, and how alike they are */
PyObject *find_leads(PyObject *module, PyObject *args) {
    enum { LEAST = 15 };
    const Reading *reading;
    PyObject *summaries;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &ReadingType, &reading, &PyTuple_Type, &summaries)) return NULL;
    PyObject *found = PyList_New(0);
    for (size_t i = 0; found && i < reading->block_count; i++) {
        PyObject *text = reading->blocks[i].text;
        double most = 0;
        if (PyUnicode_GET_LENGTH(text) < LEAST) continue;
        for (Py_ssize_t k = 0; most >= 0 && k < PyTuple_GET_SIZE(summaries); k++) {
            double like = likeness(text, PyTuple_GET_ITEM(summaries, k));
            most = like < 0 || like > most ? like : most;
        }
        if (most < 0 || (most > 0 && push(found, Py_BuildValue("nd", (Py_ssize_t)i, most)) < 0)) Py_CLEAR(found);
    }
    return found;
}

/* ---- blocks as text ---- */

/* For each box the list item or table row that it is in, or -1. */
static int32_t *holders_of(const Reading *reading) {
    int32_t *holder = PyMem_Malloc(reading->box_count * sizeof *holder);
    if (!holder) return (int32_t *)PyErr_NoMemory();
    for (size_t b = 0; b < reading->box_count; b++) {
        const Box *box = &reading->boxes[b];
        if (stops[box->tag & 63]) holder[b] = box->tag == ITEM || box->tag == ROW ? (int32_t)b : -1;
        else holder[b] = box->parent < 0 ? -1 : holder[box->parent];
    }
    return holder;
}

/* What stands before a block, by what was before it. */
static PyObject *before(int kind, int32_t holder, int32_t pre, const int32_t last[3], PyObject *const signs[4]) {
    if (pre >= 0 && pre == last[2]) return signs[0];
    if (holder >= 0 && holder == last[1]) return kind == ROW ? signs[3] : signs[0];
    return kind && kind == last[0] ? signs[0] : signs[1];
}

static PyObject *joined(PyObject *pieces) {
    PyObject *nothing = PyUnicode_New(0, 0), *text = nothing ? PyUnicode_Join(nothing, pieces) : NULL;
    Py_XDECREF(nothing);
    if (!text) return NULL;
    Py_ssize_t first = 0, end = PyUnicode_GET_LENGTH(text);
    while (end && PyUnicode_READ_CHAR(text, end - 1) == '\n') end--;
    while (first < end && PyUnicode_READ_CHAR(text, first) == '\n') first++;
    PyObject *bare = PyUnicode_Substring(text, first, end);
    Py_DECREF(text);
    return bare;
}

static int add_kept(const Reading *reading, const char *kept, PyObject *const signs[4], PyObject *pieces) {
    int32_t *holders = holders_of(reading), last[3] = {0, -1, -1};
    int failed = !holders;
    for (size_t i = 0; !failed && i < reading->block_count; i++) {
        const Block *block = &reading->blocks[i];
        if (!kept[i]) continue;
        int32_t holder = holders[block->box], kind = holder < 0 ? 0 : reading->boxes[holder].tag;
        PyObject *sign = before(kind, holder, block->pre, last, signs);
        failed = PyList_Append(pieces, sign) < 0;
        /* An item has its bullet once. */
        if (!failed && kind == ITEM && !(block->pre >= 0 && block->pre == last[2]) && holder != last[1])
            failed = PyList_Append(pieces, signs[2]) < 0;
        failed = failed || PyList_Append(pieces, block->text) < 0;
        last[0] = kind, last[1] = holder, last[2] = block->pre;
    }
    PyMem_Free(holders);
    return failed ? -1 : 0;
}

/* render(reading, kept as bytes, bullet, cell) -> the text of the kept blocks */
PyObject *render_blocks(PyObject *module, PyObject *args) {
    const Reading *reading;
    const char *kept;
    Py_ssize_t size;
    PyObject *signs[4], *found = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y#UU", &ReadingType, &reading, &kept, &size, &signs[2], &signs[3])) return NULL;
    if ((size_t)size != reading->block_count) return PyErr_Format(PyExc_ValueError, "not as many as there are blocks");
    signs[0] = PyUnicode_FromString("\n");
    signs[1] = PyUnicode_FromString("\n\n");
    PyObject *pieces = PyList_New(0);
    if (signs[0] && signs[1] && pieces && add_kept(reading, kept, signs, pieces) == 0) found = joined(pieces);
    Py_XDECREF(signs[0]);
    Py_XDECREF(signs[1]);
    Py_XDECREF(pieces);
    return found;
}

/* ---- quality ---- */

/* The main container, by running sums of kept words. */
static const Box *container(const Reading *reading, const double *kept) {
    size_t count = reading->block_count, low = 0, high = count + 1;
    double all = kept[count];
    while (low < high) { /* how many of the sums are at most half of all */
        size_t middle = (low + high) / 2;
        if (kept[middle] <= all / 2) low = middle + 1;
        else high = middle;
    }
    const Box *box = &reading->boxes[reading->blocks[low - 1 < count - 1 ? low - 1 : count - 1].box], *smallest = NULL;
    for (;; box = &reading->boxes[box->parent]) {
        double holds = kept[box->end] - kept[box->first];
        if ((box->tag == MAIN || box->tag == ARTICLE || box->hint & ROLE) && holds >= 0.5 * all) return box;
        if (!smallest && (holds >= 0.9 * all || box->parent < 0)) smallest = box;
        if (box->parent < 0) return smallest;
    }
}

/* in_container(reading, words as float64, kept as bytes, float32 rows, (link, comment, review)) -> how many words of text the
   main container has, and kept ones */
PyObject *in_container(PyObject *module, PyObject *args) {
    const Reading *reading;
    Py_buffer words, kept, rows;
    PyObject *found = NULL;
    double *running = NULL;
    int which[3];
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*y*y*(iii)", &ReadingType, &reading, &words, &kept, &rows, &which[0], &which[1], &which[2]))
        return NULL;
    size_t count = reading->block_count, height = count ? (size_t)rows.len / (count * sizeof(float)) : 0;
    int are_rows = (size_t)which[0] < height && (size_t)which[1] < height && (size_t)which[2] < height;
    if (!count || (size_t)words.len != count * sizeof(double) || (size_t)kept.len != count || !are_rows)
        PyErr_SetString(PyExc_ValueError, "not as many as there are blocks");
    else if (!(running = PyMem_Calloc(count + 1, 2 * sizeof *running)))
        PyErr_NoMemory();
    if (running) {
        double *all = running, *some = running + count + 1;
        const float *row[3];
        for (int k = 0; k < 3; k++) row[k] = (const float *)rows.buf + (size_t)which[k] * count;
        for (size_t i = 0; i < count; i++) {
            double value = ((double *)words.buf)[i];
            int is_kept = ((char *)kept.buf)[i] != 0, is_text = row[0][i] <= 0.5f && row[1][i] + row[2][i] == 0;
            all[i + 1] = all[i] + value * (is_kept || is_text);
            some[i + 1] = some[i] + value * is_kept;
        }
        const Box *box = container(reading, some);
        found = Py_BuildValue("dd", all[box->end] - all[box->first], some[box->end] - some[box->first]);
    }
    PyMem_Free(running);
    PyBuffer_Release(&words);
    PyBuffer_Release(&kept);
    PyBuffer_Release(&rows);
    return found;
}
