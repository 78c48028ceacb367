/* The walk: the same loop as `_Reader.read` of _walk.py, which says what it is for. */

#include "native.h"

#include <string.h>

/* What to do at a node: the numbers of _walk.py. */
enum { INLINE = -1, SKIP = -3, LINK = -4, IMAGE = -5, NEW_LINE = -6, FOOTER = 1000 };
enum { IN_LINK = 1, IN_BODY = 2 };

/* What `setup` was given. */
static Table usual, everything, words, hint_numbers;
static PyObject *ask_least, *ask_lined;
static long pre_tag, article_tag, main_tag, footer_tag;

typedef struct {
    const char *data; /* NULL when there is none, or it has no value */
    size_t size;
} Value;

typedef struct {
    Node *next;
    Py_ssize_t box, pre;
    int state;
} Level;

/* A class, or the name of an unknown element. */
typedef struct {
    const char *data;
    size_t size;
    int64_t hints;
    int32_t same; /* the next one with the same hash, or -1 */
} Name;

typedef struct {
    Table *kinds;
    const Sink *sink;       /* is told what is read; NULL when only boxes and blocks are wanted */
    void *to;               /* its state */
    const Reading *known;   /* with a sink: an earlier reading of the same tree, or NULL */
    Py_ssize_t box_count;   /* with a sink, boxes and blocks are only counted */
    Reading *found;
    Name *names;            /* every class and unknown element met, numbered */
    size_t name_count, names_room;
    Numbers hashes;         /* of names */
    int32_t *by_hash;       /* the first name with each of them */
    size_t by_hash_room;
    PyObject *held;         /* list of what names point into */
    Numbers groups, looks;  /* of a box and both names, and of both names */
    Level *stack;
    size_t depth, stack_room;
    Py_UCS4 *text; /* the block that is being collected, "\0" for a line end */
    size_t size, text_room;
    size_t parts;    /* how many pieces it was put together from */
    int new_line;    /* whether the last of them ends with a line end */
    Py_ssize_t linked, links, images, hidden;
} Walk;

/* ---- text ---- */

