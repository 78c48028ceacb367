/* Content as markup, written while the tree is walked: the same as `_Writer` of _markup.py, which says what is written.
   What is rare there (addresses relative to a page, languages of code) is left to the Python code. */

#include "native.h"

#include <string.h>

/* What to do with an element, and with an attribute: the numbers of _markup.py. */
enum { AS_IT_IS = 1, AS_SPAN, LEAF, PRE, IMAGE };
enum { WRITTEN = 1, ADDRESS };

static const char EMPTY_CELL[] = "<td></td>";
static const Py_UCS4 LINE_END = '\n';
/* Where scripts find the address of an image, the first that is there. */
static const char *const LAZY[] = {"data-src", "data-lazy-src", "data-original", "data-hi-res-src", "data-image-src"};

/* What `markup_setup` was given. */
static Table tags, bare, attributes, inlines, line_blocks;
static PyObject *span, *div_, *name_language, *ask_lined;

/* What is left of an element that was entered: an end tag, nothing, or a line end that may become a `div`. */
typedef enum { END_TAG, NOTHING, WRAPPER } Rest;

typedef struct {
    Rest rest;
    PyObject *name; /* borrowed */
} Open;

typedef struct {
    PyObject *tag; /* owned */
    Node *node;
} Pending;

typedef struct {
    const char *kept; /* per block */
    Py_ssize_t blocks, block;
    PyObject *harmless, *origin, *candidates;
    Py_UCS4 *out;
    size_t size, out_room;
    int begun; /* whether anything was written, be it nothing */
    Open *open;
    size_t open_count, open_room;
    Pending *pending;
    size_t pending_count, pending_room;
    Py_ssize_t *blanks; /* for each depth, how many empty cells came before the first text of the element there */
    size_t blanks_room;
    int closed;      /* whether the element that ends next was written already */
    PyObject *about; /* attributes of a `pre`, and of each `code` right inside it; NULL outside */
    Py_UCS4 *code;   /* its text */
    size_t code_size, code_room;
    int code_begun, code_kept;
    int at_line_start; /* whether the last piece of it, which may be empty, ended a line */
    char *lined;       /* for each element inside it, whether it is lines of its own */
    size_t code_depth, lined_room;
    const Reading *reading; /* of the same tree, or NULL */
    int32_t *running;       /* with it: how many blocks before each one are kept */
} Writer;

static int is_kept(const Writer *w, Py_ssize_t block) { return block >= 0 && block < w->blocks && w->kept[block]; }

/* ---- characters ---- */

static int put(Writer *w, Py_UCS4 c) {
    if (GROW(w, out, out_room, w->size + 1) < 0) return -1;
    w->out[w->size++] = c;
    w->begun = 1;
    return 0;
}

static int put_ascii(Writer *w, const char *text) {
    while (*text)
        if (put(w, (unsigned char)*text++) < 0) return -1;
    return 0;
}

static int put_escaped(Writer *w, Py_UCS4 c, int quote) {
    switch (c) {
        case '&': return put_ascii(w, "&amp;");
        case '<': return put_ascii(w, "&lt;");
        case '>': return put_ascii(w, "&gt;");
        case '"': return quote ? put_ascii(w, "&quot;") : put(w, c);
        case '\'': return quote ? put_ascii(w, "&#x27;") : put(w, c);
        default: return put(w, c);
    }
}

/* Whether `put_escaped` may write something else. */
static int is_special(Py_UCS4 c) { return c == '&' || c == '<' || c == '>' || c == '"' || c == '\''; }

static int put_string(Writer *w, PyObject *text, int escaped) {
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    w->begun = 1;
    if (GROW(w, out, out_room, w->size + size) < 0) return -1;
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        if (!escaped || !is_special(c)) w->out[w->size++] = c;
        else if (put_escaped(w, c, 1) < 0 || GROW(w, out, out_room, w->size + size - i) < 0) return -1;
    }
    return 0;
}

