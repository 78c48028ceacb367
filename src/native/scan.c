/* The linear looks at the bytes before they are parsed: `_suspect` of prescan.py and `plain_sign_ends` of permalinks.py,
   which say what they are for. */

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

static const char *without_space(const char *start, const char *end) {
    while (end > start && Py_ISSPACE((unsigned char)end[-1])) end--;
    return end;
}

/* Whether what stands before a "</a>" ends with one of the signs, also within another element. */
static int ends_with_sign(const char *start, const char *end, const char *signs, Py_ssize_t count) {
    end = without_space(start, end);
    if (end > start && end[-1] == '>') {
        const char *at = end - 2;
        while (at >= start && !(at[0] == '<' && at[1] == '/')) at--;
        end = without_space(start, at >= start ? at : end - 1);
    }
    return end > start && memchr(signs, end[-1], count) != NULL;
}

/* sign_ends(data, signs) -> where a "</a>" stands after one of the signs. */
PyObject *sign_ends(PyObject *module, PyObject *args) {
    Py_buffer data, signs;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*", &data, &signs)) return NULL;
    PyObject *found = PyList_New(0);
    const char *start = data.buf, *end = start + data.len, *place = start;
    for (const char *at = start; found && end - at >= 4 && (at = memchr(at, '<', end - at - 3)); at++) {
        if (memcmp(at, "</a>", 4)) continue;
        if (ends_with_sign(place, at, signs.buf, signs.len) && push(found, PyLong_FromSsize_t(at - start)) < 0)
            Py_CLEAR(found);
        place = at + 4;
    }
    PyBuffer_Release(&signs);
    PyBuffer_Release(&data);
    return found;
}