int is_trick(Py_UCS4 c) {
    if (c < 0xAD) return 0; /* nearly always */
    return c == 0xAD || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || c == 0x2060 ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

static int is_ascii_space(Py_UCS4 c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Whether a line that neither begins nor ends with a space is one already: what most are, asked without a jump. */
static int is_clean(const Py_UCS4 *text, size_t size) {
    Py_UCS4 odd = 0;
    for (size_t i = 0; i < size; i++) odd |= (Py_UCS4)((text[i] < ' ') | (text[i] > '~'));
    for (size_t i = 1; i < size; i++) odd |= (Py_UCS4)((text[i] == ' ') & (text[i - 1] == ' '));
    return !odd;
}

/* `clean` of _walk.py; `to` may be `from`, because a line never gets longer. */
static size_t clean_line(Py_UCS4 *to, const Py_UCS4 *from, size_t size) {
    Py_UCS4 *out = to;
    int begun = 0, space = 0;
    while (size && is_ascii_space(from[size - 1])) size--;
    while (size && is_ascii_space(*from)) from++, size--;
    if (is_clean(from, size)) return memmove(to, from, size * sizeof *to), size;
    for (size_t i = 0; i < size; i++) {
        Py_UCS4 c = from[i];
        if ((c <= ' ' || c > '~') && Py_UNICODE_ISSPACE(c)) {
            space = begun;
            continue;
        }
        if (space) *out++ = ' ';
        begun = 1, space = 0;
        if (!is_trick(c)) *out++ = c;
    }
    return out - to;
}

/* `_line` of a text with line ends in it: where the result starts, and its size. */
static Py_UCS4 *clean_lines(Py_UCS4 *text, size_t *size) {
    size_t out = 0, from = 0, first = 0;
    for (size_t i = 0; i <= *size; i++) {
        if (i < *size && text[i]) continue;
        out += clean_line(text + out, text + from, i - from);
        from = i + 1;
        if (i < *size) text[out++] = '\n';
    }
    while (out > first && Py_UNICODE_ISSPACE(text[out - 1])) out--;
    while (first < out && Py_UNICODE_ISSPACE(text[first])) first++;
    *size = out - first;
    return text + first;
}

/* `_code`: lines kept, without the spaces at their ends. */
static Py_UCS4 *clean_code(Py_UCS4 *text, size_t *size) {
    size_t out = 0, row = 0, first = 0;
    for (size_t i = 0; i <= *size; i++) {
        if (i < *size && text[i] && text[i] != '\n') {
            if (!is_trick(text[i])) text[out++] = text[i];
            continue;
        }
        while (out > row && Py_UNICODE_ISSPACE(text[out - 1])) out--;
        if (i < *size) text[out++] = '\n';
        row = out;
    }
    while (out > first && text[out - 1] == '\n') out--;
    while (first < out && text[first] == '\n') first++;
    *size = out - first;
    return text + first;
}

static int has_break(const Py_UCS4 *text, size_t size) {
    Py_UCS4 found = 0;
    for (size_t i = 0; i < size; i++) found |= !text[i];
    return found != 0;
}

int is_space(const Py_UCS4 *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (!Py_UNICODE_ISSPACE(text[i])) return 0;
    return size > 0;
}

/* Characters that are looked at without a jump between them. */
enum { AT_ONCE = 16 };

static int is_ascii(const char *data, size_t size) {
    unsigned char all = 0;
    for (size_t i = 0; i < size; i++) all |= (unsigned char)data[i];
    return all < 0x80;
}

/* Put a text behind what was collected; how many characters it has. */
static Py_ssize_t collect(Walk *w, const char *data, size_t size) {
    if (GROW(w, text, text_room, w->size + size + 1) < 0) return -1;
    Py_UCS4 *to = w->text + w->size;
    size_t i = 0;
    for (; i + AT_ONCE <= size && is_ascii(data + i, AT_ONCE); i += AT_ONCE)
        for (size_t j = i; j < i + AT_ONCE; j++) to[j] = (unsigned char)data[j];
    for (; i < size && (signed char)data[i] >= 0; i++) to[i] = (unsigned char)data[i];
    if (i == size) return (Py_ssize_t)size;
    PyObject *rest = decoded(data + i, size - i);
    if (!rest) return -1;
    Py_ssize_t length = PyUnicode_GET_LENGTH(rest);
    if (!PyUnicode_AsUCS4(rest, to + i, w->text_room - w->size - i, 0)) length = -1;
    Py_DECREF(rest);
    return length < 0 ? -1 : (Py_ssize_t)i + length;
}

static int add_text(Walk *w, Node *node, Py_ssize_t pre, int state) {
    size_t size = 0;
    const char *data = lexbor.text(node, &size);
    Py_ssize_t length = collect(w, data ? data : "", data ? size : 0);
    if (length < 0) return -1;
    const Py_UCS4 *value = w->text + w->size;
    if (w->sink && w->sink->text(w->to, value, length) < 0) return -1;
    /* Space before the first text of a block means something only in code. */
    if (w->parts || pre >= 0 || !is_space(value, length)) {
        w->parts++;
        w->new_line = length && value[length - 1] == '\n';
        w->size += length;
    }
    if (state & IN_LINK) w->linked += length;
    return 0;
}

static int add_character(Walk *w, Py_UCS4 c) {
    if (GROW(w, text, text_room, w->size + 1) < 0) return -1;
    w->text[w->size++] = c;
    w->parts++;
    w->new_line = c == '\n';
    return 0;
}

/* Whether the functions above leave anything of a text. */
static int is_blank(const Py_UCS4 *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (text[i] && !Py_UNICODE_ISSPACE(text[i]) && !is_trick(text[i])) return 0;
    return 1;
}

/* End the block that was being collected. */
static int flush(Walk *w, Py_ssize_t box, Py_ssize_t pre) {
    Py_ssize_t linked = w->linked;
    w->linked = 0;
    if (!w->parts) return 0;
    size_t size = w->size;
    Py_UCS4 *text = w->text;
    if (w->sink) {
        w->size = w->parts = 0;
        w->new_line = 0;
        return is_blank(text, size) ? 0 : w->sink->block(w->to);
    }
    /* In code, spaces alone are a text; a block they are not. */
    int counts = pre < 0 || !is_space(text, size);
    if (pre >= 0)
        text = clean_code(text, &size);
    else if (has_break(text, size))
        text = clean_lines(text, &size);
    else
        size = clean_line(text, text, size);
    w->size = w->parts = 0;
    w->new_line = 0;
    if (!size || !counts) return 0;
    Reading *found = w->found;
    if (GROW(found, blocks, block_room, found->block_count + 1) < 0) return -1;
    PyObject *line = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text, size);
    if (!line) return -1;
    found->blocks[found->block_count++] = (Block){line, linked, w->links, w->images, (int32_t)box, (int32_t)pre};
    found->chars += (Py_ssize_t)size;
    w->links = w->images = 0;
    return 0;
}

/* ---- attributes ---- */

typedef struct {
    Value class, id, role, style;
    int hidden; /* says so itself, in another way than by style */
    int leads;  /* has an address */
} Said;

#define IS(value, size, wanted) ((size) == sizeof wanted - 1 && memcmp(value, wanted, sizeof wanted - 1) == 0)

static Said said_of(Node *node) {
    Said said = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0};
    for (Attribute *at = lexbor.first_attribute(node); at; at = lexbor.next_attribute(at)) {
        size_t size = 0;
        Value value = {NULL, 0};
        const char *name = lexbor.attribute_name(at, &size);
        if (!name || (size != 2 && size != 4 && size != 5 && size != 6 && size != 11)) continue;
        value.data = lexbor.attribute_value(at, &value.size);
        if (IS(name, size, "class")) said.class = value;
        if (IS(name, size, "id")) said.id = value;
        if (IS(name, size, "role")) said.role = value;
        if (IS(name, size, "style")) said.style = value;
        if (IS(name, size, "href")) said.leads = 1;
        if (IS(name, size, "hidden")) said.hidden = 1;
        if (IS(name, size, "aria-hidden") && value.data && IS(value.data, value.size, "true")) said.hidden = 1;
    }
    return said;
}

