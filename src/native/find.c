/* Elements that are looked for by name: one pass over the tree instead of one for each selector. */

#include "native.h"

#include <string.h>

enum { MOST = 8 };

typedef struct {
    PyObject *tag;
    const char *name, *attribute, *value; /* an empty attribute or value stands for any */
    Py_ssize_t name_size, attribute_size, value_size;
} Wanted;

/* The next node in document order; NULL after the last below `root`. */
static Node *after(Node *node, Node *root) {
    Node *next = lexbor.first_child(node);
    while (!next && node && node != root) {
        next = lexbor.next(node);
        if (!next) node = lexbor.parent(node);
    }
    return next;
}

static int has_attribute(Node *node, const Wanted *wanted) {
    if (!wanted->attribute_size) return 1;
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        size_t size = 0;
        const char *found = lexbor.attribute_name(at, &size);
        if (!found || size != (size_t)wanted->attribute_size || memcmp(found, wanted->attribute, size) != 0) continue;
        if (!wanted->value_size) return 1;
        found = lexbor.attribute_value(at, &size);
        return found && size == (size_t)wanted->value_size && PyOS_strnicmp(found, wanted->value, size) == 0;
    }
    return 0;
}

static const Wanted *match(Node *node, const Wanted *wanted, Py_ssize_t count) {
    size_t size = 0;
    const char *name = lexbor.type(node) == ELEMENT ? lexbor.name(node, &size) : NULL;
    for (Py_ssize_t i = 0; name && i < count; i++)
        if (size == (size_t)wanted[i].name_size && memcmp(name, wanted[i].name, size) == 0)
            return has_attribute(node, &wanted[i]) ? &wanted[i] : NULL;
    return NULL;
}

/* find(address, ((tag, attribute, value), ...)) -> tag, attributes, text of each such element, in order */
PyObject *find_elements(PyObject *module, PyObject *args) {
    PyObject *address, *asked;
    Wanted wanted[MOST];
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &PyLong_Type, &address, &PyTuple_Type, &asked)) return NULL;
    Node *root = node_at(address);
    Py_ssize_t count = PyTuple_GET_SIZE(asked);
    if (!root) return NULL;
    if (count > MOST) return PyErr_Format(PyExc_ValueError, "at most %d names can be looked for", MOST);
    for (Py_ssize_t i = 0; i < count; i++) {
        Wanted *w = &wanted[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(asked, i), "Us#s#", &w->tag, &w->attribute, &w->attribute_size, &w->value,
                              &w->value_size) ||
            !(w->name = PyUnicode_AsUTF8AndSize(w->tag, &w->name_size)))
            return NULL;
    }
    PyObject *found = PyList_New(0);
    for (Node *node = after(root, root); found && node; node = after(node, root)) {
        const Wanted *which = match(node, wanted, count);
        if (which && push(found, Py_BuildValue("ONN", which->tag, attributes_of(node), text_of(node))) < 0) Py_CLEAR(found);
    }
    return found;
}
