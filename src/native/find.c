/* Elements that are looked for by name, and words in attributes: one pass over the tree instead of one for each. */

#include "native.h"

#include <string.h>

enum { MOST = 8 };

typedef struct {
    PyObject *tag;
    const char *name, *attribute, *value; /* an empty attribute or value stands for any */
    Py_ssize_t name_size, attribute_size, value_size;
    int whole; /* all its attributes and its text are wanted, not that attribute alone */
} Wanted;

/* A word that some attribute of this name may hold. */
typedef struct {
    const char *attribute, *word;
    Py_ssize_t attribute_size, word_size;
    int seen;
    uint8_t steps[256]; /* from a letter where the word may end, to the next place where it may */
} Noted;

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

/* The first that is wanted by the name of an element, or `count`. */
static Py_ssize_t named(Node *node, const Wanted *wanted, Py_ssize_t count) {
    size_t size = 0;
    const char *name = lexbor.name(node, &size);
    for (Py_ssize_t i = 0; name && i < count; i++)
        if (size == (size_t)wanted[i].name_size && memcmp(name, wanted[i].name, size) == 0) return i;
    return count;
}

/* `known` has one more than what `named` says of elements that lexbor numbers, 0 for those not met so far. */
static const Wanted *match(Node *node, const Wanted *wanted, Py_ssize_t count, uint8_t *known) {
    uintptr_t tag = lexbor.tag(node);
    Py_ssize_t which = tag < TAGS_KNOWN && known[tag] ? known[tag] - 1 : named(node, wanted, count);
    if (tag < TAGS_KNOWN) known[tag] = (uint8_t)(which + 1);
    return which < count && has_attribute(node, &wanted[which]) ? &wanted[which] : NULL;
}

/* Whether a value holds a word of small letters, in whatever case. */
static int holds(const char *value, size_t size, const Noted *noted) {
    size_t length = (size_t)noted->word_size;
    if (!length) return 1;
    for (size_t end = length; value && end <= size; end += noted->steps[(unsigned char)value[end - 1]])
        if (Py_TOLOWER(value[end - 1]) == noted->word[length - 1] &&
            PyOS_strnicmp(value + end - length, noted->word, (Py_ssize_t)length) == 0)
            return 1;
    return 0;
}

static void set_steps(Noted *noted) {
    size_t length = (size_t)noted->word_size, most = length < UINT8_MAX ? length : UINT8_MAX;
    memset(noted->steps, (int)most, sizeof noted->steps);
    for (size_t at = length - most; at + 1 < length; at++) {
        unsigned char letter = (unsigned char)noted->word[at];
        noted->steps[Py_TOLOWER(letter)] = noted->steps[Py_TOUPPER(letter)] = (uint8_t)(length - 1 - at);
    }
}

/* The lengths of the names of attributes that are still looked for, as bits: most attributes have another. */
static uint64_t sizes_of(const Noted *noted, Py_ssize_t count) {
    uint64_t found = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!noted[i].seen) found |= (uint64_t)1 << (noted[i].attribute_size & 63);
    return found;
}

static void note(Node *node, Noted *noted, Py_ssize_t count) {
    uint64_t sizes = sizes_of(noted, count);
    for (Attribute *at = sizes ? lexbor.first_attribute(node) : NULL; at; at = lexbor.next_attribute(at)) {
        size_t size = 0, value_size = 0;
        const char *name = lexbor.attribute_name(at, &size), *value = NULL;
        if (!(sizes >> (size & 63) & 1)) continue;
        for (Py_ssize_t i = 0; name && i < count; i++) {
            Noted *one = &noted[i];
            if (one->seen || size != (size_t)one->attribute_size || memcmp(name, one->attribute, size) != 0) continue;
            if (!value) value = lexbor.attribute_value(at, &value_size);
            one->seen = holds(value, value_size, one);
        }
    }
}