/* ---- what is hidden ---- */

/* No style hides anything without one of these beginnings; _hidden.py has the exact rules. */
static const struct {
    const char *name;
    size_t size;
    char value;
} HIDING[] = {{"display", 7, 'n'}, {"font-size", 9, '0'},  {"left", 4, '-'},   {"top", 3, '-'},
              {"text-indent", 11, '-'}, {"visibility", 10, 'h'}, {"opacity", 7, '0'}};

/* The place after any spaces. */
static const char *past_space(const char *at, const char *end) {
    while (at < end && Py_UNICODE_ISSPACE((unsigned char)*at)) at++;
    return at;
}

/* Whether the exact rules have to be asked: each of the beginnings is looked for before every colon. */
static int may_hide(const char *style, size_t size) {
    const char *end = style + size;
    for (const char *at = style; at < end; at++) {
        if ((signed char)*at < 0) return 1; /* letters that ignoring case makes ASCII, digits of other scripts */
        if (*at != ':') continue;
        const char *value = past_space(at + 1, end), *name = at;
        while (name > style && Py_UNICODE_ISSPACE((unsigned char)name[-1])) name--;
        for (size_t i = 0; value < end && i < sizeof HIDING / sizeof *HIDING; i++)
            if (Py_TOLOWER(*value) == HIDING[i].value && (size_t)(name - style) >= HIDING[i].size &&
                PyOS_strnicmp(name - HIDING[i].size, HIDING[i].name, HIDING[i].size) == 0)
                return 1;
    }
    return 0;
}

