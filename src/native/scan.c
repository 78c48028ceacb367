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

static int has_more(const char *at, const char *end, Py_ssize_t most) {
    Py_ssize_t count = 0;
    while (at < end && count <= most) {
        if (is_between(*at)) at++;
        else count++, at = behind_attribute(at, end);
    }
    return count > most;
}

/* Behind the name of a tag; at its start if there is none. */
static const char *behind_name(const char *at, const char *end) {
    if (at < end && Py_ISALPHA((unsigned char)*at))
        while (at < end && !is_blank(*at) && *at != '/' && *at != '>') at++;
    return at;
}

/* overloaded(data, at, most) -> whether the tag at this "<" has more attributes than that */
PyObject *overloaded(PyObject *module, PyObject *args) {
    Py_buffer data;
    Py_ssize_t at, most;
    int more = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*nn", &data, &at, &most)) return NULL;
    const char *end = (const char *)data.buf + data.len, *next = (const char *)data.buf + at + 1;
    if (at >= 0 && at < data.len) {
        if (next < end && *next == '/') next++;
        const char *inside = behind_name(next, end);
        if (inside > next) more = has_more(inside, inside_end(inside, end), most);
    }
    PyBuffer_Release(&data);
    return PyBool_FromLong(more);
}

/* The open elements of a page: their names in order, and how many there are of each. */
typedef struct {
    PyObject *names, *counts;
} Opened;

static Py_ssize_t count_of(const Opened *opened, PyObject *name) {
    PyObject *count = PyDict_GetItemWithError(opened->counts, name);
    return count ? PyLong_AsSsize_t(count) : 0;
}

static int recount(const Opened *opened, PyObject *name, Py_ssize_t by) {
    PyObject *count = PyErr_Occurred() ? NULL : PyLong_FromSsize_t(count_of(opened, name) + by);
    int failed = count ? PyDict_SetItem(opened->counts, name, count) : -1;
    Py_XDECREF(count);
    return failed;
}

/* A closing tag also closes the elements left open inside it. */
static int close_element(const Opened *opened, PyObject *name) {
    if (!count_of(opened, name)) return PyErr_Occurred() ? -1 : 0;
    for (Py_ssize_t last = PyList_GET_SIZE(opened->names) - 1, found = 0; last >= 0 && !found; last--) {
        PyObject *one = Py_NewRef(PyList_GET_ITEM(opened->names, last));
        found = PyObject_RichCompareBool(one, name, Py_EQ);
        int failed = found < 0 || recount(opened, one, -1) < 0 ||
                     PyList_SetSlice(opened->names, last, last + 1, NULL) < 0;
        Py_DECREF(one);
        if (failed) return -1;
    }
    return 0;
}

static PyObject *lower_name(const char *start, const char *end) {
    /* New memory in any case: Python shares bytes of one letter, and writing into them would change them for all. */
    PyObject *name = PyBytes_FromStringAndSize(NULL, end - start);
    char *letters = name ? PyBytes_AS_STRING(name) : NULL;
    for (Py_ssize_t at = 0; letters && at < end - start; at++) letters[at] = Py_TOLOWER(start[at]);
    return name;
}

/* Where the text stands first, or the end of the page. */
static const char *place_of(const char *at, const char *end, const char *text, Py_ssize_t size) {
    while (end - at >= size && (at = memchr(at, *text, end - at - size + 1))) {
        if (memcmp(at, text, size) == 0) return at;
        at++;
    }
    return end;
}

/* Where the content of a script or style ends: at a closing tag with its name in the same letters. */
static const char *raw_end(const char *name, const char *name_end, const char *at, const char *end) {
    Py_ssize_t size = name_end - name;
    while ((at = place_of(at, end, "</", 2)) < end) {
        if (end - at - 2 >= size && memcmp(at + 2, name, size) == 0) return at;
        at++;
    }
    return end;
}

static int is_raw(PyObject *name) {
    const char *letters = PyBytes_AS_STRING(name);
    Py_ssize_t size = PyBytes_GET_SIZE(name);
    return (size == 6 && memcmp(letters, "script", 6) == 0) || (size == 5 && memcmp(letters, "style", 5) == 0);
}

/* Whether any tag has too many attributes, or too many elements are open; -1 for an error. */
static int read_tags(const char *at, const char *end, const Opened *opened, Py_ssize_t most, Py_ssize_t deepest,
                     PyObject *flat) {
    int found = 0;
    while (!found && at < end && (at = memchr(at, '<', end - at))) {
        if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
            at = place_of(at + 4, end, "-->", 3);
            at += at < end ? 3 : 0;
            continue;
        }
        int closing = end - at > 1 && at[1] == '/';
        const char *start = at + 1 + closing, *inside = behind_name(start, end);
        if (inside == start) {
            at++;
            continue;
        }
        const char *close = inside_end(inside, end);
        if (close - inside > 2 * most && has_more(inside, close, most)) return 1;
        PyObject *name = lower_name(start, inside);
        if (!name) return -1;
        at = close < end ? close + 1 : end;
        if (closing) {
            found = close_element(opened, name);
        } else {
            int is_flat = PySet_Contains(flat, name);
            found = is_flat < 0 ? -1 : 0;
            if (!is_flat && !(close > inside && close[-1] == '/')) {
                found = PyList_Append(opened->names, name) < 0 || recount(opened, name, 1) < 0 ? -1 : 0;
                if (!found) found = PyList_GET_SIZE(opened->names) > deepest;
            }
            if (is_raw(name)) at = raw_end(start, inside, at, end);
        }
        Py_DECREF(name);
    }
    return found;
}

/* overfull(data, most, deepest, flat) -> whether a tag outside comments, scripts and styles has more than `most`
   attributes, or more than `deepest` elements are open, without those that are `flat` */
PyObject *overfull(PyObject *module, PyObject *args) {
    Py_buffer data;
    Py_ssize_t most, deepest;
    PyObject *flat;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*nnO!", &data, &most, &deepest, &PyFrozenSet_Type, &flat)) return NULL;
    Opened opened = {PyList_New(0), PyDict_New()};
    int found = -1;
    if (opened.names && opened.counts)
        found = read_tags(data.buf, (const char *)data.buf + data.len, &opened, most, deepest, flat);
    Py_XDECREF(opened.names);
    Py_XDECREF(opened.counts);
    PyBuffer_Release(&data);
    return found < 0 ? NULL : PyBool_FromLong(found);
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