static PyObject *said(Node *node, const Wanted *wanted) {
    if (wanted->whole) return Py_BuildValue("ONN", wanted->tag, attributes_of(node), text_of(node));
    PyObject *value = attribute_of(node, wanted->attribute, wanted->attribute_size);
    return Py_BuildValue("O{s#N}s", wanted->tag, wanted->attribute, wanted->attribute_size, value, "");
}

static int read_wanted(PyObject *asked, Wanted *wanted) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(asked); i++) {
        Wanted *w = &wanted[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(asked, i), "Us#s#p", &w->tag, &w->attribute, &w->attribute_size, &w->value,
                              &w->value_size, &w->whole) ||
            !(w->name = PyUnicode_AsUTF8AndSize(w->tag, &w->name_size)))
            return -1;
    }
    return 0;
}

static int read_noted(PyObject *asked, Noted *noted) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(asked); i++) {
        Noted *n = &noted[i];
        n->seen = 0;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(asked, i), "s#s#", &n->attribute, &n->attribute_size, &n->word,
                              &n->word_size))
            return -1;
        set_steps(n);
    }
    return 0;
}

static PyObject *seen_of(PyObject *asked, const Noted *noted) {
    PyObject *seen = PyList_New(0);
    for (Py_ssize_t i = 0; seen && i < PyTuple_GET_SIZE(asked); i++)
        if (noted[i].seen && PyList_Append(seen, PyTuple_GET_ITEM(asked, i)) < 0) Py_CLEAR(seen);
    return seen;
}

/* Whether a reference certainly leads to an address that starts with `home`: it starts so itself, or is a path of the
   same host, from its root or from here. A slash, a backslash or white space after the first slash can mean another host,
   and a colon another scheme. */
static int stays(const char *href, size_t size, const char *home, size_t home_size, int rooted) {
    if (rooted && size && *href == '/')
        return size == 1 || ((unsigned char)href[1] > ' ' && href[1] != '/' && href[1] != '\\');
    if (rooted && size && *href > ' ' && *href <= '~' && *href != '\\' && !memchr(href, ':', size)) return 1;
    return home_size && size >= home_size && memcmp(href, home, home_size) == 0;
}

/* The first `href` of an element; NULL without one. */
static const char *href_of(Node *node, size_t *size) {
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        const char *name = lexbor.attribute_name(at, size);
        if (!name || *size != 4 || memcmp(name, "href", 4) != 0) continue;
        const char *value = lexbor.attribute_value(at, size);
        if (value) return value;
        *size = 0;
        return "";
    }
    return NULL;
}

/* Where a link leads; NULL if the node is none. */
static const char *link_of(Node *node, size_t *size) {
    static char is_other[TAGS_KNOWN]; /* elements that lexbor numbers, and that are none */
    if (lexbor.type(node) != ELEMENT) return NULL;
    uintptr_t tag = lexbor.tag(node);
    if (tag < TAGS_KNOWN && is_other[tag]) return NULL;
    const char *name = lexbor.name(node, size);
    if (name && *size == 1 && *name == 'a') return href_of(node, size);
    if (tag < TAGS_KNOWN) is_other[tag] = 1;
    return NULL;
}

/* Add the link unless one with the same reference was there. */
static int add_link(Node *node, PyObject *href, PyObject *seen, PyObject *found) {
    int known = PySet_Contains(seen, href);
    if (known) return known < 0 ? -1 : 0;
    if (PySet_Add(seen, href) < 0) return -1;
    PyObject *text = text_of(node), *line = text ? text_joined(NULL, text) : NULL;
    Py_XDECREF(text);
    return push(found, Py_BuildValue("ONN", href, attribute_of(node, "rel", 3), line));
}

/* links(address, home, rooted) -> the reference, `rel` and line of text of each link, those with the same reference once, without
   those within the page and those that certainly stay at home */