/* Whether a style certainly hides for good: most that do say it so. */
static int is_gone(const char *style, size_t size) {
    const char *end = style + size;
    for (const char *at = style; end - at >= 12; at++) {
        if ((*at | 0x20) != 'd' || PyOS_strnicmp(at, "display", 7) != 0) continue;
        const char *colon = past_space(at + 7, end);
        if (colon == end || *colon != ':') continue;
        const char *value = past_space(colon + 1, end);
        if (end - value >= 4 && PyOS_strnicmp(value, "none", 4) == 0) return 1;
    }
    return 0;
}

/* No class or id is that of something that a click shows without one of these words; hidden.py has the exact rules. */
static const char *const UNFOLDING[] = {"accord", "collap", "tab",    "panel",   "pane",    "toggle",
                                        "faq",    "answer", "expand", "content", "disclos", "read"};

static int has_word(const Value *text, const char *word) {
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= text->size; at++)
        if ((text->data[at] | 0x20) == *word && PyOS_strnicmp(text->data + at, word, (Py_ssize_t)length) == 0) return 1;
    return 0;
}

/* Whether a name may be that of something that is shown later. */
static int may_unfold(const Value *name) {
    if (name->size > 1 && memcmp(name->data, "S:", 2) == 0) return 1;
    for (size_t i = 0; i < name->size; i++)
        if ((signed char)name->data[i] < 0) return 1; /* letters that ignoring case makes ASCII */
    for (size_t i = 0; name->size && i < sizeof UNFOLDING / sizeof *UNFOLDING; i++)
        if (has_word(name, UNFOLDING[i])) return 1;
    return 0;
}

/* Whether an element is read: 1, 0, or -1 for an error. */
static int shows(Walk *w, Node *node, const Said *said) {
    if (w->kinds == &everything || (!said->hidden && !may_hide(said->style.data, said->style.size))) return 1;
    int is_panel = IS(said->role.data, said->role.size, "tabpanel");
    int is_never = !said->style.size || is_gone(said->style.data, said->style.size);
    if (is_never && !is_panel && !may_unfold(&said->class) && !may_unfold(&said->id)) {
        w->hidden++;
        return 0;
    }
    PyObject *attributes = attributes_of(node);
    PyObject *answer = attributes ? PyObject_CallOneArg(ask_least, attributes) : NULL;
    Py_ssize_t least = answer ? PyLong_AsSsize_t(answer) : -1, length = 0;
    Py_XDECREF(attributes);
    Py_XDECREF(answer);
    if (least < 0) return -1;
    if (least > 0 && least < PY_SSIZE_T_MAX) {
        PyObject *text = text_of(node);
        if (!text) return -1;
        length = PyUnicode_GET_LENGTH(text);
        Py_DECREF(text);
    }
    if (length >= least) return 1;
    w->hidden++;
    return 0;
}

/* ---- boxes ---- */

enum { HINT_CHARS = 80 };

/* `hints` of a class attribute, or with `split` off `hint` of one name. */
static int64_t hints_of(int kind, const void *data, Py_ssize_t size, int split) {
    Py_ssize_t start = 0, at = 0;
    int64_t found = 0;
    while (at < size) {
        char word[HINT_CHARS];
        size_t length = 0;
        Py_UCS4 c = PyUnicode_READ(kind, data, at);
        if (split && Py_UNICODE_ISSPACE(c)) start = at + 1;
        if (c > 'z' || !Py_ISALPHA(c) || at - start >= HINT_CHARS) {
            at++;
            continue;
        }
        /* A word is small letters after at most one capital, or capitals. */
        int capitals = 0;
        while (at < size && at - start < HINT_CHARS) {
            c = PyUnicode_READ(kind, data, at);
            if (c > 'z' || !Py_ISALPHA(c)) break;
            int capital = Py_ISUPPER(c) != 0;
            if (length == 1 && capitals && !capital) capitals = 0;
            else if (length && capital != capitals) break;
            else if (!length) capitals = capital;
            word[length++] = (char)c;
            at++;
        }
        const Entry *entry = table_find(&words, word, length);
        if (entry) found |= entry->number;
    }
    return found;
}