/* Text of a page, in which quotes stay. */
static int put_text(Writer *w, const Py_UCS4 *text, size_t size) {
    if (GROW(w, out, out_room, w->size + size) < 0) return -1;
    for (size_t i = 0; i < size; i++) {
        if (!is_special(text[i])) w->out[w->size++] = text[i];
        else if (put_escaped(w, text[i], 0) < 0 || GROW(w, out, out_room, w->size + size - i) < 0) return -1;
    }
    return 0;
}

/* ---- elements ---- */

/* Before what starts at `place` of the text: a wrapper that holds it is needed after all, or it would run into the text
   after it. */
static int hold(Writer *w, size_t place) {
    static const char START[] = "<div>";
    enum { LENGTH = sizeof START - 1 };
    size_t at = w->open_count;
    while (at && w->open[at - 1].rest == NOTHING) at--;
    if (!at || w->open[at - 1].rest != WRAPPER) return 0;
    w->open[at - 1] = (Open){END_TAG, div_};
    if (GROW(w, out, out_room, w->size + LENGTH) < 0) return -1;
    memmove(w->out + place + LENGTH, w->out + place, (w->size - place) * sizeof *w->out);
    for (int i = 0; i < LENGTH; i++) w->out[place + i] = (unsigned char)START[i];
    w->size += LENGTH;
    w->begun = 1;
    return 0;
}

/* An address as it is written: most are absolute and plain already, or paths of the same host. */
static PyObject *address_of(Writer *w, const char *value, size_t size) {
    PyObject *said = decoded(value, size), *found;
    int absolute = size > 8 && (memcmp(value, "https://", 8) == 0 || memcmp(value, "http://", 7) == 0);
    int rooted = size && *value == '/' && (size == 1 || (value[1] != '/' && value[1] != '\\'));
    if (!said) return NULL;
    if ((absolute || rooted) && (unsigned char)value[size - 1] > ' ' && !memchr(value, '\t', size) &&
        !memchr(value, '\n', size) && !memchr(value, '\r', size)) {
        if (absolute) return said;
        found = PyUnicode_GET_LENGTH(w->origin) ? PyUnicode_Concat(w->origin, said) : Py_NewRef(w->origin);
    } else {
        found = PyObject_CallOneArg(w->harmless, said);
        if (found && !PyUnicode_Check(found)) {
            Py_CLEAR(found);
            PyErr_SetString(PyExc_TypeError, "an address is a text");
        }
    }
    Py_DECREF(said);
    return found;
}

/* An attribute, unless it says nothing; whether it was written, or -1. Lets go of what it says. */
static int put_attribute(Writer *w, const char *key, PyObject *said) {
    int written = !said ? -1 : PyUnicode_GET_LENGTH(said) > 0;
    if (written > 0 && (put(w, ' ') < 0 || put_ascii(w, key) < 0 || put_ascii(w, "=\"") < 0 || put_string(w, said, 1) < 0 ||
                        put(w, '"') < 0))
        written = -1;
    Py_XDECREF(said);
    return written;
}

/* The attributes of an element that are kept; how many, or -1. */
static int put_attributes(Writer *w, PyObject *name, Node *node) {
    int count = 0;
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        size_t size = 0, value_size = 0;
        char both[32];
        const char *key = lexbor.attribute_name(at, &size), *value = lexbor.attribute_value(at, &value_size);
        size_t before = PyUnicode_GET_LENGTH(name);
        if (!key || !value || !value_size || before + size + 2 > sizeof both) continue;
        memcpy(both, PyUnicode_1BYTE_DATA(name), before);
        both[before] = ' ';
        memcpy(both + before + 1, key, size);
        const Entry *allowed = table_find(&attributes, both, before + 1 + size);
        if (!allowed) continue;
        PyObject *said = allowed->number == ADDRESS ? address_of(w, value, value_size) : decoded(value, value_size);
        both[before + 1 + size] = 0;
        int written = put_attribute(w, both + before + 1, said);
        if (written < 0) return -1;
        count += written;
    }
    return count;
}

