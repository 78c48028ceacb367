/* The module: found functions of lexbor, and what Python may call. */

#include "native.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Raised with every change of what Python calls: a file built from older sources is then left alone. */
enum { INTERFACE = 15 };

Lexbor lexbor;

static const struct {
    const char *symbol;
    void *place;
} NEEDED[] = {
    {"lxb_dom_node_first_child_noi", &lexbor.first_child},
    {"lxb_dom_node_next_noi", &lexbor.next},
    {"lxb_dom_node_parent_noi", &lexbor.parent},
    {"lxb_dom_node_type_noi", &lexbor.type},
    {"lxb_dom_node_tag_id_noi", &lexbor.tag},
    {"lxb_dom_element_qualified_name", &lexbor.name},
    {"lxb_dom_node_text_content", &lexbor.text},
    {"lxb_dom_element_first_attribute_noi", &lexbor.first_attribute},
    {"lxb_dom_element_next_attribute_noi", &lexbor.next_attribute},
    {"lxb_dom_attr_qualified_name", &lexbor.attribute_name},
    {"lxb_dom_attr_value_noi", &lexbor.attribute_value},
};

/* The library that made the trees, already loaded; a second copy of it would know nothing of them. */
static void *loaded_selectolax(void) {
    void *library = NULL;
    PyObject *path = NULL, *bytes = NULL;
    PyObject *module = PyImport_ImportModule("selectolax.lexbor");
    if (module) path = PyObject_GetAttrString(module, "__file__");
    if (path) bytes = PyUnicode_EncodeFSDefault(path);
    if (bytes) library = dlopen(PyBytes_AS_STRING(bytes), RTLD_LAZY | RTLD_NOLOAD);
    Py_XDECREF(bytes);
    Py_XDECREF(path);
    Py_XDECREF(module);
    return library;
}

/* bind(): what works on trees may be called from now on. ImportError when the selectolax that is here does not fit. */
static PyObject *bind(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    void *library = loaded_selectolax();
    if (PyErr_Occurred()) return NULL;
    for (size_t i = 0; i < sizeof NEEDED / sizeof *NEEDED; i++) {
        void *found = library ? dlsym(library, NEEDED[i].symbol) : NULL;
        if (!found) {
            PyErr_Format(PyExc_ImportError, "selectolax does not offer %s", NEEDED[i].symbol);
            return NULL;
        }
        memcpy(NEEDED[i].place, &found, sizeof found); /* ISO C knows no cast to a function */
    }
    Py_RETURN_NONE;
}

static PyMethodDef METHODS[] = {
    {"bind", bind, METH_NOARGS, NULL},
    {"setup", walk_setup, METH_VARARGS, NULL},
    {"walk", walk_tree, METH_VARARGS, NULL},
    {"markup_setup", write_setup, METH_VARARGS, NULL},
    {"markup", write_markup, METH_VARARGS, NULL},
    {"headline", find_headline, METH_VARARGS, NULL},
    {"leads", find_leads, METH_VARARGS, NULL},
    {"render", render_blocks, METH_VARARGS, NULL},
    {"in_container", in_container, METH_VARARGS, NULL},
    {"model", make_model, METH_VARARGS, NULL},
    {"likelihood", judge_blocks, METH_VARARGS, NULL},
    {"choose", choose_blocks, METH_VARARGS, NULL},
    {"furniture", drop_all_furniture, METH_VARARGS, NULL},
    {"pager", find_pager, METH_VARARGS, NULL},
    {"link_lists", find_link_lists, METH_VARARGS, NULL},
    {"core", find_core, METH_VARARGS, NULL},
    {"columns", fill_columns, METH_VARARGS, NULL},
    {"long_tags", long_tags, METH_VARARGS, NULL},
    {"overloaded", overloaded, METH_VARARGS, NULL},
    {"overfull", overfull, METH_VARARGS, NULL},
    {"sign_ends", sign_ends, METH_VARARGS, NULL},
    {"find", find_elements, METH_VARARGS, NULL},
    {"links", find_links, METH_VARARGS, NULL},
    {"properties", find_properties, METH_VARARGS, NULL},
    {"outgoing", find_outgoing, METH_VARARGS, NULL},
    {"keep_memory", keep_memory, METH_NOARGS, NULL},
    {"plain", text_is_plain, METH_O, NULL},
    {"controlled", text_is_controlled, METH_O, NULL},
    {"joined", text_joined, METH_O, NULL},
    {"words", text_words, METH_O, NULL},
    {"runs", name_runs, METH_VARARGS, NULL},
    {"has_kind", has_kind, METH_VARARGS, NULL},
    {"sample", sample, METH_VARARGS, NULL},
    {"marks", smallest_marks, METH_VARARGS, NULL},
    {"compare", compare_signatures, METH_VARARGS, NULL},
    {"common", common_bins, METH_VARARGS, NULL},
    {"apart", bins_apart, METH_VARARGS, NULL},
    {"index_words", index_words, METH_VARARGS, NULL},
    {"index_merge", index_merge, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1, .m_methods = METHODS};

PyMODINIT_FUNC PyInit__native(void) {
    if (getenv("VEILLE_PURE")) {
        PyErr_SetString(PyExc_ImportError, "switched off by VEILLE_PURE");
        return NULL;
    }
    PyObject *module = PyModule_Create(&MODULE);
    if (module && (PyType_Ready(&ReadingType) < 0 || hash_setup() < 0 || PyModule_AddType(module, &ReadingType) < 0))
        Py_CLEAR(module);
    if (module && PyModule_AddIntConstant(module, "INTERFACE", INTERFACE) < 0) Py_CLEAR(module);
    return module;
}
