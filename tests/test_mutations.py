"""Every axiom and every fairness formula is needed: without it, or weakened, the verdict on some spec changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from scopec.base.source import Source
from scopec.engines.alloy import run as alloy_run
from scopec.engines.alloy.emit import emit
from scopec.engines.embedded.memory.sat import solve
from scopec.engines.embedded.progress import fair_cycles
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.tla import run as tla_run
from scopec.engines.tla.engine import module as tla_module
from scopec.memory.cat import registry
from scopec.memory.cat.build import build
from scopec.memory.cat.read import read
from scopec.memory.questions import Problem
from scopec.memory.reductions import Reductions
from scopec.progress.schedule import Ending
from scopec.session.inquiry.questions import known_values, progress_problem
from scopec.session.inquiry.run import Run
from tests.one_variant import run_of

#: The same run each time: several mutants are of one.
kept_run = cache(run_of)


# ---------------------------------------------------------------- memory

#: What is replaced in cuda.cat, by what, and the spec that notices.
AXIOMS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "coherence": ("irreflexive hb ; eco? as coherence", "", "litmus/corr.cu", {"SAME": "true"}),
    "issue_order": ("irreflexive (hb? ; issue)+ as issue_order", "", "host/stream-of-two-threads.cu", {"ORDER": "1", "ONE_STREAM": "true"}),
    "atomicity": ("empty rmw & (fr ; co) as atomicity", "", "litmus/fetch-add.cu", {"THREADS": "2", "ATOMIC": "true"}),
    "no_thin_air": ("acyclic rf | dep as no_thin_air", "", "litmus/lb-dependencies.cu", {"VIA": "2"}),
    "no more than dependencies": ("acyclic rf | dep", "acyclic rf | po", "litmus/lb.cu", {"FIRST": "true", "SECOND": "false"}),
    "no dependencies that a compiler removes": ("acyclic rf | dep", "acyclic rf | addr | data | ctrl", "litmus/lb-dependencies.cu", {"VIA": "13"}),
    "the axiom of RC11": ("acyclic po | rf as no_thin_air", "", "options/thin-air-rc11.cu", {"STORES": "0"}),
    "seq_cst": ("acyclic incl & S as seq_cst", "", "litmus/sb.cu", {"STORE": "seq_cst", "LOAD": "seq_cst"}),
    "fr in eco": ("(rf | co | fr)+", "(rf | co)+", "litmus/mp.cu", {"S": "device"}),
    "co in eco": ("(rf | co | fr)+", "(rf | fr)+", "litmus/2+2w.cu", {"ORDER": "seq_cst"}),
    "rf in eco": ("(rf | co | fr)+", "(co | fr)+", "litmus/iriw.cu", {"STORE": "release", "LOAD": "seq_cst"}),
    "release sequences": ("[W & A] ; (rf ; rmw)*", "[W & A]", "litmus/release-sequence.cu", {"BY_RMW": "true"}),
    "release fences": ("| [Rel & F] ; po ; [W & A]", "", "litmus/mp-release-fence.cu", {"FENCE": "release"}),
    "acquire fences": ("| [R & A] ; po ; [Acq & F]", "", "litmus/mp-fences.cu", {"FENCES": "device", "ACCESSES": "device"}),
    "release stores": ("let rel = [Rel & W] | ", "let rel = ", "litmus/mp.cu", {"S": "device"}),
    "acquire loads": ("let acq = [Acq & R] | ", "let acq = ", "litmus/mp.cu", {"S": "device"}),
    "release means Rel": ("let rel = [Rel & W]", "let rel = [W]", "cuda-memory-model/message-passing.cu", {"STORE": "relaxed", "LOAD": "acquire"}),
    "acquire means Acq": ("let acq = [Acq & R]", "let acq = [R]", "cuda-memory-model/message-passing.cu", {"STORE": "release", "LOAD": "relaxed"}),
    "A and B include each other": ("let sw-scoped = incl & ", "let sw-scoped = ", "litmus/mp-fences.cu", {"FENCES": "block", "ACCESSES": "device"}),
    "X and Y include each other": ("(incl & (rs-rf ; [A]))", "(rs-rf ; [A])", "litmus/mp-fences.cu", {"FENCES": "device", "ACCESSES": "block"}),
    "sw in hb": ("let hb  = (po | asw | sw)+", "let hb  = (po | asw)+", "litmus/mp.cu", {"S": "device"}),
    "asw in hb": ("let hb  = (po | asw | sw)+", "let hb  = (po | sw)+", "hrf/figure-2.cu", {"T3": "acquire"}),
    "po in hb": ("let hb  = (po | asw | sw)+", "let hb  = (asw | sw)+", "litmus/mp.cu", {"S": "device"}),
    "hb is transitive": ("let hb  = (po | asw | sw)+", "let hb  = po | asw | sw", "litmus/wrc.cu", {"STORE": "release", "LOAD": "acquire"}),
    "asw in shb": ("let shb = (po | asw | ", "let shb = (po | ", "litmus/sb-launch.cu", {"BEFORE": "true"}),
    "hb in shb": (" | sb ; hb ; sb)+", ")+", "litmus/sb-message.cu", {"MESSAGE": "release"}),
    "the halves of an RMW are one evaluation": ("let sb  = po \\ rmw", "let sb  = po", "litmus/z6.cu", {"Y": "release"}),
    "fences first in S": ("([SC] | [SC & F] ; hb) ; eco", "[SC] ; eco", "litmus/sb-fences.cu", {"S": "device"}),
    "fences last in S": ("; ([SC] | hb ; [SC & F])\nend", "; [SC]\nend", "litmus/sb-fences.cu", {"S": "device"}),
    "S is scoped": ("acyclic incl & S as seq_cst", "acyclic S as seq_cst", "litmus/sb-fences.cu", {"S": "block"}),
    "races are conflicts with a write": ("((W * M) | (M * W))", "(M * M)", "litmus/mp-readers.cu", {"WRITES": "false"}),
    "hb orders conflicts": ("conflict \\ hb \\ hb^-1", "conflict \\ hb^-1", "litmus/mp.cu", {"S": "device"}),
    "hb orders conflicts the other way": ("conflict \\ hb \\ hb^-1", "conflict \\ hb", "litmus/mp.cu", {"S": "device"}),
    "atomics do not race": (" \\ (incl & (A * A))", "", "litmus/sb.cu", {"STORE": "release", "LOAD": "acquire"}),
    "atomics that do not include each other race": ("(incl & (A * A))", "(A * A)", "litmus/sb-scope.cu", {"S": "block"}),
}  # fmt: skip


def mutated(run: Run, old: str, new: str, folder: Path) -> Problem:
    """The run's problem under the changed model: its file, or one that it includes."""
    folder.mkdir()
    texts = registry.texts(run.model)
    assert sum(text.text.count(old) for text in texts) == 1, f"{old!r} is not in the model once"
    sources = [Source(text.name, text.text.replace(old, new)) for text in texts]
    for source in sources:
        (folder / Path(source.name).name).write_text(source.text)
    model = build(read(sources[0]), sources[0], run.readings, folder)
    return replace(run.problem, model=model, domains=known_values(run, model), reductions=Reductions())