static const Entry *entry_of(const Table *table, PyObject *name) {
    if (!PyUnicode_IS_ASCII(name)) return NULL;
    return table_find(table, (const char *)PyUnicode_1BYTE_DATA(name), PyUnicode_GET_LENGTH(name));
}

static int enter_one(Writer *w, const Pending *element) {
    const Entry *known = entry_of(&tags, element->tag);
    PyObject *name = !known ? div_ : known->number == AS_SPAN ? span : known->name;
    const Entry *rest = entry_of(&bare, name);
    size_t start = w->size;
    int begun = w->begun;
    if (GROW(w, open, open_room, w->open_count + 1) < 0) return -1;
    /* Written first, and taken back when the element says nothing: only then that is known. */
    if (put(w, '<') < 0 || put_string(w, name, 0) < 0) return -1;
    int said = put_attributes(w, name, element->node);
    if (said < 0 || put(w, '>') < 0) return -1;
    if (!said && rest) {
        w->size = start;
        w->begun = begun;
        w->open[w->open_count++] = (Open){(Rest)rest->number, name};
        return 0;
    }
    if (entry_of(&inlines, name) && hold(w, start) < 0) return -1;
    w->open[w->open_count++] = (Open){END_TAG, name};
    for (size_t at = w->open_count; at < w->blanks_room && w->blanks[at]; w->blanks[at]--)
        if (put_ascii(w, EMPTY_CELL) < 0) return -1;
    return 0;
}

/* Enter the elements that were waiting for something kept. */
static int enter(Writer *w) {
    int failed = 0;
    for (size_t i = 0; i < w->pending_count; i++) {
        if (!failed) failed = enter_one(w, &w->pending[i]);
        Py_DECREF(w->pending[i].tag);
    }
    w->pending_count = 0;
    return failed;
}

/* An element ends without anything kept. Without its empty cells a table would lose its columns. */
static int leave_out(Writer *w, PyObject *tag) {
    size_t row = w->open_count + w->pending_count, before = w->blanks_room;
    int is_cell = PyUnicode_CompareWithASCIIString(tag, "td") == 0 || PyUnicode_CompareWithASCIIString(tag, "th") == 0;
    if (row + 1 < before) w->blanks[row + 1] = 0; /* left out with it: they are none of the next row's */
    if (!is_cell) return 0;
    if (!w->pending_count) return put_ascii(w, EMPTY_CELL);
    if (GROW(w, blanks, blanks_room, row + 1) < 0) return -1;
    memset(w->blanks + before, 0, (w->blanks_room - before) * sizeof *w->blanks);
    w->blanks[row]++;
    return 0;
}

/* ---- images ---- */

/* The value of an attribute, with its size; NULL without one, or if it is empty. */
static const char *value_of(Node *node, const char *wanted, size_t *size) {
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        const char *name = lexbor.attribute_name(at, size);
        if (!name || *size != strlen(wanted) || memcmp(name, wanted, *size) != 0) continue;
        const char *value = lexbor.attribute_value(at, size);
        return value && *size ? value : NULL;
    }
    return NULL;
}

/* The address of an image: the one that a script would set, if the image has none of its own. */
static int put_source(Writer *w, Node *node) {
    size_t size = 0, own_size = 0;
    const char *own = value_of(node, "src", &own_size), *found = NULL;
    if (!own || (own_size >= 5 && memcmp(own, "data:", 5) == 0)) {
        for (size_t i = 0; !found && i < sizeof LAZY / sizeof *LAZY; i++) found = value_of(node, LAZY[i], &size);
    }
    if (!found) found = own, size = own_size;
    return found ? put_attribute(w, "src", address_of(w, found, size)) : 0;
}

/* Candidates of a `srcset`, one at a time. */
typedef struct {
    const char *at, *end;
    const char *url, *size; /* of the candidate */
    size_t url_length, size_length;
} Candidates;

