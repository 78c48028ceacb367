/* Names of programs in a text: `_plain_runs` of core/search/words.py says what they are. */

#include "native.h"

typedef struct {
    int kind;
    const void *data;
    Py_ssize_t size;
} Text;

static Py_UCS4 at_of(const Text *text, Py_ssize_t at) { return PyUnicode_READ(text->kind, text->data, at); }

static int is_small(Py_UCS4 c) { return c >= 'a' && c <= 'z'; }

static int is_capital(Py_UCS4 c) { return c >= 'A' && c <= 'Z'; }

/* `\w`; the question that Python's own patterns ask. */
static int is_word(Py_UCS4 c) {
    if (c < 0x80) return is_small(c) || is_capital(c) || (c >= '0' && c <= '9') || c == '_';
    return Py_UNICODE_ISALNUM(c);
}

static int is_sign(Py_UCS4 c) {
    return is_word(c) || c == '.' || c == ':' || c == '+' || c == '#' || c == '>' || c == '-';
}

static int is_link(Py_UCS4 c) {
    switch (c) {
    case '.':
    case '_':
    case ':':
    case '+':
    case '#':
    case '>': return 1;
    default: return 0;
    }
}

/* The length of the joint at a place, 0 if there is none. */
static int joint_at(const Text *text, Py_ssize_t at) {
    Py_UCS4 c = at_of(text, at);
    if (is_capital(c)) return at > 0 && is_small(at_of(text, at - 1));
    if (!is_link(c)) return 0;
    if (at + 1 < text->size && (at_of(text, at + 1) == '+' || is_word(at_of(text, at + 1)))) return 2;
    return c == '#' && at > 0 && is_word(at_of(text, at - 1));
}

/* runs(text, longest) -> the runs of signs of names with a joint; longer ones are left out */
PyObject *name_runs(PyObject *module, PyObject *args) {
    PyObject *text;
    Py_ssize_t longest, end = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "Un", &text, &longest)) return NULL;
    Text read = {PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text)};
    PyObject *found = PyList_New(0);
    for (Py_ssize_t at = 0, length; found && at < read.size; at += length ? length : 1) {
        length = joint_at(&read, at);
        if (!length || at < end) continue;
        Py_ssize_t least = at - longest > end ? at - longest : end, first = at;
        while (first > least && is_sign(at_of(&read, first - 1))) first--;
        Py_ssize_t most = first + longest + 1 < read.size ? first + longest + 1 : read.size;
        for (end = first; end < most && is_sign(at_of(&read, end));) end++;
        if (end - first <= longest && push(found, PyUnicode_Substring(text, first, end)) < 0) Py_CLEAR(found);
    }
    return found;
}
