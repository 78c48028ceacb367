/* What a node of selectolax says, as Python values. */

#include "native.h"

#include <string.h>

/* As selectolax does: bytes that are no UTF-8 reach the tree as they are. */
PyObject *decoded(const char *data, size_t size) { return PyUnicode_DecodeUTF8(data, (Py_ssize_t)size, "replace"); }

/* `LexborNode.text()`. The copy lexbor makes is freed with its document. */
PyObject *text_of(Node *node) {
    size_t size = 0;
    const char *data = lexbor.text(node, &size);
    return decoded(data ? data : "", data ? size : 0);
}

/* `LexborNode.attributes`. */
PyObject *attributes_of(Node *node) {
    PyObject *found = PyDict_New();
    for (Attribute *at = lexbor.first_attribute(node); found && at; at = lexbor.next_attribute(at)) {
        size_t size = 0, value_size = 0;
        const char *name = lexbor.attribute_name(at, &size);
        const char *value = lexbor.attribute_value(at, &value_size);
        PyObject *key = decoded(name, size);
        PyObject *said = value ? decoded(value, value_size) : Py_NewRef(Py_None);
        if (!key || !said || PyDict_SetItem(found, key, said) < 0) Py_CLEAR(found);
        Py_XDECREF(key);
        Py_XDECREF(said);
    }
    return found;
}

/* The value of one attribute, None without one. */
PyObject *attribute_of(Node *node, const char *wanted, size_t wanted_size) {
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        size_t size = 0;
        const char *name = lexbor.attribute_name(at, &size);
        if (!name || size != wanted_size || memcmp(name, wanted, size) != 0) continue;
        const char *value = lexbor.attribute_value(at, &size);
        if (value) return decoded(value, size);
    }
    Py_RETURN_NONE;
}

/* The node with an address: `LexborNode.mem_id`. The caller holds the tree. */
Node *node_at(PyObject *address) {
    Node *node = PyLong_AsVoidPtr(address);
    if (!node && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no node has the address 0");
    return node;
}

/* Append to a list and let go of the object, which may be NULL after an error. */
int push(PyObject *list, PyObject *item) {
    int failed = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return failed;
}

/* Room for `needed` things in a growing array. */
int grow(void *array, size_t *room, size_t needed, size_t thing) {
    void **place = array;
    if (needed <= *room) return 0;
    size_t wanted = needed * 2 < 64 ? 64 : needed * 2;
    void *larger = PyMem_Realloc(*place, wanted * thing);
    if (!larger) return PyErr_NoMemory(), -1;
    *place = larger;
    *room = wanted;
    return 0;
}
