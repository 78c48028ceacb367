/* The compiled twin of parts of veille.core. The Python code is the reference: both give equal results, on any
   input, which tests/unit/extract/test_native.py checks. Nothing here recurses; what grows with the page is on the heap. */

#ifndef VEILLE_NATIVE_H
#define VEILLE_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* The tree of selectolax is seen only through functions that lexbor exports for callers like us: no struct of it is
   known here, so another version of it can lack a function (then this module does not load) but not misread memory. */
typedef struct node Node;
typedef struct attribute Attribute;

typedef struct {
    Node *(*first_child)(Node *);
    Node *(*next)(Node *);
    Node *(*parent)(Node *);
    int (*type)(Node *);
    uintptr_t (*tag)(Node *);
    const char *(*name)(Node *, size_t *);
    const char *(*text)(Node *, size_t *);
    Attribute *(*first_attribute)(Node *);
    Attribute *(*next_attribute)(Attribute *);
    const char *(*attribute_name)(Attribute *, size_t *);
    const char *(*attribute_value)(Attribute *, size_t *);
} Lexbor;

enum { ELEMENT = 1, TEXT = 3 }; /* node types of the DOM standard */

extern Lexbor lexbor;

/* A fixed set of ASCII names with a number each, made once from a dict. */
typedef struct {
    PyObject *name; /* owned; NULL where the slot is free */
    long number;
} Entry;

/* Elements that lexbor knows have small numbers of its own, and are looked up by them once they were met. */
enum { TAGS_KNOWN = 256 };

typedef struct {
    Entry *slots;
    size_t mask;
    const Entry *by_tag[TAGS_KNOWN];
} Table;

int table_make(Table *table, PyObject *dict);
const Entry *table_find(const Table *table, const char *name, size_t size);
const Entry *table_element(Table *table, Node *node);

/* Numbers for keys, in the order in which keys come. Sites choose the keys, so where one lands is kept secret. */
typedef struct {
    uint64_t key[2];
    int32_t number; /* plus one: 0 where the cell is free */
} Cell;

typedef struct {
    Cell *cells;
    size_t room, count;
} Numbers;

int64_t number_of(Numbers *known, uint64_t first, uint64_t second);
uint64_t hash_of_bytes(const char *data, size_t size);
int hash_setup(void);

/* What a walk found, as FlatTree of walk.py describes it. Lists of it are made for Python when it asks for them. */
typedef struct {
    int64_t hint;
    int32_t parent, tag, group, look;
    int32_t first, end; /* its blocks */
    int32_t next;       /* the first box after those inside it */
} Box;

typedef struct {
    PyObject *text; /* owned */
    Py_ssize_t linked, links, images;
    int32_t box, pre;
} Block;

typedef struct {
    PyObject_HEAD
    Box *boxes;
    Block *blocks;
    size_t box_count, box_room, block_count, block_room;
    Py_ssize_t hidden, chars;
} Reading;

extern PyTypeObject ReadingType;
Reading *reading_new(void);

PyObject *decoded(const char *data, size_t size);
PyObject *text_of(Node *node);
PyObject *attributes_of(Node *node);
PyObject *attribute_of(Node *node, const char *name, size_t size);
Node *node_at(PyObject *address);
int push(PyObject *list, PyObject *item);
int grow(void *array, size_t *room, size_t needed, size_t thing);
/* Asked for every character: a call only when there is not enough. */
#define GROW(owner, array, room, needed) \
    ((size_t)(needed) <= (owner)->room ? 0 : grow(&(owner)->array, &(owner)->room, needed, sizeof *(owner)->array))

/* Who wants more of a walk than its text: told everything that is read, in order. All return 0, or -1 for an error. */
typedef struct {
    int (*open)(void *to, PyObject *tag, Node *node);
    int (*close)(void *to);
    int (*text)(void *to, const Py_UCS4 *text, Py_ssize_t size);
    int (*block)(void *to); /* a block ends */
    /* Whether all that is inside a box may be passed over, with a reading of the same tree; then it is counted as told. */
    int (*passes)(void *to, Py_ssize_t box);
} Sink;

int walk_into(Node *root, int everything, const Sink *sink, void *to, const Reading *known);
int is_trick(Py_UCS4 c);
int is_space(const Py_UCS4 *text, size_t size);
int may_be_lined(const char *class, size_t size);

/* The number of an element, and the bit of a hint, as Python has them; known after `setup`. */
int32_t tag_number(const char *name);
int64_t hint_bit(const char *name);
int blocks_setup(void);
int furniture_setup(void);
int sections_setup(void);

PyObject *walk_setup(PyObject *module, PyObject *args);
PyObject *walk_tree(PyObject *module, PyObject *args);
PyObject *find_headline(PyObject *module, PyObject *args);
PyObject *find_leads(PyObject *module, PyObject *args);
PyObject *render_blocks(PyObject *module, PyObject *args);
PyObject *in_container(PyObject *module, PyObject *args);
PyObject *make_model(PyObject *module, PyObject *args);
PyObject *judge_blocks(PyObject *module, PyObject *args);
PyObject *choose_blocks(PyObject *module, PyObject *args);
PyObject *drop_all_furniture(PyObject *module, PyObject *args);
PyObject *find_pager(PyObject *module, PyObject *args);
PyObject *find_link_lists(PyObject *module, PyObject *args);
PyObject *find_core(PyObject *module, PyObject *args);
PyObject *fill_columns(PyObject *module, PyObject *args);
PyObject *long_tags(PyObject *module, PyObject *args);
PyObject *overloaded(PyObject *module, PyObject *args);
PyObject *overfull(PyObject *module, PyObject *args);
PyObject *sign_ends(PyObject *module, PyObject *args);
PyObject *find_elements(PyObject *module, PyObject *args);
PyObject *find_links(PyObject *module, PyObject *args);
PyObject *find_properties(PyObject *module, PyObject *args);
PyObject *find_outgoing(PyObject *module, PyObject *args);
PyObject *keep_memory(PyObject *module, PyObject *nothing);
PyObject *text_is_plain(PyObject *module, PyObject *text);
PyObject *text_is_controlled(PyObject *module, PyObject *text);
PyObject *text_joined(PyObject *module, PyObject *text);
PyObject *text_words(PyObject *module, PyObject *text);
PyObject *name_runs(PyObject *module, PyObject *args);
PyObject *has_kind(PyObject *module, PyObject *args);
PyObject *sample(PyObject *module, PyObject *args);
PyObject *smallest_marks(PyObject *module, PyObject *args);
PyObject *compare_signatures(PyObject *module, PyObject *args);
PyObject *common_bins(PyObject *module, PyObject *args);
PyObject *bins_apart(PyObject *module, PyObject *args);
PyObject *index_words(PyObject *module, PyObject *args);
PyObject *index_merge(PyObject *module, PyObject *args);
PyObject *write_setup(PyObject *module, PyObject *args);
PyObject *write_markup(PyObject *module, PyObject *args);

#endif