def found(run: Run, problem: Problem, jars: Jars, workers: Workers, folder: Path) -> dict[str, bool]:
    """For each question whether Alloy finds an execution."""
    folder.mkdir()
    specification = folder / f"{run.name}.als"
    specification.write_text(emit(problem), encoding="utf-8")
    told = alloy_run.run(jars["alloy"], specification, workers, folder, 120)
    assert not told.late
    answers = alloy_run.choices(told.instances, run.graph)
    return {name: choice is not None for name, choice in answers.items()}


#: The same for the HRF models: the model, what is replaced in its file or in hrf.cat, by what, and the spec that notices.
HRF_AXIOMS: dict[str, tuple[str, str, str, str, dict[str, str]]] = {
    "calls are steps": ("hrf0", "po | asw | issue | rf", "po | asw | rf", "host/stream-of-two-threads.cu", {"ORDER": "1", "ONE_STREAM": "true"}),
    "sequential consistency": ("hrf0", "acyclic po | asw | issue | rf | co | fr as sequential_consistency", "", "hrf/sequential.cu", {"OTHER": "device"}),
    "launches and joins are steps": ("sc-drf", "acyclic po | asw | issue", "acyclic po | issue", "hrf/join.cu", {}),
    "atomicity": ("hrf-direct", "empty rmw & (fr ; co) as atomicity", "", "hrf/lost-update.cu", {}),
    "releases": ("hrf0", "[Rel & W & S] | ", "", "hrf/figure-4-local.cu", {"LOCAL": "block"}),
    "acquires": ("hrf0", "[Acq & R & S] | ", "", "hrf/figure-4-local.cu", {"LOCAL": "block"}),
    "release means Rel": ("hrf0", "[Rel & W & S]", "[W & S]", "hrf/figure-4.cu", {"RELEASE": "relaxed", "ACQUIRE": "acquire"}),
    "acquire means Acq": ("hrf0", "[Acq & R & S]", "[R & S]", "hrf/figure-4.cu", {"RELEASE": "release", "ACQUIRE": "relaxed"}),
    "release fences": ("hrf0", " | [Rel & F & S] ; po ; [W & A]", "", "hrf/fences.cu", {"READER": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "acquire fences": ("hrf0", " | [R & A] ; po ; [Acq & F & S]", "", "hrf/fences.cu", {"READER": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "a fence acts at its own scope": ("hrf0", "[Acq & F & S]", "[Acq & F]", "hrf/fences.cu", {"READER": "system", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "releases are ordered with releases": ("hrf0", "co ; [range(released(S))] | ", "", "hrf/release-chain.cu", {"SECOND": "device"}),
    "acquires are ordered after releases": ("hrf0", " | co? ; rf ; acquired(S))", ")", "hrf/figure-4-local.cu", {"LOCAL": "block"}),
    "barriers": ("hrf0", " | (syncbar & (S * S))", "", "hrf/figure-4.cu", {"RELEASE": "release", "ACQUIRE": "acquire"}),
    "asw is in every order": ("hrf0", "po | asw \\ syncbar", "po", "hrf/join.cu", {}),
    "barriers are in one order": ("hrf0", "po | asw \\ syncbar", "po | asw", "hrf/figure-2.cu", {"T3": "acquire"}),
    "block scope": ("hrf0", "let so-block = scta & order(BLOCK)", "let so-block = 0", "hrf/figure-4-local.cu", {"LOCAL": "block"}),
    "cluster scope": ("hrf0", "let so-cluster = scluster & order(CLUSTER)", "let so-cluster = 0", "litmus-files/ptx-clusters-hrf.litmus", {}),
    "synchronization of a cluster does not race": ("hrf0", "scluster & (synchronizing(CLUSTER) * synchronizing(CLUSTER))", "0", "litmus-files/ptx-clusters-hrf.litmus", {}),
    "cluster scope among others": ("hrf-indirect", "(always | so-block | so-cluster | so-device | so-system)+", "(always | so-block | so-device | so-system)+", "litmus-files/ptx-clusters-hrf.litmus", {}),
    "device scope": ("hrf0", "let so-device = sgpu & order(DEVICE)", "let so-device = 0", "hrf/figure-4-local.cu", {"LOCAL": "device"}),
    "system scope": ("hrf-indirect", "let so-system = order(SYSTEM)", "let so-system = 0", "hrf/figure-2.cu", {"T3": "acquire"}),
    "one scope does not order another": ("hrf0", "(always | so-block)+ | (always | so-cluster)+ | (always | so-device)+ | (always | so-system)+", "(always | so-block | so-cluster | so-device | so-system)+", "hrf/figure-5.cu", {"HOP": "release"}),
    "HRF-direct neither": ("hrf-direct", "(always | so-block)+ | (always | so-cluster)+ | (always | so-device)+ | (always | so-system)+", "(always | so-block | so-cluster | so-device | so-system)+", "hrf/figure-5.cu", {"HOP": "release"}),
    "HRF-indirect does": ("hrf-indirect", "(always | so-block | so-cluster | so-device | so-system)+", "(always | so-block)+ | (always | so-device)+ | (always | so-system)+", "hrf/figure-5.cu", {"HOP": "release"}),
    "scopes are identical": ("hrf-indirect", "\\ same-scope", "\\ (synchronizing(_) * synchronizing(_))", "hrf/sync-race.cu", {"PAIR_1": "block"}),
    "synchronization of a device does not race": ("hrf-indirect", " | sgpu & (synchronizing(DEVICE) * synchronizing(DEVICE))", "", "hrf/sync-race.cu", {"PAIR_1": "device"}),
    "synchronization of a block does not race": ("hrf0", "scta & (synchronizing(BLOCK) * synchronizing(BLOCK))", "0", "hrf/figure-4-local.cu", {"LOCAL": "block"}),
    "a read-modify-write synchronizes as one": ("hrf0", " | range([accesses(S)] ; rmw) | domain(rmw ; [accesses(S)])", "", "hrf/release-chain.cu", {"SECOND": "device"}),
    "SC for DRF knows no scopes": ("sc-drf", "order(_)", "so-block", "hrf/mixed-scopes.cu", {"GROUPS": "1"}),
    "its synchronization does not race": ("sc-drf", " \\ (synchronizing(_) * synchronizing(_))", "", "hrf/sync-race.cu", {"PAIR_1": "device"}),
    "the letter of HRF0": ("hrf0", 'if "hrf_sync_races=literal"', 'if "hrf_sync_races=excluded"', "options/hrf-sync-races-literal.cu", {}),
}  # fmt: skip


#: The same for RC11 and PTX.
RC11_AXIOMS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "coherence": ("irreflexive hb ; eco? as coherence", "", "rc11/coherence.cu", {}),
    "atomicity": ("empty rmw & (fr ; co) as atomicity", "", "rc11/coherence.cu", {}),
    "issue_order": ("irreflexive (hb? ; issue)+ as issue_order", "", "host/stream-of-two-threads.cu", {"ORDER": "1", "ONE_STREAM": "true"}),
    "no_thin_air": ("acyclic po | rf as no_thin_air", "", "rc11/coherence.cu", {}),
    "psc": ("acyclic psc-base | psc-fences as seq_cst", "", "rc11/store-buffering.cu", {"ORDER": "seq_cst", "FENCES": "false"}),
    "psc_base": ("psc-base | psc-fences as", "psc-fences as", "rc11/store-buffering.cu", {"ORDER": "seq_cst", "FENCES": "false"}),
    "psc_F": ("psc-base | psc-fences as", "psc-base as", "rc11/iriw.cu", {"ORDER": "relaxed", "FENCES": "true"}),
    "eco in psc_F": ("(hb | hb ; eco ; hb) ; [SC & F]", "hb ; [SC & F]", "rc11/iriw.cu", {"ORDER": "relaxed", "FENCES": "true"}),
    "fr in scb": ("(hb & loc) | co | fr\n", "(hb & loc) | co\n", "rc11/store-buffering.cu", {"ORDER": "seq_cst", "FENCES": "false"}),
    "fr in eco": ("(rf | co | fr)+", "(rf | co)+", "rc11/coherence.cu", {}),
    "releases": ("[Rel] ; ([F] ; po)?", "([F] ; po)?", "rc11/message-passing.cu", {"RELEASE": "relaxed", "ACQUIRE": "acquire"}),
    "release fences": ("[Rel] ; ([F] ; po)?", "[Rel]", "rc11/fences.cu", {"RELEASE": "release", "ACQUIRE": "acquire"}),
    "acquires": ("(po ; [F])? ; [Acq]", "(po ; [F])?", "rc11/message-passing.cu", {"RELEASE": "release", "ACQUIRE": "relaxed"}),
    "acquire fences": ("(po ; [F])? ; [Acq]", "[Acq]", "rc11/fences.cu", {"RELEASE": "release", "ACQUIRE": "acquire"}),
    "release sequences by stores": ("(po & loc)? ; [W & A]", "[W & A]", "rc11/release-sequence.cu", {"BY": "0"}),
    "release sequences by RMWs": (" ; (rf ; rmw)*", "", "rc11/release-sequence.cu", {"BY": "1"}),
    "sw in hb": ("(po | asw | sw)+", "(po | asw)+", "rc11/message-passing.cu", {"RELEASE": "release", "ACQUIRE": "acquire"}),
    "asw in hb": ("(po | asw | sw)+", "(po | sw)+", "rc11/launch.cu", {}),
    "hb orders conflicts": ("conflict \\ hb \\ hb^-1", "conflict \\ hb^-1", "rc11/message-passing.cu", {"RELEASE": "release", "ACQUIRE": "acquire"}),
    "atomics do not race": (" \\ (A * A)", "", "rc11/coherence.cu", {}),
}  # fmt: skip
PTX_AXIOMS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "coherence order is total": ("empty ((ms & (W * W)) \\ id) \\ (co | co^-1) as coherence_total", "", "ptx/coherence.cu", {"S": "device"}),
    "only where morally strong": ("empty ((ms & (W * W)) \\ id)", "empty ((loc & (W * W)) \\ id)", "ptx/two-orders.cu", {"WEAK": "true"}),
    "coherence": ("empty (loc & ([W] ; cause ; [W])) \\ co as coherence\n", "", "ptx/last-write.cu", {"RELEASE": "release"}),
    "atomicity": ("empty rmw & ((ms & fr) ; (ms & co)) as atomicity", "", "ptx/atomicity.cu", {"S": "device"}),
    "issue_order": ("irreflexive (cause-base? ; issue)+ as issue_order", "", "host/stream-of-two-threads.cu", {"ORDER": "1", "ONE_STREAM": "true"}),
    "no_thin_air": ("acyclic rf | dep as no_thin_air", "", "ptx/load-buffering.cu", {"THROUGH": "2"}),
    "as it was published": ("acyclic rf | addr | data | ctrl as no_thin_air", "", "options/thin-air-syntactic.cu", {"STORES": "1"}),
    "data dependencies": ("rf | addr | data | ctrl", "rf | addr | ctrl", "options/thin-air-syntactic.cu", {"STORES": "1"}),
    "control dependencies": ("rf | addr | data | ctrl", "rf | addr | data", "options/thin-air-syntactic.cu", {"STORES": "3"}),
    "address dependencies": ("rf | addr | data | ctrl", "rf | data | ctrl", "options/thin-air-syntactic.cu", {"STORES": "2"}),
    "a wait at a barrier is a fence": ("(F \\ RLX) | BW", "(F \\ RLX)", "litmus-files/ptx-barrier-fence.litmus", {}),
    "only dependencies": ("acyclic rf | dep", "acyclic rf | po", "ptx/load-buffering.cu", {"THROUGH": "0"}),
    "that no compiler removes": ("acyclic rf | dep", "acyclic rf | addr | data | ctrl", "ptx/load-buffering.cu", {"THROUGH": "5"}),
    "sc_per_location": ("acyclic (ms & (rf | co | fr)) | (po & same) as sc_per_location", "", "ptx/one-thread.cu", {}),
    "a thread is morally strong with itself": ("(po | po^-1 | (incl", "((incl", "ptx/one-thread.cu", {}),
    "causality": ("irreflexive (rf | fr) ; cause as causality", "", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "fr in causality": ("irreflexive (rf | fr) ; cause", "irreflexive rf ; cause", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "rf in causality": ("irreflexive (rf | fr) ; cause", "irreflexive fr ; cause", "ptx/load-buffering.cu", {"THROUGH": "3"}),
    "scopes": ("(incl & (strong * strong))", "(strong * strong)", "ptx/message-passing.cu", {"S": "block", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "the ends are morally strong": ("let sync = ms & ", "let sync = ", "ptx/fences.cu", {"S": "block"}),
    "observation through atomics": ("(ms & rf) ; (rmw ; (ms & rf))*", "(ms & rf)", "ptx/patterns.cu", {"THROUGH": "3"}),
    "releases": ("[Rel & W] ; ", "[W] ; ", "ptx/message-passing.cu", {"S": "device", "RELEASE": "relaxed", "ACQUIRE": "acquire"}),
    "acquires": (" ; [Acq & R]", " ; [R]", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "relaxed"}),
    "release patterns go on": ("[Rel & W] ; (po & same)? ; ", "[Rel & W] ; ", "ptx/patterns.cu", {"THROUGH": "1"}),
    "acquire patterns begin earlier": ("[R & strong] ; (po & same)? ; ", "[R & strong] ; ", "ptx/patterns.cu", {"THROUGH": "2"}),
    "release fences": (" | [fence \\ ACQ] ; po ; [W & strong]", "", "ptx/fences.cu", {"S": "device"}),
    "acquire fences": (" | [R & strong] ; po ; [fence \\ REL]", "", "ptx/fences.cu", {"S": "device"}),
    "reductions acquire nothing": ("[~RED] ; ", "", "ptx/reduction.cu", {"RED": "true"}),
    "acquire fences release nothing": ("[fence \\ ACQ]", "[fence]", "ptx/one-direction.cu", {"BEFORE": "1", "AFTER": "1", "ASM": "true"}),
    "release fences acquire nothing": ("[fence \\ REL]", "[fence]", "ptx/one-direction.cu", {"BEFORE": "0", "AFTER": "0", "ASM": "true"}),
    "sync in causality": ("(sync | sync_fence | asw)", "(sync_fence | asw)", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "sync_fence in causality": ("(sync | sync_fence | asw)", "(sync | asw)", "ptx/store-buffering.cu", {"S": "device"}),
    "barriers in causality": ("(sync | sync_fence | asw)", "(sync | sync_fence)", "ptx/barrier.cu", {"BARRIER": "true"}),
    "launches in causality": ("(sync | sync_fence | asw)", "(sync | sync_fence | syncbar)", "ptx/launch.cu", {}),
    "program order before": ("(po? ; ((sync", "(((sync", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "program order after": ("asw) ; po?))+", "asw)))+", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "causality is transitive": ("asw) ; po?))+", "asw) ; po?))", "ptx/relay.cu", {"FIRST": "release", "SECOND": "release"}),
    "what was observed is passed on": ("cause-base | obs ; (cause-base | kept)", "cause-base | obs ; kept", "ptx/relay.cu", {"FIRST": "relaxed", "SECOND": "release"}),
    "what was observed stays so": ("obs ; (cause-base | kept)", "obs ; cause-base", "ptx/read-read.cu", {"STRONG": "true"}),
    "the text keeps weak loads": ('if "weak_loads=isa"', 'if "weak_loads=compiled"', "ptx/read-read.cu", {"STRONG": "true"}),
    "ptxas makes weak loads early": ("\\ (passed \\ held)", "", "options/weak-loads.cu", {"CASE": "0"}),
    "a weak load passes no acquire": ("let passed = [R \\ Acq]", "let passed = [R]", "options/weak-loads.cu", {"CASE": "9"}),
    "weak loads alone are made early": ("(po & loc) ; [R & WEAK]", "(po & loc) ; [R]", "options/weak-loads.cu", {"CASE": "11"}),
    "an acquire between": ("[Acq | Rel |", "[Rel |", "options/weak-loads.cu", {"CASE": "3"}),
    "a release between": ("[Acq | Rel |", "[Acq |", "options/weak-loads.cu", {"CASE": "4"}),
    "a read-modify-write between": ("Rel | RMW |", "Rel |", "options/weak-loads.cu", {"CASE": "5"}),
    "an arrival between": ("RMW | B]", "RMW]", "options/weak-loads.cu", {"CASE": "7"}),
    "loads and stores elsewhere hold nothing": ("[Acq | Rel | RMW | B]", "[_]", "options/weak-loads.cu", {"CASE": "2"}),
    "a store between": (" | (po & loc) ; [W] ; (po & loc)", "", "options/weak-loads.cu", {"CASE": "8"}),
    "volatile accesses are strong": ("(M \\ WEAK", "(M \\ NA", "ptx/volatile.cu", {"FENCES": "true"}),
    "causality orders conflicts": ("conflict \\ cause \\ cause^-1", "conflict \\ cause^-1", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "causality orders conflicts the other way": ("conflict \\ cause \\ cause^-1", "conflict \\ cause", "ptx/message-passing.cu", {"S": "device", "RELEASE": "release", "ACQUIRE": "acquire"}),
    "races are conflicts with a write": ("((W * M) | (M * W))", "(M * M)", "ptx/races.cu", {"S": "block", "WEAK": "false", "WRITES": "false"}),
    "morally strong operations do not race": ("cause^-1 \\ ms", "cause^-1", "ptx/races.cu", {"S": "device", "WEAK": "false", "WRITES": "true"}),
    "strong operations that leave each other out race": ("cause^-1 \\ ms", "cause^-1 \\ (strong * strong)", "ptx/races.cu", {"S": "block", "WEAK": "false", "WRITES": "true"}),
    "races are reported": ("flag ~empty race as race", "", "ptx/races.cu", {"S": "block", "WEAK": "false", "WRITES": "true"}),
}  # fmt: skip


#: What is answered about each run, of those that are kept, under the model as it is.
_ANSWERED: dict[int, dict[str, bool]] = {}


def check_mutation(run: Run, old: str, new: str, folder: Path, ask: Callable[[Problem, str], dict[str, bool]]) -> None:
    """With the model as it is every question is answered as the spec expects, with the change some question is not."""
    expected = {q.name: q.expected for q in run.problem.questions if q.expected is not None}
    if id(run) not in _ANSWERED:
        _ANSWERED[id(run)] = ask(run.problem, "before")
    before, after = _ANSWERED[id(run)], ask(mutated(run, old, new, folder / "models"), "after")
    assert all(before[q] == wanted for q, wanted in expected.items())
    assert any(after[q] != wanted for q, wanted in expected.items())


def test_every_named_axiom_is_removed_by_some_mutation() -> None:
    """An axiom that nobody misses would be one that says nothing."""
    removed = {
        "cuda": [(old, new) for old, new, _, _ in AXIOMS.values()],
        "hrf": [(old, new) for _, old, new, _, _ in HRF_AXIOMS.values()],
        "rc11": [(old, new) for old, new, _, _ in RC11_AXIOMS.values()],
        "ptx": [(old, new) for old, new, _, _ in PTX_AXIOMS.values()],
    }
    for entry in registry.MODELS.values():
        family = next(name for name in removed if name in ("hrf" if entry.name == "sc-drf" else entry.name))
        for source in registry.texts(entry):
            for name in re.findall(r"^\s*(?:acyclic|irreflexive|empty) .* as (\w+)$", source.text, re.MULTILINE):
                ends = f" as {name}"
                missed = any(old.strip().endswith(ends) and ends not in new for old, new in removed[family])
                # fence_sc tells which orders of fences are consistent: tests/test_models.py misses it.
                assert missed or name == "fence_sc", f"{entry.name}: nothing fails without {name}"


def embedded(problem: Problem, _label: str) -> dict[str, bool]:
    """For each question whether the engine in this process finds an execution; it reads the same files as Alloy's."""
    answers = solve(problem)
    assert answers is not None
    return {name: choice is not None for name, choice in answers.items()}


@pytest.mark.parametrize("name", list(AXIOMS))
def test_every_part_of_the_cuda_model_is_needed(name: str, tmp_path: Path) -> None:
    old, new, spec, variant = AXIOMS[name]
    check_mutation(kept_run(spec, **variant), old, new, tmp_path, embedded)


@pytest.mark.sampled(6)
@pytest.mark.jvm
@pytest.mark.parametrize("name", list(AXIOMS))
def test_alloy_needs_every_part_of_the_cuda_model(name: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    old, new, spec, variant = AXIOMS[name]
    run = kept_run(spec, **variant)
    check_mutation(run, old, new, tmp_path, lambda p, label: found(run, p, jars, workers, tmp_path / label))


@pytest.mark.parametrize(
    ("model", "old", "new", "spec", "variant"),
    [pytest.param(*change, id=name) for name, change in HRF_AXIOMS.items()]
    + [pytest.param("rc11", *change, id=f"RC11, {name}") for name, change in RC11_AXIOMS.items()]
    + [pytest.param("ptx", *change, id=f"PTX, {name}") for name, change in PTX_AXIOMS.items()],
)
def test_every_part_of_the_other_models_is_needed(
    model: str, old: str, new: str, spec: str, variant: dict[str, str], tmp_path: Path
) -> None:
    check_mutation(kept_run(spec, model, **variant), old, new, tmp_path, embedded)


# ---------------------------------------------------------------- progress

#: What is replaced in the generated module (a regular expression), by what, and the spec that notices.
FORMULAS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "HostProgress": (r"\n  /\\ .* WF_vars\(HostProgress\(.*\)\)", "", "cuda-execution-model/api-1.cu", {}),
    "HostProgress outside API calls only": (r"~InApi\(h\) /\\ own", "own", "cuda-execution-model/host-after-launch.cu", {"BEFORE": "false"}),
    "DeviceProgress": (r"\n  /\\ .* WF_vars\(DeviceProgress\(.*\)\)", "", "cuda-execution-model/device-0.cu", {}),
    "DeviceProgress for started blocks only": (r"UnitStarted\(UnitOf\[t\]\) /\\ own", "own", "cuda-execution-model/device-0-blocks.cu", {"BLOCKS": "2"}),
    "DeviceProgress for the whole block": (r"UnitStarted\(UnitOf\[t\]\) /\\ own", "Started(t) /\\ own", "cuda-execution-model/device-0.cu", {}),
    "ApiProgress": (r"\n  /\\ .* WF_vars\(ApiProgress\(.*\)\)", "", "cuda-execution-model/api-1.cu", {}),
    "an API call needs no start while a thread runs": (r"InApi\(h\) /\\ DeviceQuiet /\\ ", "InApi(h) /\\ ", "cuda-execution-model/stream-0.cu", {}),
    "an API call may start a thread": (r"\(own \\/ serve\)", "own", "cuda-execution-model/api-1.cu", {}),
    "QueryProgress": (r"\n  /\\ .* SF_vars\(QueryProgress\(.*\)\)", "", "cuda-execution-model/api-4.cu", {}),
    "QueryProgress is strong": (r"SF_vars\(QueryProgress", "WF_vars(QueryProgress", "cuda-execution-model/api-4.cu", {}),
    "SilentForever": (r"\(\\E t \\in \{.*\} : SilentForever\(t\)\) \\/ Promises", "Promises", "cuda-execution-model/plain-spin.cu", {"ATOMIC": "false"}),
    "silence is for ever": (r"SilentForever\(t\) == <>\[\]", r"SilentForever(t) == []<>", "cuda-execution-model/back-off.cu", {"BLOCKS": "1", "reader": "scoped", "without": "empty_loops"}),
    "dependencies": (r"Ordered\(issued\[j\], issued\[i\]\) => GridDone\(issued\[j\]\)", "TRUE", "cuda-execution-model/stream-1.cu", {}),
    "barriers wait": (r"/\\ Released\(t, BlockOf\[t\]\)\n", "", "cuda-execution-model/syncthreads.cu", {"OTHER": "1"}),
    "exited threads do not hold up a barrier": (r" \\/ Done\(u\)\n", "\n", "cuda-execution-model/syncthreads.cu", {"OTHER": "0"}),
    "synchronization waits": (r"\n  /\\ AllIssuedDone\n", "\n", "cuda-execution-model/api-1.cu", {}),
    "a cooperative grid is a unit": (r"UnitOf +== .*", "UnitOf == BlockOf", "cuda-execution-model/note-cluster.cu", {"UNIT": "3"}),
    "a cluster is a unit": (r"UnitOf +== .*", "UnitOf == BlockOf", "cuda-execution-model/note-cluster.cu", {"UNIT": "2"}),
    "another cluster is another unit": (r"UnitOf +== .*", "UnitOf == GridOf", "cuda-execution-model/note-cluster.cu", {"UNIT": "1"}),
    "FunctionProgress": (r"\n  /\\ .* WF_vars\(FunctionProgress\(.*\)\)", "", "algorithms/host-callback.cu", {"AFTER": "true"}),
    "an API call has host functions started": (r"\n  \\/ \\E t \\in \{.*\} : pc\[t\] = \"idle\" /\\ TaskStep\(t\)", "", "algorithms/host-callback.cu", {"AFTER": "true"}),
    "an API call has copies made": (r"\n  \\/ \\E t \\in \{.*\} : TaskStep\(t\)", "", "cuda-execution-model/copies.cu", {"ONE_STREAM": "true"}),
    "queries start nothing while a thread runs": (r"NotReadyQuery\(h\) /\\ DeviceQuiet", "NotReadyQuery(h)", "cuda-execution-model/query-streams.cu", {"ONE_STREAM": "false"}),
    "events order work": (r" /\\ AllDoneOf\(after\[GridOf\[t\]\]\)", "", "cuda-execution-model/events.cu", {"ORDER": "0"}),
    "a wait is for an event": (r" \\cup event\[\"written\"\]", "", "cuda-execution-model/events.cu", {"ORDER": "0"}),
    "an event stands for the work before it": (r"event' = \[event EXCEPT .*\]", "event' = event", "cuda-execution-model/events.cu", {"ORDER": "0"}),
    "grid barriers wait": (r"/\\ Complete\(t, WholeOf\[t\]\)\n", "", "cuda-execution-model/grid-sync.cu", {"RETURNS": "true"}),
    "exited threads hold up a grid barrier": (r"\\A u \\in Joins\[b\] : u \\in arrived\[b\]\n", "\\A u \\in Joins[b] : u \\in arrived[b] \\/ Done(u)\n", "cuda-execution-model/grid-sync.cu", {"RETURNS": "true"}),
    "exited threads hold up a block's, if so read": (r"\\A u \\in Joins\[b\] : u \\in arrived\[b\]\n", "\\A u \\in Joins[b] : u \\in arrived[b] \\/ Done(u)\n", "cuda-execution-model/exited-threads-hold.cu", {}),
    "exited threads do not hold up a cluster's": (r" \\/ Done\(u\)\n", "\n", "cuda-execution-model/cluster-sync.cu", {"FIRST": "1"}),
    "a cluster's barrier joins the cluster": (r"/\\ Released\(t, ClusterOf\[t\]\)\n", "", "cuda-execution-model/cluster-sync.cu", {"FIRST": "2"}),
    "semaphores wait": (r"  /\\ mem\.free\w* > 0\n", "", "cuda-execution-model/semaphore.cu", {"FREE": "0", "GIVES_BACK": "true"}),
    "a wait looks again only when notified": (r'"sleepers_L17_asleep"\)\n', '"sleepers_L17")\n', "cuda-execution-model/wait-notify.cu", {"HOW": "2", "WAITERS": "1"}),
    "a notification wakes": (r"OneOf\(who\) == .*", "OneOf(who) == {{}}", "cuda-execution-model/wait-notify.cu", {"HOW": "1", "WAITERS": "1"}),
    "notify_one wakes only one": (r"OneOf\(who\) == .*", "OneOf(who) == {who}", "cuda-execution-model/wait-notify.cu", {"HOW": "1", "WAITERS": "2"}),
    "what may fail does not fail for ever": (r"\n  /\\ \\A t \\in Threads : SF_vars\(\w+_succeeds\(t\)\)", "", "cuda-execution-model/weak-exchange.cu", {"HELD": "0"}),
    "creation starts a thread": (r', !\["waits"\] = "waits_L15"', "", "cuda-execution-model/host-threads.cu", {"WHERE": "1"}),
}  # fmt: skip


_STARTS = r"\n  /\\ WF_vars\(\\E t \\in DeviceThreads : Start\(t\)\)"
#: For the other progress models: model, what is replaced, by what, and the spec of progress-models/ that notices.
OWED: dict[str, tuple[str, str, str, str]] = {
    "fair owes every thread": ("fair", r"Owed\(t\) == TRUE", "Owed(t) == Started(t)", "wait-for-later"),
    "obe owes those that have started": ("obe", r"Owed\(t\) == .*", "Owed(t) == FALSE", "lock"),
    "obe owes no others": ("obe", r"Started\(u\) /\\ Number\[t\] = Number\[u\]", "TRUE", "wait-for-earlier"),
    "obe owes no other blocks": ("obe", r" /\\ Number\[t\] = Number\[u\]", "", "wait-for-earlier"),
    "hsa owes the lowest": ("hsa", r"Number\[u\] < Number\[t\] => Done\(u\)", "FALSE", "wait-for-earlier"),
    "hsa owes the lowest unfinished": ("hsa", r"=> Done\(u\)", "=> FALSE", "handover"),
    "hsa owes no others": ("hsa", r"Owed\(t\) == .*", "Owed(t) == TRUE", "lock"),
    "hsa-obe owes those of obe": ("hsa-obe", r"\\/ \\E u .*\n", "\\/ FALSE\n", "lock"),
    "hsa-obe owes those of hsa": ("hsa-obe", r"\n +\\/ \\A u .*\n", "\n", "wait-for-earlier"),
    "lobe owes those before": ("lobe", r"Number\[t\] <= Number\[u\]", "t = u", "wait-for-earlier"),
    "lobe owes those before started ones": ("lobe", r"Started\(u\) /\\ ", "", "wait-for-later"),
    "lobe owes none behind": ("lobe", r" /\\ Number\[t\] <= Number\[u\]", "", "wait-for-later"),
    "none owes nothing": ("none", r"Owed\(t\) == FALSE", "Owed(t) == TRUE", "wait-for-later"),
    "some thread takes a step": ("obe", r"\n  /\\ WF_vars\(Next\)", "", "lock"),
    "a turn of a poll is a step": ("obe", r'THEN "wait_for_earlier_L11_again"', 'THEN "wait_for_earlier_L11"', "wait-for-earlier"),
}  # fmt: skip

#: For blocks of several threads, and what is assumed beside the CUDA document: the same, and the variant.
ASSUMED: dict[str, tuple[str, str, str, str, dict[str, str]]] = {
    "obe owes the other threads of a block": ("obe", r"Number\[t\] = Number\[u\]", "t = u", "threads-of-a-block", {"BLOCKS": "1"}),
    "lobe owes the other threads of a block": ("lobe", r"Number +== .*", r'Number == "meet_b0_t0" :> 0 @@ "meet_b0_t1" :> 1', "threads-of-a-block", {"BLOCKS": "1"}),
    "all blocks are resident": ("cuda-resident", _STARTS, "", "wait-for-later", {}),
    "blocks start in order": ("cuda-in-order", r"\n  /\\ InOrder\(t\)", "", "wait-for-earlier", {}),
    "the one before has started": ("cuda-in-order", r" : UnitStarted\(u\)\n", " : FALSE\n", "wait-for-earlier", {}),
    "a block needs a place": ("cuda", r" /\\ HasPlace\(t\)", "", "grid-barrier-places-2", {}),
    "a free place is filled": ("cuda", _STARTS, "", "grid-barrier-places-3", {}),
    "a block that has ended frees its place": ("cuda-in-order", r" /\\ ~Done\(u\)\}", "}", "scan-one-place", {"AHEAD": "false"}),
    "a block that has started has its place": ("cuda-in-order", r"\\/ UnitStarted\(UnitOf\[t\]\)\n", "\\/ FALSE\n", "clusters-in-order", {"AHEAD": "false"}),
    "a cluster is placed as a whole": ("cuda-in-order", r"BlocksOf\[UnitOf\[t\]\]", "1", "clusters-in-order", {"AHEAD": "true"}),
}  # fmt: skip


def holding(name: str, cfg: str, jars: Jars, workers: Workers, text: str, folder: Path) -> bool:
    """Whether TLC finds that the property holds of a module's text."""
    folder.mkdir()
    (folder / f"{name}.tla").write_text(text)
    (folder / f"{name}.cfg").write_text(cfg)
    result = tla_run.run(jars["tlc"], name, workers, folder, 120).result
    assert result is not None
    return result.outcome == "holds"


@pytest.mark.jvm
@pytest.mark.parametrize("name", [*FORMULAS, *OWED, *ASSUMED])
def test_every_promise_is_needed(name: str, jars: Jars, workers: Workers, tmp_path: Path) -> None:
    if name in OWED:
        progress, old, new, stem = OWED[name]
        run = kept_run(f"progress-models/{stem}.cu", progress=progress)
    elif name in ASSUMED:
        progress, old, new, stem, variant = ASSUMED[name]
        run = kept_run(f"progress-models/{stem}.cu", progress=progress, **variant)
    else:
        old, new, spec, variant = FORMULAS[name]
        run = kept_run(spec, **variant)
    problem = progress_problem(run, "Termination")
    module = tla_module(problem)
    assert len(re.findall(old, module.tla)) == 1, f"{old} is not in the module once"
    # The fast check mentions the promises too; the property alone decides here.
    cfg = module.cfg.replace("INVARIANT NotStuck\n", "")
    mutant = re.sub(old, lambda _: new, module.tla)
    held = fair_cycles.solve(problem.system, "Termination").holds  # of the module as it is; TLC agrees: test_specs.py
    assert held is not None
    assert holding(module.name, cfg, jars, workers, mutant, tmp_path / "after") != held


@pytest.mark.jvm
def test_the_fast_check_is_no_weaker_than_the_property(jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """NotStuck finds a hang before the temporal property does; with it or without, the verdict is the same."""
    for stem in ("api-2", "api-4", "stream-0"):
        run = kept_run(f"cuda-execution-model/{stem}.cu")
        module = tla_module(progress_problem(run, "Termination"))
        found = [
            holding(module.name, cfg, jars, workers, module.tla, tmp_path / f"{stem}-{number}")
            for number, cfg in enumerate((module.cfg, module.cfg.replace("INVARIANT NotStuck\n", "")))
        ]
        assert found[0] == found[1]


@pytest.mark.jvm
def test_a_deadlock_is_told_from_an_unfair_stop(jars: Jars, workers: Workers, tmp_path: Path) -> None:
    """A state without any step is TLC's deadlock; no program of scopec's language has one unless a barrier is broken."""
    run = kept_run("cuda-execution-model/syncthreads.cu", OTHER="0")
    problem = progress_problem(run, "Termination")
    system, module = problem.system, tla_module(problem)
    broken = module.tla.replace("/\\ Released(t, BlockOf[t])\n", "/\\ FALSE\n")
    assert broken != module.tla
    (tmp_path / f"{module.name}.tla").write_text(broken)
    (tmp_path / f"{module.name}.cfg").write_text(module.cfg.replace("INVARIANT NotStuck\n", ""))
    result = tla_run.run(jars["tlc"], module.name, workers, tmp_path, 120).result
    assert result is not None
    assert result.outcome == "deadlock"
    found = tla_run.counterexample(result, system, module)
    assert found is not None
    assert found.ending is Ending.DEADLOCK
