/* The linear look at the bytes before they are parsed: `_suspect` of _prescan.py, which says what it is for. */

#include "native.h"

#include <string.h>

static int starts_tag(unsigned char c) { return c == '/' || c == '!' || c == '?' || Py_ISALPHA(c); }

/* long_tags(data, most, length) -> where a "<" stands with no other within `length` bytes; None when more than `most`
   tags are left open or more than `most` "<" start none. */
PyObject *long_tags(PyObject *module, PyObject *args) {
    Py_buffer data;
    Py_ssize_t most, length, open = 0, deepest = 0, odd = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*nn", &data, &most, &length)) return NULL;
    PyObject *found = PyList_New(0);
    const char *start = data.buf, *end = start + data.len, *next;
    for (const char *at = data.len ? memchr(start, '<', data.len) : NULL; found && at; at = next) {
        unsigned char after = at + 1 < end ? at[1] : '<';
        next = at + 1 < end ? memchr(at + 1, '<', end - at - 1) : NULL;
        odd += !starts_tag(after);
        open += after == '/' ? -1 : 1;
        if (open > deepest) deepest = open;
        if ((next ? next : end) - at <= length) continue;
        if (push(found, PyLong_FromSsize_t(at - start)) < 0) Py_CLEAR(found);
    }
    PyBuffer_Release(&data);
    if (found && (odd > most || deepest > most)) Py_SETREF(found, Py_NewRef(Py_None));
    return found;
}