PyObject *find_links(PyObject *module, PyObject *args) {
    PyObject *address;
    const char *home;
    Py_ssize_t home_size;
    int rooted;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!s#p", &PyLong_Type, &address, &home, &home_size, &rooted)) return NULL;
    Node *root = node_at(address);
    if (!root) return NULL;
    PyObject *found = PyList_New(0), *seen = PySet_New(NULL);
    for (Node *node = after(root, root); found && seen && node; node = after(node, root)) {
        size_t size = 0;
        const char *value = link_of(node, &size);
        if (!value || (size && *value == '#') || stays(value, size, home, home_size, rooted)) continue;
        PyObject *href = decoded(value, size);
        if (!href || add_link(node, href, seen, found) < 0) Py_CLEAR(found);
        Py_XDECREF(href);
    }
    if (!seen) Py_CLEAR(found);
    Py_XDECREF(seen);
    return found;
}

/* ---- links that lead away ---- */

typedef struct {
    PyObject *home, *resolve, *leaves, *cleaned;
    PyObject *seen, *hosts, *found;
    Py_ssize_t most, anchor, room, left_out;
} Outgoing;

/* An absolute address of plain signs needs no look at the base. */
static int is_absolute(const char *href, size_t size) {
    if (size < 8 || (memcmp(href, "https://", 8) != 0 && memcmp(href, "http://", 7) != 0)) return 0;
    for (size_t i = 0; i < size; i++)
        if (href[i] <= ' ' || href[i] > '~') return 0;
    return 1;
}

/* Whether an address leads to another site: asked once for each host. */
static int leads_away(Outgoing *o, PyObject *url) {
    Py_ssize_t size = PyUnicode_GET_LENGTH(url), first = PyUnicode_FindChar(url, '/', 0, size, 1) + 2;
    Py_ssize_t end = first < size ? PyUnicode_FindChar(url, '/', first, size, 1) : size;
    PyObject *host = PyUnicode_Substring(url, first, end < 0 ? size : end);
    PyObject *known = host ? PyDict_GetItemWithError(o->hosts, host) : NULL;
    int away = known ? known == Py_True : -1;
    if (host && !known && !PyErr_Occurred()) {
        PyObject *said = PyObject_CallOneArg(o->leaves, url);
        away = said ? PyObject_IsTrue(said) : -1;
        Py_XDECREF(said);
        if (away >= 0 && PyDict_SetItem(o->hosts, host, away ? Py_True : Py_False) < 0) away = -1;
    }
    Py_XDECREF(host);
    return away;
}

/* The text of a link in one line, without controls. */
static PyObject *anchor_of(Outgoing *o, Node *node) {
    PyObject *whole = text_of(node), *line = whole ? text_joined(NULL, whole) : NULL;
    PyObject *text = line ? PyUnicode_Substring(line, 0, o->anchor) : NULL;
    Py_XDECREF(whole);
    Py_XDECREF(line);
    if (!text) return NULL;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); i++) {
        if (Py_UNICODE_ISPRINTABLE(PyUnicode_READ_CHAR(text, i))) continue;
        PyObject *found = PyObject_CallOneArg(o->cleaned, text);
        Py_DECREF(text);
        if (!found || PyUnicode_Check(found)) return found;
        Py_DECREF(found);
        return PyErr_Format(PyExc_TypeError, "a cleaned text is a text");
    }
    return text;
}

/* Add the link if it is the first to an address that leads away. */
static int add_outgoing(Outgoing *o, Node *node, PyObject *url) {
    Py_ssize_t size = PyUnicode_GET_LENGTH(url), home = PyUnicode_GET_LENGTH(o->home);
    int known = size ? PySet_Contains(o->seen, url) : 1;
    if (known || (home && PyUnicode_Tailmatch(url, o->home, 0, size, -1) == 1)) return known < 0 ? -1 : 0;
    if (PySet_Add(o->seen, url) < 0) return -1;
    int away = leads_away(o, url);
    if (away <= 0) return away;
    PyObject *text = anchor_of(o, node);
    if (!text) return -1;
    o->room -= size + PyUnicode_GET_LENGTH(text);
    if (o->room >= 0 && PyList_GET_SIZE(o->found) < o->most) return push(o->found, Py_BuildValue("{sOsN}", "url", url, "text", text));
    o->left_out++;
    Py_DECREF(text);
    return 0;
}

