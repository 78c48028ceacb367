# `make run` shows veille at work, `make test` tests it; both install all they need on a bare Debian with python3.
.PHONY: run test check alerts meaning ask eval crash crawl news changes swaps picks repair retrieval soak hostile bench scale screenshots trace docs site audit lock lowest matrix dist wheels try-dist fix clean compiler
.DEFAULT_GOAL := run

VENV := .venv
INTER := /usr/share/fonts/opentype/inter/Inter-Black.otf
FONT := /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
BIN := $(VENV)/bin
HELPS := en-us de es fr ru zh-cn ja el vi
FAQS := de fr it ja nl ru zh-cn
PYTHON ?= python3
DEV := dev,browser
# uv installs in a tenth of pip's CPU; where it can't be had or can't reach what pip is told to use, pip does it.
INSTALL = { $(BIN)/pip install -q uv && VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install -q -e $(1); } || $(BIN)/pip install -q -e $(1)
# What an installation is made from: when these change it is made again.
BUILD := pyproject.toml setup.py $(wildcard src/native/*)

MANUALS := postgresql-doc-15 python3-doc python-django-doc git-doc sqlite3-doc apache2-doc debian-handbook \
	debian-reference-en nodejs-doc erlang-doc bind9-doc exim4-doc-html libvirt-doc fp-docs-3.2.2 maxima-doc

# What tests run of others: a file, and Debian's package that brings it.
TOOLS := /usr/bin/caddy:caddy /usr/bin/chromium:chromium /usr/bin/chromium-headless-shell:chromium-headless-shell \
	/usr/bin/fish:fish /usr/bin/newsboat:newsboat /usr/bin/openssl:openssl \
	/usr/bin/systemd-analyze:systemd /usr/bin/wget:wget /usr/bin/zsh:zsh /usr/lib/postgresql:postgresql /usr/sbin/nginx:nginx-light \
	/usr/sbin/pgbouncer:pgbouncer $(FONT):fonts-dejavu-core
# The packages of those of $(1) that are not here.
missing = $(strip $(foreach one,$(1),$(if $(wildcard $(firstword $(subst :, ,$(one)))),,$(lastword $(subst :, ,$(one))))))
# Installs them, all at once.
fetched = $(if $(call missing,$(1)),echo "Installing $(call missing,$(1)) ..." && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(call missing,$(1)) >/dev/null)

# Unpacks Debian's packages of the texts that questions are asked about.
texts = mkdir -p build/texts && cd build/texts && apt-get update -qq && \
	apt-get download -qq installation-guide-amd64 $(HELPS:%=libreoffice-help-%) debian-faq $(FAQS:%=debian-faq-%) && \
	for package in *.deb; do dpkg-deb -x "$$package" . || exit; done

# Tests start hundreds of short processes; each would compile the program anew.
unexport PYTHONDONTWRITEBYTECODE

run: $(VENV)/.run
	$(BIN)/veille demo

# What fails while four tests share two cores is run again by itself, with the same seed: it has to pass then, and is named.
# The end says which tests took longest: that is where the suite is to be made shorter.
test: $(VENV)/.dev
	@$(call fetched,$(TOOLS))
	$(BIN)/pytest --durations=40 || { [ $$? -eq 1 ] && $(BIN)/pytest -n 0 -v --last-failed --last-failed-no-failures none --randomly-seed=last; }

# mypy takes one core for a minute; what else there is to check is done on the other. All tests are loaded there, though few
# are run: one process compiles what the four of `make test` would compile at the same time.
check: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy & types=$$!; \
		$(BIN)/lint-imports && $(BIN)/pytest -p no:randomly -n 0 -k test_architecture; shape=$$?; \
		wait $$types && exit $$shape

# 200 kills, with 2 workers; `make test` does a short form.
# STORE=postgres: on a server that is restarted, killed and cut off meanwhile.
crash: $(VENV)/.dev
	$(BIN)/python tests/crash/run.py --kills 200 --freezes $(if $(STORE),50,12) --store $(or $(STORE),sqlite)

# A site of 5,000 pages full of traps, crawled undisturbed and with 10 kills; `make test` does a short form.
crawl: $(VENV)/.dev
	$(BIN)/python tests/crawl/run.py --pages 5000 --kills 10 --store $(or $(STORE),sqlite)

# 5,000 articles from feeds to the workbook, undisturbed and killed 3 times, as a file and in Google Sheets.
news: $(VENV)/.dev
	$(BIN)/python tests/news/run.py --articles 5000 --kills 3

# Documents that are edited and embedded by processes that are killed 200 times: is a vector without its piece, or a piece
# lost? `make test` does a short form.
meaning: $(VENV)/.dev
	$(BIN)/python tests/meaning/run.py --kills 200 $(if $(SEED),--seed $(SEED))

# 300 pages over 20 rounds of edits, moves, removals and outages, with much that changes by itself on every load.
changes: $(VENV)/.dev
	$(BIN)/python tests/changes/run.py --pages 300 --rounds 20

# Manuals of 300 pages as Sphinx, DocBook and MkDocs write them, swapped for their next version; `make test` does a
# short form.
swaps: $(VENV)/.dev
	$(BIN)/python tests/swaps/run.py --pages 300 --seeds 3

# Pages before and after changes of their templates, made and real ones: is a picked part found again, or declared lost, and
# never another taken? `make picks SEED=7`; `make test` does a short form.
picks: $(VENV)/.dev
	$(BIN)/python tests/picks/run.py --pairs 60 --seeds 20 --seed $(or $(SEED),1)

# A host that goes wrong in every way there is a rule for; prints how often the source ended in the right state.
repair: $(VENV)/.dev
	$(BIN)/python tests/repair/run.py

# 100,000 pages are read again in processes and on a Ray cluster of two nodes, and tasks, nodes, heads and programs are killed; a
# store of them, and that of the soak, move to PostgreSQL and back; two machines (network namespaces) whose clocks are 30 s apart
# ask the same hosts; then the soak, kills, a crawl and alerts on PostgreSQL, and what it costs beside SQLite. Takes hours; `make scale PAGES=5000` is shorter, and
# `make test` does a short form.
scale: $(VENV)/.dev
	@$(call fetched,$(TOOLS))
	$(BIN)/python tests/bulk/run.py --pages $(or $(PAGES),100000)
	$(BIN)/python tests/soak/run.py --move
	$(BIN)/python tests/soak/run.py --store postgres
	$(BIN)/python tests/machines/run.py
	$(BIN)/python tests/crash/run.py --kills 200 --freezes 50 --store postgres
	$(BIN)/python tests/crawl/run.py --pages 5000 --kills 10 --store postgres
	$(BIN)/python tests/alerts/run.py --rounds 500 --kills 20 --store postgres
	$(BIN)/python bench/run.py stores workers postgres

# 10,000 sources for half an hour, with kills, freezes, a full disk, a consumer that is away and a clock that jumps;
# `make test` does a short form. `make soak STORE=postgres`: on a server that ends and comes back meanwhile.
soak: $(VENV)/.dev
	@$(call fetched,$(if $(STORE),$(TOOLS)))
	$(BIN)/python tests/soak/run.py --store $(or $(STORE),sqlite)

# A scripted world of 60 sources, 40 rules and 5 channels over 500 rounds, killed 20 times: is everything told, once, and
# nothing else? The seed is printed, and can be given: `make alerts SEED=7`. `make test` does a short form.
alerts: $(VENV)/.dev
	$(BIN)/python tests/alerts/run.py --rounds 500 --kills 20 --store $(or $(STORE),sqlite) $(if $(SEED),--seed $(SEED))

# 300 questions with known answers about a scripted world over a year, without a model, with a faithful one and with failing
# ones, and 60 pages that give models instructions. `make ask SEED=7`; `make test` does a short form.
ask: $(VENV)/.dev
	$(BIN)/python tests/ask/run.py --questions 300 --seed $(or $(SEED),1)

# A service under attack by one of its tenants, then half an hour of generated hostile inputs; the seed is printed, and
# what fails is kept in tests/hostile/cases. `make test` does short forms.
hostile: $(VENV)/.dev
	$(BIN)/python tests/hostile/run.py

# Questions with known answers in eight languages: how well they are answered, how fast, and in how much memory, up to a million
# pieces; then the sections of a real manual, asked for by their headings, the help of LibreOffice, asked for by its index, and
# Debian's FAQ, asked with its questions (from Debian's packages). It says for each set and language what is asked for, and fails
# at the end if any of it is not met, or could not be measured. `make test` does a short form.
retrieval: $(VENV)/.dev
	@met=0; \
	$(BIN)/python tests/retrieval/run.py --sizes 10000 100000 || met=1; \
	$(BIN)/python tests/retrieval/sqlite_pieces.py 10000 100000 1000000 || met=1; \
	( $(texts) ) || echo "No mirror of Debian gives these packages: what was not unpacked before is NOT MET."; \
	$(BIN)/python tests/retrieval/run.py --sets faq manual help --packages build/texts || met=1; \
	[ $$met -eq 0 ] && echo "make retrieval: all is met." || { echo "make retrieval: NOT MET, see above."; exit 1; }

# How much of real manuals is kept, page by page; installs Debian's packages of fifteen of them (250 MB). And whether every page
# that lies beside the project is read the same with and without the compiled part; `make test` takes a tenth of them.
eval: $(VENV)/.dev
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(MANUALS)
	$(BIN)/python tests/gate/manuals.py
	EVERY_PAGE=1 $(BIN)/pytest tests/gate/test_native_agreement.py

# Side by side with peers, in one run; ratios are what counts.
bench: $(VENV)/.bench
	@$(call fetched,$(TOOLS) /usr/bin/wrk:wrk)
	$(BIN)/python bench/run.py

# Pictures of the pages, taken of the demo world.
screenshots: $(VENV)/.dev
	@$(call fetched,$(TOOLS) $(INTER):fonts-inter)
	$(BIN)/python docs/screenshots.py
	$(BIN)/python docs/mail_pictures.py

# Which tests prove which requirement.
trace: $(VENV)/.dev
	$(BIN)/python tests/trace.py

# The reference pages, from the code.
docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py

# The documentation as a site, to be read and searched without a server: build/site/index.html.
site: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# The licences of all packages that we depend on, and their known holes where a list of them can be reached.
audit: $(VENV)/.dev
	$(BIN)/pip install -q pip-audit
	$(BIN)/python tests/audit.py

# The versions that the image is built from.
lock: $(VENV)/.dev
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --extra all --no-emit-index-url \
		--no-annotate --custom-compile-command "make lock" --output-file deploy/requirements.lock

# The oldest versions that pyproject.toml allows, in an environment of their own, with a part of the tests.
lowest: $(VENV)/.dev
	$(BIN)/pip install -q uv
	$(BIN)/python tests/packages/lowest.py

# The unit tests on every Python that is found, on the path or among the versions of pyenv and uv.
matrix: $(VENV)/.dev
	$(BIN)/pip install -q uv
	rm -rf build/lib build/lib.*
	$(BIN)/python tests/packages/matrix.py

# What is uploaded: the sources, a wheel with the compiled part for this machine (`pip install dist/veille-*.whl`), and in
# dist/pure one for any other.
dist: $(VENV)/.dev | compiler
	rm -rf dist build/lib build/lib.* build/bdist.*
	$(BIN)/pip install -q build
	$(BIN)/python -m build --outdir dist
	BUILD_PURE=1 $(BIN)/python -m build --wheel --outdir dist/pure

# Wheels for all Linux machines, in containers; see [tool.cibuildwheel] in pyproject.toml.
wheels: $(VENV)/.dev
	$(BIN)/pip install -q cibuildwheel
	$(BIN)/cibuildwheel --platform linux --output-dir dist

# Both wheels in empty environments, with all that they need: without and with the compiled part, `veille demo` has to end
# well, and the core has to be installed in 30 seconds of CPU. For each Python that is found.
try-dist: dist
	$(BIN)/python tests/packages/try_dist.py

fix: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build src/veille/core/_native.*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# For the compiled part of extraction, without which everything is read the same, at half the speed, and for the soak.
HEADERS := import sys, pathlib, sysconfig; sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())
compiler:
	@{ command -v cc && $(PYTHON) -c '$(HEADERS)'; } >/dev/null || { echo "Installing a C compiler ..."; apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev python3-dev; }

$(BIN)/python:
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Installing python3-venv ..."; apt-get update -qq && apt-get install -y -qq python3-venv; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BUILD) $(BIN)/python
	$(call INSTALL,.) && touch $@

$(VENV)/.dev: $(BUILD) $(BIN)/python | compiler
	$(call INSTALL,'.[$(DEV)]') && touch $@ $(VENV)/.run

$(VENV)/.bench: $(BUILD) $(BIN)/python | compiler
	$(call INSTALL,'.[bench]') && touch $@
