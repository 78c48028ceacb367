/* Every text goes through these several times: core/text.py says what they are for. */

#include "native.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* keep_memory(): what is freed stays with the process. One that reads page after page would give it back and take it again
   for each of them, and every page of new memory is cleared first. */
PyObject *keep_memory(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
#ifdef __GLIBC__
    enum { MB = 1 << 20 };
    mallopt(M_TRIM_THRESHOLD, 64 * MB);
    mallopt(M_TOP_PAD, 4 * MB);
    mallopt(M_MMAP_THRESHOLD, 8 * MB);
#endif
    Py_RETURN_NONE;
}

/* Whether any character of a text is one of a few: many are asked together whether they may be, without a jump. */
enum { TOGETHER = 64 };
#define ANY_IS(Sign, may_be, is)                                          \
    for (Py_ssize_t at = 0, end; at < size; at = end) {                   \
        Sign found = 0;                                                   \
        end = at + TOGETHER < size ? at + TOGETHER : size;                \
        for (Py_ssize_t i = at; i < end; i++) {                           \
            Sign c = ((const Sign *)data)[i];                             \
            found |= (Sign)(may_be);                                      \
        }                                                                 \
        for (Py_ssize_t i = at; found && i < end; i++) {                  \
            Sign c = ((const Sign *)data)[i];                             \
            if (is) return 1;                                             \
        }                                                                 \
    }
#define ANY_OF_KIND(may_be, is)                                  \
    if (kind == PyUnicode_1BYTE_KIND) ANY_IS(Py_UCS1, may_be, is) \
    if (kind == PyUnicode_2BYTE_KIND) ANY_IS(Py_UCS2, may_be, is) \
    if (kind == PyUnicode_4BYTE_KIND) ANY_IS(Py_UCS4, may_be, is) \
    return 0;

/* Controls, but for line ends and tabs. */
#define CONTROL (((c < ' ') & (c != '\t') & (c != '\n')) | ((c >= 0x7F) & (c <= 0x9F)))

static int any_control(int kind, const void *data, Py_ssize_t size) { ANY_OF_KIND(CONTROL, CONTROL) }

/* Whether a character is left as it is by `visible`: seen, and no part of anything that composes. Only what is common
   is told apart here; of the rest Python knows the rules. */
static int is_plain(Py_UCS4 c) {
    if (c < 0x7F) return c >= ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
    if (c < 0x300) return c >= 0xA0 && c != 0xAD;
    return (c >= 0x2010 && c <= 0x2029) || (c >= 0x202F && c <= 0x205F) || (c >= 0x20A0 && c <= 0x20BF) ||
           (c >= 0x400 && c <= 0x482) || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3);
}

static int any_not_plain(int kind, const void *data, Py_ssize_t size) {
    ANY_OF_KIND(CONTROL | (c == 0xAD) | (c >= 0x300), !is_plain(c))
}

/* plain(text) -> whether there is certainly nothing to drop from it or to compose in it */
PyObject *text_is_plain(PyObject *module, PyObject *text) {
    (void)module;
    if (!PyUnicode_Check(text)) return PyErr_Format(PyExc_TypeError, "a text is needed");
    return PyBool_FromLong(!any_not_plain(PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text)));
}

/* controlled(text) -> whether there is a control character in it, but for line ends and tabs */
PyObject *text_is_controlled(PyObject *module, PyObject *text) {
    (void)module;
    if (!PyUnicode_Check(text)) return PyErr_Format(PyExc_TypeError, "a text is needed");
    return PyBool_FromLong(any_control(PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text)));
}

/* Asked with one kind at a time, so that the question which it is, is not asked for every character. */
#define WITH_KIND(ask, kind, ...)                                              \
    ((kind) == PyUnicode_1BYTE_KIND   ? ask(PyUnicode_1BYTE_KIND, __VA_ARGS__) \
     : (kind) == PyUnicode_2BYTE_KIND ? ask(PyUnicode_2BYTE_KIND, __VA_ARGS__) \
                                      : ask(PyUnicode_4BYTE_KIND, __VA_ARGS__))

static inline int space_at(int kind, const void *data, Py_ssize_t at) {
    Py_UCS4 c = PyUnicode_READ(kind, data, at);
    return (c <= ' ' || c > '~') && Py_UNICODE_ISSPACE(c);
}

/* Write the words of a text with one space between them; how many characters these are. */
static inline Py_ssize_t join_words(int kind, const void *data, Py_ssize_t size, void *to) {
    Py_ssize_t out = 0;
    int space = 0;
    for (Py_ssize_t at = 0; at < size; at++) {
        if (space_at(kind, data, at)) {
            space = out > 0;
            continue;
        }
        if (space) PyUnicode_WRITE(kind, to, out++, ' ');
        PyUnicode_WRITE(kind, to, out++, PyUnicode_READ(kind, data, at));
        space = 0;
    }
    return out;
}

static inline Py_ssize_t count_words(int kind, const void *data, Py_ssize_t size) {
    Py_ssize_t count = 0;
    int inside = 0;
    for (Py_ssize_t at = 0; at < size; at++) {
        int space = space_at(kind, data, at);
        count += !space & !inside;
        inside = !space;
    }
    return count;
}

/* joined(text) -> its words with one space between them */
PyObject *text_joined(PyObject *module, PyObject *text) {
    (void)module;
    if (!PyUnicode_Check(text)) return PyErr_Format(PyExc_TypeError, "a text is needed");
    int kind = PyUnicode_KIND(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    void *to = PyMem_Malloc(size * kind + 1);
    if (!to) return PyErr_NoMemory();
    Py_ssize_t out = WITH_KIND(join_words, kind, PyUnicode_DATA(text), size, to);
    PyObject *joined = PyUnicode_FromKindAndData(kind, to, out);
    PyMem_Free(to);
    return joined;
}

/* words(text) -> how many there are */
PyObject *text_words(PyObject *module, PyObject *text) {
    (void)module;
    if (!PyUnicode_Check(text)) return PyErr_Format(PyExc_TypeError, "a text is needed");
    return PyLong_FromSsize_t(WITH_KIND(count_words, PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text)));
}