static int take_outgoing(Outgoing *o, Node *node, const char *value, size_t size) {
    PyObject *href = decoded(value, size), *url = href;
    if (href && !is_absolute(value, size)) {
        url = PyObject_CallOneArg(o->resolve, href);
        Py_DECREF(href);
        if (url && !PyUnicode_Check(url)) Py_SETREF(url, PyErr_Format(PyExc_TypeError, "an address is a text"));
    }
    int failed = url ? add_outgoing(o, node, url) : -1;
    Py_XDECREF(url);
    return failed;
}

/* outgoing(address, home, rooted, resolve, leaves, cleaned, most links, characters of a text, of all) -> the address and text of
   each link that leads to another site, and how many more there are */
PyObject *find_outgoing(PyObject *module, PyObject *args) {
    PyObject *address;
    Outgoing o = {0};
    Py_ssize_t home_size;
    int rooted, failed;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!UpOOOnnn", &PyLong_Type, &address, &o.home, &rooted, &o.resolve, &o.leaves, &o.cleaned,
                          &o.most, &o.anchor, &o.room))
        return NULL;
    Node *root = node_at(address);
    const char *home = root ? PyUnicode_AsUTF8AndSize(o.home, &home_size) : NULL;
    if (!home) return NULL;
    o.seen = PySet_New(NULL), o.hosts = PyDict_New(), o.found = PyList_New(0);
    failed = !o.seen || !o.hosts || !o.found;
    for (Node *node = after(root, root); !failed && node; node = after(node, root)) {
        size_t size = 0;
        const char *value = link_of(node, &size);
        if (value && !(size && *value == '#') && !stays(value, size, home, (size_t)home_size, rooted))
            failed = take_outgoing(&o, node, value, size) < 0;
    }
    Py_XDECREF(o.seen);
    Py_XDECREF(o.hosts);
    if (!failed) return Py_BuildValue("Nn", o.found, o.left_out);
    Py_XDECREF(o.found);
    return NULL;
}

/* find(address, ((tag, attribute, value, whole), ...), ((attribute, word), ...)) -> the tag, attributes and text of each
   such element, in order; and which of the words are there */
PyObject *find_elements(PyObject *module, PyObject *args) {
    PyObject *address, *asked, *words;
    Wanted wanted[MOST];
    Noted noted[MOST];
    uint8_t known[TAGS_KNOWN] = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyLong_Type, &address, &PyTuple_Type, &asked, &PyTuple_Type, &words)) return NULL;
    Node *root = node_at(address);
    Py_ssize_t count = PyTuple_GET_SIZE(asked), word_count = PyTuple_GET_SIZE(words);
    if (!root) return NULL;
    if (count > MOST || word_count > MOST) return PyErr_Format(PyExc_ValueError, "at most %d can be looked for", MOST);
    if (read_wanted(asked, wanted) < 0 || read_noted(words, noted) < 0) return NULL;
    PyObject *found = PyList_New(0);
    if (lexbor.type(root) == ELEMENT) note(root, noted, word_count);
    for (Node *node = after(root, root); found && node; node = after(node, root)) {
        if (lexbor.type(node) != ELEMENT) continue;
        if (word_count) note(node, noted, word_count);
        const Wanted *which = match(node, wanted, count, known);
        if (which && push(found, said(node, which)) < 0) Py_CLEAR(found);
    }
    return found ? Py_BuildValue("NN", found, seen_of(words, noted)) : NULL;
}
