/* Where the text of a manual is: the loops over all boxes of sections.py, which says what they are for. */

#include "native.h"

#include <string.h>

/* Fewer blocks than this are judged by the model alone. */
enum { LIST = 3 };
static const double LINKS = 0.7, FEW_LINKS = 0.3;
static int32_t H1, H6, NAV, BUTTON, SET_APART[3];
static int64_t APART, EDGE, NAMES;

int sections_setup(void) {
    H1 = tag_number("h1"), H6 = tag_number("h6"), NAV = tag_number("nav"), BUTTON = tag_number("button");
    SET_APART[0] = tag_number("aside"), SET_APART[1] = tag_number("footer"), SET_APART[2] = tag_number("form");
    APART = hint_bit("apart"), EDGE = hint_bit("edge");
    NAMES = hint_bit("menu") | hint_bit("overlay") | hint_bit("ad") | hint_bit("share");
    return 0;
}

static int is_set_apart(int32_t tag) { return tag == SET_APART[0] || tag == SET_APART[1] || tag == SET_APART[2]; }

/* Whether a box with so large a share of linked text is furniture, by its name and its place. */
static int is_furniture(const Box *box, double linked, int is_outside) {
    if (box->tag == NAV || box->hint & APART || (box->hint & EDGE && is_outside)) return 1;
    if ((is_set_apart(box->tag) || box->hint & NAMES) && linked > FEW_LINKS) return 1;
    return box->end - box->first >= LIST && linked > LINKS;
}

/* Mark the lists of links; `running` has the sums of all words before each block, and behind them those of linked words. */
static void mark_lists(const Reading *reading, const double *running, int32_t start, int32_t stop, char *found) {
    const double *linked = running + reading->block_count + 1;
    for (size_t b = 0; b < reading->box_count; b++) {
        const Box *box = &reading->boxes[b];
        int32_t first = box->first, end = box->end;
        int is_plain = end - first < LIST && !box->hint && box->tag != NAV && !is_set_apart(box->tag);
        if (first >= end || is_plain || (first <= start && stop <= end) || (H1 <= box->tag && box->tag <= H6)) continue;
        double words = running[end] - running[first];
        if (is_furniture(box, (linked[end] - linked[first]) / (words > 1 ? words : 1), end <= start || first >= stop))
            memset(found + first, 1, (size_t)(end - first));
    }
}

/* The sums of numbers before each block. */
static void add_up(double *running, const double *words, const float *share, const char *kept, size_t count) {
    for (size_t i = 0; i < count; i++)
        running[i + 1] = running[i] + words[i] * (share ? share[i] : 1) * (kept ? kept[i] != 0 : 1);
}

/* link_lists(reading, share of linked text as float32, words as float64, kept as bytes, found as bytes): marks the blocks of
   navigation and of lists of links */
PyObject *find_link_lists(PyObject *module, PyObject *args) {
    const Reading *reading;
    Py_buffer link, words, kept, found;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*y*y*w*", &ReadingType, &reading, &link, &words, &kept, &found)) return NULL;
    size_t count = reading->block_count, start = 0, stop = count;
    double *running = NULL;
    if ((size_t)words.len != count * sizeof(double) || (size_t)link.len != count * sizeof(float) ||
        (size_t)kept.len != count || (size_t)found.len != count)
        PyErr_SetString(PyExc_ValueError, "not as many as there are blocks");
    else if (!(running = PyMem_Calloc(count + 1, 2 * sizeof *running)))
        PyErr_NoMemory();
    if (running) {
        const char *keep = kept.buf;
        while (start < count && !keep[start]) start++;
        while (stop > start && !keep[stop - 1]) stop--;
        add_up(running, words.buf, NULL, NULL, count);
        add_up(running + count + 1, words.buf, link.buf, NULL, count);
        for (size_t i = 0; i < count; i++) ((char *)found.buf)[i] = reading->boxes[reading->blocks[i].box].tag == BUTTON;
        mark_lists(reading, running, (int32_t)start, (int32_t)stop, found.buf);
    }
    PyMem_Free(running);
    PyBuffer_Release(&link);
    PyBuffer_Release(&words);
    PyBuffer_Release(&kept);
    PyBuffer_Release(&found);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* The blocks of a box and of those around it. */
static PyObject *around(const Reading *reading, const Box *box) {
    PyObject *list = PyList_New(0);
    while (list) {
        if (push(list, Py_BuildValue("ii", box->first, box->end)) < 0) Py_CLEAR(list);
        if (box->parent < 0) break;
        box = &reading->boxes[box->parent];
    }
    return list;
}

/* core(reading, words as float64, kept as bytes, share) -> the first block and the end of the smallest box with that share of
   the kept words, and of each box around it */
PyObject *find_core(PyObject *module, PyObject *args) {
    const Reading *reading;
    Py_buffer words, kept;
    double share, *running = NULL;
    PyObject *boxes = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!y*y*d", &ReadingType, &reading, &words, &kept, &share)) return NULL;
    size_t count = reading->block_count, core = reading->box_count - 1;
    if ((size_t)words.len != count * sizeof(double) || (size_t)kept.len != count)
        PyErr_SetString(PyExc_ValueError, "not as many as there are blocks");
    else if (!(running = PyMem_Calloc(count + 1, sizeof *running)))
        PyErr_NoMemory();
    if (running) {
        const Box *box = reading->boxes;
        add_up(running, words.buf, NULL, kept.buf, count);
        while (core && running[box[core].end] - running[box[core].first] < share * running[count]) core--;
        boxes = around(reading, &box[core]);
    }
    PyMem_Free(running);
    PyBuffer_Release(&words);
    PyBuffer_Release(&kept);
    return boxes;
}
