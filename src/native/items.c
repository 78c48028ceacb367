/* Microdata: `plain_properties` of page_data.py says what is found. */

#include "native.h"

#include <string.h>

typedef struct {
    const char *data; /* NULL without the attribute */
    size_t size;
} Value;

typedef struct {
    Value scope, type, property, content, value;
} Said;

/* An item that is open: how deep it is, and which one. */
typedef struct {
    size_t depth;
    Py_ssize_t number;
} Open;

typedef struct {
    PyObject *found;
    Open *open;
    size_t open_count, open_room;
    Py_ssize_t items, most_items, matches, most_matches;
} Items;

/* The attribute that has the value of an element, if its text has not: as _VALUES of page_data.py. */
static const char *const VALUES[][2] = {{"meta", "content"}, {"a", "href"},        {"link", "href"},
                                        {"img", "src"},      {"time", "datetime"}, {"data", "value"}};

static int is(const char *text, size_t size, const char *word) {
    return text && size == strlen(word) && memcmp(text, word, size) == 0;
}

static const char *value_name(Node *node) {
    size_t size = 0;
    const char *tag = lexbor.name(node, &size);
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++)
        if (is(tag, size, VALUES[i][0])) return VALUES[i][1];
    return "content";
}

static Said said_of(Node *node) {
    Said said = {0};
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        size_t size = 0;
        const char *name = lexbor.attribute_name(at, &size);
        Value *place = is(name, size, "itemscope")  ? &said.scope
                       : is(name, size, "itemprop") ? &said.property
                       : is(name, size, "itemtype") ? &said.type
                                                    : NULL;
        if (!place) continue;
        place->data = lexbor.attribute_value(at, &place->size);
        if (!place->data) *place = (Value){"", 0};
    }
    return said;
}

/* The value of a property: the first of two attributes that says something, else the text in one line. */
static PyObject *value_of(Node *node) {
    const char *wanted[2] = {"content", value_name(node)};
    for (int which = 0; which < 2; which++)
        for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
            size_t size = 0;
            const char *name = lexbor.attribute_name(at, &size);
            if (!is(name, size, wanted[which])) continue;
            const char *value = lexbor.attribute_value(at, &size);
            if (value && size) return decoded(value, size);
        }
    PyObject *text = text_of(node), *line = text ? text_joined(NULL, text) : NULL;
    Py_XDECREF(text);
    return line;
}

/* Note an element that is an item or a property. */
static int add(Items *items, Node *node, const Said *said, size_t depth) {
    int is_item = said->scope.data && items->items < items->most_items;
    Py_ssize_t holder = items->open_count && said->property.size ? items->open[items->open_count - 1].number : -1;
    items->matches += (said->scope.data != NULL) + (said->property.data != NULL);
    PyObject *type = is_item ? decoded(said->type.data ? said->type.data : "", said->type.size) : Py_NewRef(Py_None);
    PyObject *names = decoded(said->property.data ? said->property.data : "", said->property.size);
    PyObject *value = holder >= 0 && !is_item ? value_of(node) : PyUnicode_New(0, 0);
    if (is_item) {
        if (GROW(items, open, open_room, items->open_count + 1) < 0) Py_CLEAR(type);
        else items->open[items->open_count++] = (Open){depth, items->items++};
    }
    if (type && names && value) return push(items->found, Py_BuildValue("nNNN", holder, type, names, value));
    Py_XDECREF(type);
    Py_XDECREF(names);
    Py_XDECREF(value);
    return -1;
}

/* The next node in document order, and how deep it is; NULL after the last below `root`. */
static Node *step(Node *node, Node *root, size_t *depth) {
    Node *next = lexbor.first_child(node);
    if (next) return ++*depth, next;
    for (; node != root; node = lexbor.parent(node), --*depth)
        if ((next = lexbor.next(node))) return next;
    return NULL;
}

/* properties(address, most items, most matches) -> for each element that is an item or a property: the item that has it
   or -1, its type (None if it is no item), its names, its value */
PyObject *find_properties(PyObject *module, PyObject *args) {
    PyObject *address;
    Items items = {0};
    size_t depth = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!nn", &PyLong_Type, &address, &items.most_items, &items.most_matches)) return NULL;
    Node *root = node_at(address), *node = root;
    items.found = root ? PyList_New(0) : NULL;
    while (items.found && node && items.matches < items.most_matches) {
        while (items.open_count && items.open[items.open_count - 1].depth >= depth) items.open_count--;
        if (lexbor.type(node) == ELEMENT) {
            Said said = said_of(node);
            if ((said.scope.data || said.property.data) && add(&items, node, &said, depth) < 0) Py_CLEAR(items.found);
        }
        node = step(node, root, &depth);
    }
    PyMem_Free(items.open);
    return items.found;
}