static int is_gap(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The next candidate: 1, 0 if there is none, or -1 if it is not as plain as most are, and for the Python code. */
static int next_candidate(Candidates *c) {
    while (c->at < c->end && (is_gap(*c->at) || *c->at == ',')) c->at++;
    c->url = c->at;
    while (c->at < c->end && *c->at > ' ' && *c->at <= '~') c->at++;
    c->url_length = (size_t)(c->at - c->url);
    if (c->at < c->end && !is_gap(*c->at)) return -1;
    if (!c->url_length) return 0;
    int rooted = *c->url == '/' && c->url_length > 1 && c->url[1] != '/' && c->url[1] != '\\';
    int absolute = c->url_length > 8 && (memcmp(c->url, "https://", 8) == 0 || memcmp(c->url, "http://", 7) == 0);
    if ((!rooted && !absolute) || c->at[-1] == ',') return -1;
    while (c->at < c->end && is_gap(*c->at)) c->at++;
    c->size = c->at;
    while (c->at < c->end && (Py_ISDIGIT(*c->at) || *c->at == '.')) c->at++;
    if (c->at > c->size && c->at < c->end && (*c->at == 'w' || *c->at == 'x' || *c->at == 'h')) c->at++;
    else if (c->at > c->size) return -1;
    c->size_length = (size_t)(c->at - c->size);
    while (c->at < c->end && is_gap(*c->at)) c->at++;
    return c->at == c->end || *c->at == ',' ? 1 : -1;
}

/* Write a `srcset` as `Base.candidates` does: 1, 0 if that has to be asked, or -1 for an error. */
static int put_candidates(Writer *w, const char *set, size_t size) {
    Candidates c = {.at = set, .end = set + size};
    size_t before = w->size;
    int more = 1, failed = 0, count = 0;
    while (!failed && (more = next_candidate(&c)) > 0) {
        int rooted = *c.url == '/';
        if (rooted && !PyUnicode_GET_LENGTH(w->origin)) continue;
        failed = put_ascii(w, count++ ? ", " : " srcset=\"") < 0 || (rooted && put_string(w, w->origin, 1) < 0);
        for (size_t i = 0; !failed && i < c.url_length; i++) failed = put_escaped(w, c.url[i], 1) < 0;
        failed = failed || (c.size_length && put(w, ' ') < 0);
        for (size_t i = 0; !failed && i < c.size_length; i++) failed = put(w, c.size[i]) < 0;
    }
    if (more < 0) w->size = before;
    else if (count) failed = failed || put(w, '"') < 0;
    return failed ? -1 : more == 0;
}

static int put_source_set(Writer *w, Node *node) {
    size_t size = 0;
    const char *found = value_of(node, "srcset", &size);
    if (!found) found = value_of(node, "data-srcset", &size);
    int done = found ? put_candidates(w, found, size) : 1;
    if (done) return done < 0 ? -1 : 0;
    PyObject *said = decoded(found, size);
    if (!said) return -1;
    PyObject *all = PyObject_CallOneArg(w->candidates, said);
    Py_DECREF(said);
    if (all && !PyUnicode_Check(all)) return PyErr_SetString(PyExc_TypeError, "addresses are a text"), Py_DECREF(all), -1;
    return put_attribute(w, "srcset", all);
}

/* All attributes of an image that are kept, in order; what the image itself does not have comes last. */
static int put_image_attributes(Writer *w, Node *node) {
    int source = 0, set = 0;
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        size_t size = 0, value_size = 0;
        char both[32] = "img ";
        const char *key = lexbor.attribute_name(at, &size), *value = lexbor.attribute_value(at, &value_size);
        if (!key || size + 5 > sizeof both) continue;
        memcpy(both + 4, key, size);
        if (!table_find(&attributes, both, 4 + size)) continue;
        int failed = 0;
        if (strcmp(both + 4, "src") == 0) source = 1, failed = put_source(w, node);
        else if (strcmp(both + 4, "srcset") == 0) set = 1, failed = put_source_set(w, node);
        else if (value && value_size) failed = put_attribute(w, both + 4, decoded(value, value_size));
        if (failed < 0) return -1;
    }
    return (!source && put_source(w, node) < 0) || (!set && put_source_set(w, node) < 0) ? -1 : 0;
}