/* `role_hint` of what an element says it is for. */
static int64_t role_hint_of(const Value *role) {
    char word[HINT_CHARS] = "role=";
    size_t start = strlen(word);
    if (role->size >= sizeof word - start) return 0;
    memcpy(word + start, role->data, role->size);
    const Entry *entry = table_find(&words, word, start + role->size);
    return entry ? entry->number : 0;
}

/* The hints of a name, as a class or as an id. Bytes that are no UTF-8 are read as Python reads them. */
static int64_t hints_in(const Value *name, int split) {
    if (is_ascii(name->data, name->size)) return hints_of(PyUnicode_1BYTE_KIND, name->data, (Py_ssize_t)name->size, split);
    PyObject *text = decoded(name->data, name->size);
    if (!text) return -1;
    int64_t found = hints_of(PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), split);
    Py_DECREF(text);
    return found;
}

/* Two names that are read the same are the same: what is no UTF-8 is replaced, and held until the walk ends. */
static int made_readable(Walk *w, Value *name) {
    if (is_ascii(name->data, name->size)) return 0;
    PyObject *text = decoded(name->data, name->size);
    Py_ssize_t size = 0;
    name->data = text ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
    name->size = (size_t)size;
    if (!w->held) w->held = PyList_New(0);
    int failed = !name->data || !w->held || PyList_Append(w->held, text) < 0;
    Py_XDECREF(text);
    return failed ? -1 : 0;
}

/* The number of a name on this page. */
static int64_t numbered(Walk *w, Value name) {
    if (!name.data) name = (Value){"", 0};
    if (made_readable(w, &name) < 0) return -1;
    size_t before = w->hashes.count;
    int64_t hash = number_of(&w->hashes, hash_of_bytes(name.data, name.size), name.size);
    if (hash < 0 || GROW(w, by_hash, by_hash_room, hash + 1) < 0) return -1;
    if (w->hashes.count > before) w->by_hash[hash] = -1;
    for (int32_t at = w->by_hash[hash]; at >= 0; at = w->names[at].same)
        if (w->names[at].size == name.size && memcmp(w->names[at].data, name.data, name.size) == 0) return at;
    if (GROW(w, names, names_room, w->name_count + 1) < 0) return -1;
    int64_t hints = hints_in(&name, 1);
    if (hints < 0) return -1;
    w->names[w->name_count] = (Name){name.data, name.size, hints, w->by_hash[hash]};
    return w->by_hash[hash] = (int32_t)w->name_count++;
}

static Value tag_of(Node *node) {
    Value tag = {NULL, 0};
    tag.data = lexbor.name(node, &tag.size);
    return tag;
}

/* Note a new box inside `box`, without blocks yet; its number. */
static Py_ssize_t open_box(Walk *w, Py_ssize_t box, const Entry *known, Node *node, long kind, const Said *said) {
    Reading *found = w->found;
    Py_ssize_t number = (Py_ssize_t)found->box_count;
    int64_t class = numbered(w, said->class), element = known ? known - w->kinds->slots : numbered(w, tag_of(node));
    if (class < 0 || element < 0 || GROW(found, boxes, box_room, found->box_count + 1) < 0) return -1;
    /* Known elements are told from others by their numbers. */
    uint64_t names = (uint64_t)class << 32 | (uint64_t)element << 1 | (known != NULL);
    int64_t hint = w->names[class].hints, of_id = said->id.size ? hints_in(&said->id, 0) : 0;
    int64_t group = number_of(&w->groups, (uint64_t)box, names), look = number_of(&w->looks, 0, names);
    if (of_id < 0 || group < 0 || look < 0) return -1;
    hint |= of_id;
    if (said->role.size) hint |= role_hint_of(&said->role);
    int32_t first = (int32_t)found->block_count;
    if (kind == FOOTER) kind = footer_tag;
    /* The box around all the others has a look of its own. */
    found->boxes[found->box_count++] =
        (Box){hint, (int32_t)box, (int32_t)kind, (int32_t)group, (int32_t)look + 1, first, first, (int32_t)number + 1};
    return number;
}

