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

/* link_ends(data, last bytes) -> where a "</a>" stands that one of these bytes is before */
PyObject *link_ends(PyObject *module, PyObject *args) {
    Py_buffer data, last;
    char wanted[256] = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*", &data, &last)) return NULL;
    for (Py_ssize_t i = 0; i < last.len; i++) wanted[((unsigned char *)last.buf)[i]] = 1;
    PyObject *found = PyList_New(0);
    const char *start = data.buf, *end = start + data.len;
    for (const char *at = start; found && at && end - at >= 4; at++) {
        at = memchr(at, '<', end - at - 3);
        if (!at) break;
        if (memcmp(at, "</a>", 4) || at == start || !wanted[(unsigned char)at[-1]]) continue;
        if (push(found, PyLong_FromSsize_t(at - start)) < 0) Py_CLEAR(found);
    }
    PyBuffer_Release(&data);
    PyBuffer_Release(&last);
    return found;
}

static int is_blank(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int is_between(unsigned char c) { return is_blank(c) || c == '=' || c == '"' || c == '\'' || c == '/' || c == '>'; }

/* After a quote: behind the quote that ends it, or NULL. */
static const char *quoted(const char *at, const char *end) {
    const char *close = at < end ? memchr(at + 1, *at, end - at - 1) : NULL;
    return close ? close + 1 : NULL;
}

static const char *behind_space(const char *at, const char *end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

/* Where the inside of a tag ends: at the first ">" that is not in a quoted value, or with the page. */
static const char *inside_end(const char *at, const char *end) {
    while (at < end && *at != '>') {
        if (*at++ != '=') continue;
        const char *value = behind_space(at, end), *close;
        if (value >= end || (*value != '"' && *value != '\'')) continue;
        close = quoted(value, end);
        if (close) at = close;
    }
    return at;
}

/* Behind the attribute that starts at a byte that is not between two. */
static const char *behind_attribute(const char *at, const char *end) {
    while (at < end && !is_between(*at)) at++;
    const char *value = behind_space(at, end);
    if (value >= end || *value != '=') return at;
    value = behind_space(value + 1, end);
    if (value >= end || *value == '>') return at;
    if (*value == '"' || *value == '\'') {
        value = quoted(value, end);
        return value ? value : at;
    }
    while (value < end && !is_blank(*value) && *value != '"' && *value != '\'' && *value != '>') value++;
    return value;
}

/* overloaded(data, at, most) -> whether the tag at this "<" has more attributes than that */
PyObject *overloaded(PyObject *module, PyObject *args) {
    Py_buffer data;
    Py_ssize_t at, most, count = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*nn", &data, &at, &most)) return NULL;
    const char *end = (const char *)data.buf + data.len, *next = (const char *)data.buf + at + 1;
    if (at >= 0 && at < data.len) {
        if (next < end && *next == '/') next++;
        if (next < end && Py_ISALPHA((unsigned char)*next)) {
            while (next < end && !is_blank(*next) && *next != '/' && *next != '>') next++;
            end = inside_end(next, end);
            while (next < end && count <= most) {
                if (is_between(*next)) next++;
                else count++, next = behind_attribute(next, end);
            }
        }
    }
    PyBuffer_Release(&data);
    return PyBool_FromLong(count > most);
}