/* An image; nothing if it has no address. */
static int put_image(Writer *w, Node *node) {
    static const char SOURCE[] = " src";
    Writer image = {.harmless = w->harmless, .origin = w->origin, .candidates = w->candidates};
    int failed = put_ascii(&image, "<img") < 0 || put_image_attributes(&image, node) < 0 || put(&image, '>') < 0, found = 0;
    for (size_t at = 0, same = 0; !failed && !found && at < image.size; at++) {
        same = image.out[at] == (unsigned char)SOURCE[same] ? same + 1 : image.out[at] == ' ';
        found = same == sizeof SOURCE - 1;
    }
    if (found) failed = enter(w) < 0 || hold(w, w->size) < 0 || GROW(w, out, out_room, w->size + image.size) < 0;
    if (found && !failed) {
        memcpy(w->out + w->size, image.out, image.size * sizeof *image.out);
        w->size += image.size;
        w->begun = 1;
    }
    PyMem_Free(image.out);
    return failed ? -1 : 0;
}

/* ---- code ---- */

static int start_code(Writer *w, Node *node) {
    w->about = PyList_New(0);
    w->code_depth = 1;
    w->code_size = 0;
    w->code_begun = w->code_kept = w->at_line_start = 0;
    return w->about ? push(w->about, attributes_of(node)) : -1;
}

/* A piece of the text of code, without what nobody sees. */
static int add_code(Writer *w, const Py_UCS4 *text, size_t size) {
    size_t before = w->code_size;
    if (GROW(w, code, code_room, before + size) < 0) return -1;
    for (size_t i = 0; i < size; i++)
        if (!is_trick(text[i])) w->code[w->code_size++] = text[i];
    w->code_begun = 1;
    w->at_line_start = w->code_size > before && w->code[w->code_size - 1] == '\n';
    return 0;
}

static int end_line(Writer *w) {
    return w->code_begun && !w->at_line_start ? add_code(w, &LINE_END, 1) : 0;
}

/* Whether an inline element is a line of its own, by its class. */
static int is_lined(Node *node) {
    size_t size = 0;
    const char *name = value_of(node, "class", &size);
    if (!name || !may_be_lined(name, size)) return 0;
    PyObject *class = decoded(name, size), *lined = class ? PyObject_CallOneArg(ask_lined, class) : NULL;
    int found = lined ? PyObject_IsTrue(lined) : -1;
    Py_XDECREF(class);
    Py_XDECREF(lined);
    return found;
}

static int open_in_code(Writer *w, PyObject *tag, Node *node) {
    int is_code = PyUnicode_CompareWithASCIIString(tag, "code") == 0, lined = entry_of(&line_blocks, tag) != NULL;
    if (w->code_depth == 1 && is_code && push(w->about, attributes_of(node)) < 0) return -1;
    if (is_code || PyUnicode_CompareWithASCIIString(tag, "span") == 0) lined = is_lined(node);
    if (lined < 0 || GROW(w, lined, lined_room, w->code_depth + 1) < 0) return -1;
    w->lined[w->code_depth++] = (char)lined;
    if (PyUnicode_CompareWithASCIIString(tag, "br") == 0) return add_code(w, &LINE_END, 1);
    return lined ? end_line(w) : 0;
}

/* The text of code, without spaces at the ends of lines, and without empty lines around it. */
static int put_code(Writer *w) {
    size_t end = 0, first = 0;
    for (size_t at = 0; at <= w->code_size; at++) {
        if (at == w->code_size || w->code[at] == '\n')
            while (end && w->code[end - 1] != '\n' && Py_UNICODE_ISSPACE(w->code[end - 1])) end--;
        if (at < w->code_size) w->code[end++] = w->code[at];
    }
    while (end && w->code[end - 1] == '\n') end--;
    while (first < end && w->code[first] == '\n') first++;
    for (; first < end; first++)
        if (put_escaped(w, w->code[first], 0) < 0) return -1;
    return 0;
}