/* Whether an element may be a line of code of its own, by its class; the Python code is asked only then. */
int may_be_lined(const char *class, size_t size) {
    if (size && *class == 'L') return 1;
    for (size_t at = 0; at + 4 <= size; at++)
        if (memcmp(class + at, "line", 4) == 0) return 1;
    return 0;
}

/* Note an inline element in the block that is being collected. */
static int add_inline(Walk *w, long kind, const Said *said, Py_ssize_t pre) {
    if (kind == LINK) w->links++;
    if (kind == IMAGE) w->images++;
    if (kind == NEW_LINE) return add_character(w, 0);
    if (kind != INLINE || pre < 0 || !w->parts || !may_be_lined(said->class.data, said->class.size)) return 0;
    PyObject *class = decoded(said->class.data, said->class.size);
    PyObject *lined = class ? PyObject_CallOneArg(ask_lined, class) : NULL;
    int starts_line = lined ? PyObject_IsTrue(lined) : -1;
    Py_XDECREF(class);
    Py_XDECREF(lined);
    if (starts_line <= 0) return starts_line;
    if (!w->new_line) return add_character(w, '\n');
    w->new_line = 0; /* the piece that was added is an empty one */
    return 0;
}

/* ---- the loop ---- */

/* What comes after an element that is read: what is inside it, or what is after it. */
enum { PASSED = 0, ENTERED = 1, ENTERED_NOT_INSIDE = 2 };

/* Tell the sink of an element, and whether what is inside it is to be read. */
static int tell_open(Walk *w, Node *node, const Entry *known, Py_ssize_t box) {
    Value tag = known ? (Value){NULL, 0} : tag_of(node);
    int passes = box >= 0 && w->known && (size_t)box < w->known->box_count && w->sink->passes(w->to, box);
    PyObject *name = known ? Py_NewRef(known->name) : decoded(tag.data, tag.size);
    int failed = name ? w->sink->open(w->to, name, node) : -1;
    Py_XDECREF(name);
    if (passes) w->box_count = w->known->boxes[box].next;
    return failed < 0 ? -1 : passes ? ENTERED_NOT_INSIDE : ENTERED;
}

/* Note an element that is read, and what holds inside it. */
static int enter(Walk *w, Node *node, const Entry *known, long kind, const Said *said, Level *here) {
    if (GROW(w, stack, stack_room, w->depth + 1) < 0) return -1;
    here->next = lexbor.next(node);
    w->stack[w->depth++] = *here;
    if (kind < 0) {
        if (add_inline(w, kind, said, here->pre) < 0) return -1;
    } else {
        if (flush(w, here->box, here->pre) < 0) return -1;
        here->box = w->sink ? w->box_count++ : open_box(w, here->box, known, node, kind, said);
        if (here->box < 0) return -1;
        if (kind == pre_tag) here->pre = here->box;
    }
    if (kind == LINK) here->state |= IN_LINK;
    if (kind == article_tag || kind == main_tag) here->state |= IN_BODY;
    return w->sink ? tell_open(w, node, known, kind >= 0 ? here->box : -1) : ENTERED;
}

/* Whether an element was entered; -1 for an error. */
static int try_element(Walk *w, Node *node, Level *here) {
    const Entry *known = table_element(w->kinds, node);
    long kind = known ? known->number : 0;
    if (kind == SKIP || (kind == FOOTER && !(here->state & IN_BODY))) return PASSED;
    Said said = said_of(node);
    /* The target of a link, not a link; as `<a id="x"/>` it holds everything up to the next one. */
    if (kind == LINK && !said.leads) kind = INLINE;
    int shown = shows(w, node, &said);
    return shown <= 0 ? shown : enter(w, node, known, kind, &said, here);
}

