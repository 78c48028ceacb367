/* What a walk found, for Python: the lists of `FlatTree` of walk.py, made when they are asked for. */

#include "native.h"

Reading *reading_new(void) {
    Reading *reading = PyObject_New(Reading, &ReadingType);
    if (!reading) return NULL;
    reading->boxes = NULL;
    reading->blocks = NULL;
    reading->box_count = reading->box_room = reading->block_count = reading->block_room = 0;
    reading->hidden = reading->chars = 0;
    if (GROW(reading, boxes, box_room, 1) < 0) {
        Py_DECREF(reading);
        return NULL;
    }
    reading->boxes[reading->box_count++] = (Box){.parent = -1};
    return reading;
}

static void dealloc(Reading *reading) {
    for (size_t i = 0; i < reading->block_count; i++) Py_DECREF(reading->blocks[i].text);
    PyMem_Free(reading->blocks);
    PyMem_Free(reading->boxes);
    PyObject_Free(reading);
}

/* A list of so many things, each made by a function. */
static PyObject *list_of(const Reading *reading, size_t count, PyObject *(*make)(const Reading *, size_t)) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = make(reading, i);
        if (!item) Py_CLEAR(list);
        else PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

static PyObject *box_at(const Reading *reading, size_t at) {
    const Box *box = &reading->boxes[at];
    return Py_BuildValue("iiLii", box->parent, box->tag, (long long)box->hint, box->group, box->first);
}

static PyObject *block_at(const Reading *reading, size_t at) {
    const Block *block = &reading->blocks[at];
    return Py_BuildValue("iOnnni", block->box, block->text, block->linked, block->links, block->images, block->pre);
}

static PyObject *end_at(const Reading *reading, size_t at) { return PyLong_FromLong(reading->boxes[at].end); }

static PyObject *look_at(const Reading *reading, size_t at) { return PyLong_FromLong(reading->boxes[at].look); }

/* A line of text, and the element that it stands in. */
static PyObject *line_at(const Reading *reading, size_t at) {
    const Block *block = &reading->blocks[at];
    return Py_BuildValue("Oi", block->text, reading->boxes[block->box].tag);
}

static PyObject *get_boxes(Reading *reading, void *nothing) {
    (void)nothing;
    return list_of(reading, reading->box_count, box_at);
}

static PyObject *get_ends(Reading *reading, void *nothing) {
    (void)nothing;
    return list_of(reading, reading->box_count, end_at);
}

static PyObject *get_looks(Reading *reading, void *nothing) {
    (void)nothing;
    return list_of(reading, reading->box_count, look_at);
}

static PyObject *get_blocks(Reading *reading, void *nothing) {
    (void)nothing;
    return list_of(reading, reading->block_count, block_at);
}

static PyObject *get_count(Reading *reading, void *nothing) {
    (void)nothing;
    return PyLong_FromSize_t(reading->block_count);
}

static PyObject *get_hidden(Reading *reading, void *nothing) {
    (void)nothing;
    return PyLong_FromSsize_t(reading->hidden);
}

static PyObject *get_chars(Reading *reading, void *nothing) {
    (void)nothing;
    return PyLong_FromSsize_t(reading->chars);
}

/* The number of the first block in a box of that element or with that text in it; of those before `most`, else that. */
static PyObject *first_line(Reading *reading, PyObject *args) {
    Py_ssize_t most, at = 0;
    int tag, is_there = 0;
    PyObject *key;
    if (!PyArg_ParseTuple(args, "niU", &most, &tag, &key)) return NULL;
    for (; at < most && (size_t)at < reading->block_count; at++) {
        const Block *block = &reading->blocks[at];
        is_there = reading->boxes[block->box].tag == tag ? 1 : PyUnicode_Contains(block->text, key);
        if (is_there) break;
    }
    return is_there < 0 ? NULL : PyLong_FromSsize_t(is_there ? at : most);
}

static PyObject *line(Reading *reading, PyObject *number) {
    size_t at = PyLong_AsSize_t(number);
    if (PyErr_Occurred()) return NULL;
    return at < reading->block_count ? line_at(reading, at) : PyErr_Format(PyExc_IndexError, "there is no such block");
}

/* The tags of elements are numbered below 64, so a set of them is the bits of a number. */
static int read_tags(PyObject *tags, uint64_t *bits) {
    *bits = PyLong_AsUnsignedLongLong(tags);
    return !PyErr_Occurred();
}

/* Parent, tag, hints, first block and end of each box of these elements or with a hint. */
static PyObject *telling(Reading *reading, PyObject *tags) {
    uint64_t bits;
    PyObject *list = read_tags(tags, &bits) ? PyList_New(0) : NULL;
    for (size_t i = 0; list && i < reading->box_count; i++) {
        const Box *box = &reading->boxes[i];
        if (!box->hint && !(bits >> box->tag & 1)) continue;
        PyObject *item = Py_BuildValue("iiLii", box->parent, box->tag, (long long)box->hint, box->first, box->end);
        if (push(list, item) < 0) Py_CLEAR(list);
    }
    return list;
}

/* How many characters each block of these elements has. */
static PyObject *sizes(Reading *reading, PyObject *tags) {
    uint64_t bits;
    PyObject *list = read_tags(tags, &bits) ? PyList_New(0) : NULL;
    for (size_t i = 0; list && i < reading->block_count; i++) {
        const Block *block = &reading->blocks[i];
        if (!(bits >> reading->boxes[block->box].tag & 1)) continue;
        if (push(list, PyLong_FromSsize_t(PyUnicode_GET_LENGTH(block->text))) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyGetSetDef GIVEN[] = {
    {"boxes", (getter)get_boxes, NULL, NULL, NULL},   {"ends", (getter)get_ends, NULL, NULL, NULL},
    {"blocks", (getter)get_blocks, NULL, NULL, NULL}, {"looks", (getter)get_looks, NULL, NULL, NULL},
    {"count", (getter)get_count, NULL, NULL, NULL},   {"hidden", (getter)get_hidden, NULL, NULL, NULL},
    {"chars", (getter)get_chars, NULL, NULL, NULL},   {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef ASKED[] = {
    {"first_line", (PyCFunction)(void (*)(void))first_line, METH_VARARGS, NULL},
    {"line", (PyCFunction)(void (*)(void))line, METH_O, NULL},
    {"telling", (PyCFunction)(void (*)(void))telling, METH_O, NULL},
    {"sizes", (PyCFunction)(void (*)(void))sizes, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject ReadingType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "veille.core._native.Reading",
    .tp_basicsize = sizeof(Reading),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)dealloc,
    .tp_getset = GIVEN,
    .tp_methods = ASKED,
};