/* A `pre` ends: what it is written in may be said by the boxes around it. */
static int finish_code(Writer *w) {
    PyObject *about = w->about, *language = NULL;
    int failed = 0;
    w->about = NULL;
    for (size_t i = 0; w->code_kept && !failed && i < 2 && i < w->pending_count; i++)
        failed = push(about, attributes_of(w->pending[w->pending_count - 1 - i].node)) < 0;
    if (w->code_kept && !failed) {
        language = PyObject_CallOneArg(name_language, about);
        failed = !language || !PyUnicode_Check(language) || enter(w) < 0 || put_ascii(w, "<pre><code") < 0;
        if (!failed && PyUnicode_GET_LENGTH(language))
            failed = put_ascii(w, " class=\"language-") < 0 || put_string(w, language, 1) < 0 || put(w, '"') < 0;
        failed = failed || put(w, '>') < 0 || put_code(w) < 0 || put_ascii(w, "</code></pre>") < 0;
    }
    Py_XDECREF(language);
    Py_DECREF(about);
    return failed ? -1 : 0;
}

/* ---- what the walk tells ---- */

static int on_open(void *to, PyObject *tag, Node *node) {
    Writer *w = to;
    if (w->about) return open_in_code(w, tag, node);
    const Entry *known = entry_of(&tags, tag);
    long number = known ? known->number : 0;
    if (number == PRE) return start_code(w, node);
    w->closed = number == IMAGE || number == LEAF;
    if (number == IMAGE) {
        return is_kept(w, w->block) || is_kept(w, w->block - 1) ? put_image(w, node) : 0;
    }
    if (number == LEAF) {
        if (w->pending_count || !w->begun) return 0;
        return put(w, '<') < 0 || put_string(w, tag, 0) < 0 ? -1 : put(w, '>');
    }
    if (GROW(w, pending, pending_room, w->pending_count + 1) < 0) return -1;
    w->pending[w->pending_count++] = (Pending){Py_NewRef(tag), node};
    return 0;
}

static int on_close(void *to) {
    Writer *w = to;
    if (w->about && --w->code_depth) return w->lined[w->code_depth] ? end_line(w) : 0;
    if (w->about) return finish_code(w);
    if (w->closed) {
        w->closed = 0;
        return 0;
    }
    if (w->pending_count) {
        PyObject *tag = w->pending[--w->pending_count].tag;
        int failed = leave_out(w, tag);
        Py_DECREF(tag);
        return failed;
    }
    Open last = w->open[--w->open_count];
    w->begun = 1;
    if (last.rest == NOTHING) return 0;
    if (last.rest == WRAPPER) return put(w, '\n');
    return put_ascii(w, "</") < 0 || put_string(w, last.name, 0) < 0 ? -1 : put(w, '>');
}

static int on_block(void *to) {
    Writer *w = to;
    int kept = is_kept(w, w->block++);
    if (w->about) w->code_kept |= kept;
    return 0;
}

static int is_blank(Py_UCS4 c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/* Whether all of it is plain ASCII: what most texts are, asked without a jump. */
static int is_printable(const Py_UCS4 *text, Py_ssize_t size) {
    Py_UCS4 odd = 0;
    for (Py_ssize_t i = 0; i < size; i++) odd |= (Py_UCS4)((text[i] < ' ') | (text[i] > '~'));
    if (!odd) return 1;
    for (Py_ssize_t i = 0; i < size; i++)
        if (!Py_UNICODE_ISPRINTABLE(text[i])) return 0;
    return 1;
}

static int on_text(void *to, const Py_UCS4 *text, Py_ssize_t size) {
    Writer *w = to;
    int blank = 0;
    if (w->about) return add_code(w, text, (size_t)size);
    if (!is_kept(w, w->block)) return 0;
    if (is_space(text, size)) {
        if (w->pending_count || !w->begun) return 0;
        return put(w, w->open_count && w->open[w->open_count - 1].rest == WRAPPER ? '\n' : ' ');
    }
    if (enter(w) < 0 || hold(w, w->size) < 0) return -1;
    w->begun = 1;
    if (is_printable(text, size)) return put_text(w, text, (size_t)size);
    if (GROW(w, out, out_room, w->size + size) < 0) return -1;
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 c = text[i];
        if (is_trick(c)) continue;
        int collapsed = is_blank(c);
        if (is_special(c)) {
            if (put_escaped(w, c, 0) < 0 || GROW(w, out, out_room, w->size + size - i) < 0) return -1;
        } else if (!(collapsed && blank)) {
            w->out[w->size++] = collapsed ? ' ' : c;
        }
        blank = collapsed;
    }
    return 0;
}