/* Everything below `root`; 0, or -1 for an error. */
static int read_all(Walk *w, Node *root) {
    Node *node = lexbor.first_child(root);
    Level here = {NULL, 0, -1, 0};
    for (;;) {
        if (!node) {
            Level back = w->depth ? w->stack[--w->depth] : (Level){NULL, -1, -1, 0};
            if (back.box != here.box) {
                if (flush(w, here.box, here.pre) < 0) return -1;
                if (!w->sink) {
                    w->found->boxes[here.box].end = (int32_t)w->found->block_count;
                    w->found->boxes[here.box].next = (int32_t)w->found->box_count;
                }
                if (back.box < 0) return 0;
            }
            if (w->sink && w->sink->close(w->to) < 0) return -1;
            node = back.next;
            here = back;
            continue;
        }
        int type = lexbor.type(node);
        if (type == TEXT && add_text(w, node, here.pre, here.state) < 0) return -1;
        int entered = type == ELEMENT ? try_element(w, node, &here) : 0;
        if (entered < 0) return -1;
        node = entered == ENTERED ? lexbor.first_child(node) : entered == PASSED ? lexbor.next(node) : NULL;
    }
}

static void let_go(Walk *w) {
    Py_XDECREF(w->held);
    PyMem_Free(w->names);
    PyMem_Free(w->hashes.cells);
    PyMem_Free(w->by_hash);
    PyMem_Free(w->groups.cells);
    PyMem_Free(w->looks.cells);
    PyMem_Free(w->stack);
    PyMem_Free(w->text);
}

/* Everything below `root`, told to a sink; 0, or -1 for an error. */
int walk_into(Node *root, int all, const Sink *sink, void *to, const Reading *known) {
    Walk w = {.kinds = all ? &everything : &usual, .sink = sink, .to = to, .box_count = 1, .known = known};
    int failed = read_all(&w, root);
    let_go(&w);
    return failed;
}

/* walk(address, everything) -> Reading */
PyObject *walk_tree(PyObject *module, PyObject *args) {
    PyObject *address;
    int all;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!p", &PyLong_Type, &address, &all)) return NULL;
    Node *root = node_at(address);
    if (!root) return NULL;
    if (!words.slots) return PyErr_Format(PyExc_RuntimeError, "setup() comes first");
    Walk w = {.kinds = all ? &everything : &usual, .found = reading_new()};
    if (!w.found) return NULL;
    int failed = read_all(&w, root);
    w.found->hidden = w.hidden;
    let_go(&w);
    if (failed) Py_CLEAR(w.found);
    return (PyObject *)w.found;
}

int32_t tag_number(const char *name) {
    const Entry *entry = table_find(&everything, name, strlen(name));
    return entry ? (int32_t)entry->number : 0;
}

int64_t hint_bit(const char *name) {
    const Entry *entry = table_find(&hint_numbers, name, strlen(name));
    return entry ? (int64_t)1 << entry->number : 0;
}

/* setup(usual kinds, all kinds, hint words, hints, least, lined): the tables and rules of the Python code */
PyObject *walk_setup(PyObject *module, PyObject *args) {
    PyObject *some, *all, *hint_words, *hints, *least, *lined;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!O!OO", &PyDict_Type, &some, &PyDict_Type, &all, &PyDict_Type, &hint_words,
                          &PyDict_Type, &hints, &least, &lined))
        return NULL;
    if (words.slots) Py_RETURN_NONE; /* once is enough: the tables never change */
    if (table_make(&usual, some) < 0 || table_make(&everything, all) < 0 || table_make(&hint_numbers, hints) < 0 ||
        table_make(&words, hint_words) < 0)
        return NULL;
    ask_least = Py_NewRef(least);
    ask_lined = Py_NewRef(lined);
    pre_tag = tag_number("pre");
    article_tag = tag_number("article");
    main_tag = tag_number("main");
    footer_tag = tag_number("footer");
    return blocks_setup() < 0 || furniture_setup() < 0 || sections_setup() < 0 ? NULL : Py_NewRef(Py_None);
}