/* Whether nothing is kept in a box and beside it, where an image of it may be kept. What is in code is needed. */
static int on_box(void *to, Py_ssize_t number) {
    Writer *w = to;
    const Box *box = &w->reading->boxes[number];
    int32_t first = box->first ? box->first - 1 : 0, end = box->end < w->blocks ? box->end + 1 : box->end;
    if (w->about || w->running[end] - w->running[first]) return 0;
    w->block = box->end;
    return 1;
}

static const Sink WRITER = {on_open, on_close, on_text, on_block, on_box};

/* Count what is kept, so that boxes without any can be passed over. */
static int count_kept(Writer *w) {
    w->running = PyMem_Calloc((size_t)w->blocks + 1, sizeof *w->running);
    if (!w->running) return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < w->blocks; i++) w->running[i + 1] = w->running[i] + (w->kept[i] != 0);
    return 0;
}

/* ---- for Python ---- */

static void let_go(Writer *w) {
    while (w->pending_count) Py_DECREF(w->pending[--w->pending_count].tag);
    Py_XDECREF(w->about);
    PyMem_Free(w->code);
    PyMem_Free(w->lined);
    PyMem_Free(w->out);
    PyMem_Free(w->open);
    PyMem_Free(w->pending);
    PyMem_Free(w->blanks);
    PyMem_Free(w->running);
}

/* markup(address, everything, kept as bytes, harmless, origin, candidates, reading or None) -> what is kept, in its elements */
PyObject *write_markup(PyObject *module, PyObject *args) {
    Writer w = {0};
    PyObject *address, *reading, *found = NULL;
    int everything;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!py#OUOO", &PyLong_Type, &address, &everything, &w.kept, &w.blocks, &w.harmless, &w.origin,
                          &w.candidates, &reading))
        return NULL;
    Node *root = node_at(address);
    if (!root) return NULL;
    if (!name_language) return PyErr_Format(PyExc_RuntimeError, "markup_setup() comes first");
    if (Py_TYPE(reading) == &ReadingType && ((Reading *)reading)->block_count == (size_t)w.blocks)
        w.reading = (Reading *)reading;
    if (w.reading && count_kept(&w) < 0) return NULL;
    if (walk_into(root, everything, &WRITER, &w, w.reading) == 0) {
        size_t first = 0, end = w.size;
        while (end && Py_UNICODE_ISSPACE(w.out[end - 1])) end--;
        while (first < end && Py_UNICODE_ISSPACE(w.out[first])) first++;
        found = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, w.out + first, end - first);
    }
    let_go(&w);
    return found;
}

/* markup_setup(tags, bare, attributes, inline elements, elements that are lines, named_language, is_lined): the tables and
   rules of the Python code */
PyObject *write_setup(PyObject *module, PyObject *args) {
    PyObject *all, *some, *pairs, *lines, *blocks, *language, *lined;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!OO", &PyDict_Type, &all, &PyDict_Type, &some, &PyDict_Type, &pairs, &PyDict_Type,
                          &lines, &PyDict_Type, &blocks, &language, &lined))
        return NULL;
    if (name_language) Py_RETURN_NONE;
    if (table_make(&tags, all) < 0 || table_make(&bare, some) < 0 || table_make(&attributes, pairs) < 0 ||
        table_make(&inlines, lines) < 0 || table_make(&line_blocks, blocks) < 0)
        return NULL;
    span = PyUnicode_InternFromString("span");
    div_ = PyUnicode_InternFromString("div");
    ask_lined = Py_NewRef(lined);
    name_language = Py_NewRef(language);
    Py_RETURN_NONE;
}
